import assert from "node:assert/strict";
import test from "node:test";
import {
  sidesBeyond,
  boxesPath,
  freeCorner,
  viewKeptOn,
  visibleWorld,
} from "../../../autodiff_viz/web/canvas/draw/viewport.js";

const SIZE = { w: 800, h: 600 };
const CONTENT = { x: 0, y: 0, w: 1000, h: 400 };

test("a view on the drawing stays as it is", () => {
  const view = { x: 20, y: 30, k: 1 };
  assert.equal(viewKeptOn(view, CONTENT, SIZE), view);
});

test("the view cannot be moved off the drawing, on any side", () => {
  for (const [x, y] of [
    [1e5, 0],
    [-1e5, 0],
    [0, 1e5],
    [0, -1e5],
    [1e5, -1e5],
  ]) {
    for (const k of [0.1, 1, 3]) {
      const view = viewKeptOn({ x, y, k }, CONTENT, SIZE);
      const left = Math.max(view.x, 0),
        right = Math.min(view.x + CONTENT.w * k, SIZE.w);
      const top = Math.max(view.y, 0),
        bottom = Math.min(view.y + CONTENT.h * k, SIZE.h);
      assert.ok(right - left >= Math.min(90, CONTENT.w * k) - 1e-6, `${x} ${y} ${k}`);
      assert.ok(bottom - top >= Math.min(90, CONTENT.h * k) - 1e-6, `${x} ${y} ${k}`);
    }
  }
});

test("an empty drawing and a canvas without a size hold nothing back", () => {
  const view = { x: 1e5, y: 0, k: 1 };
  assert.equal(viewKeptOn(view, null, SIZE), view);
  assert.equal(viewKeptOn(view, CONTENT, { w: 0, h: 0 }), view);
});

test("every side with more to see is named", () => {
  assert.equal(sidesBeyond({ x: 0, y: 0, k: 0.5 }, CONTENT, SIZE, 60), "");
  assert.equal(sidesBeyond({ x: -50, y: -50, k: 1 }, CONTENT, SIZE, 60), "left right top");
  assert.equal(sidesBeyond({ x: 10, y: 150, k: 0.7 }, CONTENT, SIZE, 60), "");
  assert.equal(sidesBeyond({ x: 10, y: 300, k: 0.7 }, CONTENT, SIZE, 60), "bottom"); // 580 of 600, under the toolbar
});

test("what is seen is the screen in the world's pixels", () => {
  assert.deepEqual(visibleWorld({ x: -100, y: 50, k: 2 }, SIZE), { x: 50, y: -25, w: 400, h: 300 });
});

test("boxes make one path", () => {
  assert.equal(boxesPath([{ x: 1.4, y: 2, w: 10, h: 5 }]), "M1 2h10v5h-10z");
});

test("the map takes the first corner without nodes, and stays in its corner while that is free", () => {
  const [room, size, view] = [
    { x: 0, y: 0, w: 400, h: 300 },
    { w: 100, h: 80 },
    { x: 0, y: 0, k: 0.5 },
  ];
  const low = { x: 640, y: 480, w: 100, h: 60 }; // 320 to 370 and 240 to 270 on the screen
  assert.equal(freeCorner(room, size, [], view, null)?.corner, "right bottom");
  assert.deepEqual(freeCorner(room, size, [low], view, null), {
    x: 0,
    y: 220,
    w: 100,
    h: 80,
    corner: "left bottom",
  });
  assert.equal(freeCorner(room, size, [low], view, "right top")?.corner, "right top");
  assert.equal(freeCorner(room, size, [{ x: 0, y: 0, w: 800, h: 600 }], view, null), null);
});
