// Test how the view moves to nodes that are pointed at: a canvas of 800 x 400 px with margins of 20.

import assert from "node:assert/strict";
import test from "node:test";

import { viewBringing } from "../../../autodiff_viz/web/canvas/draw/viewport.js";

const SIZE = { w: 800, h: 400 };
const MARGINS = { top: 20, bottom: 20, left: 20, right: 20 };
const at = (x, y) => ({ x, y, w: 100, h: 60 });
const VIEW = { x: 0, y: 0, k: 1 };
const onScreen = (view, box) => [
  box.x * view.k + view.x,
  box.y * view.k + view.y,
  (box.x + box.w) * view.k + view.x,
  (box.y + box.h) * view.k + view.y,
];

test("a node in view moves nothing", () => {
  assert.equal(viewBringing(VIEW, [at(100, 100)], SIZE, MARGINS, 0), null);
  assert.equal(viewBringing(VIEW, [], SIZE, MARGINS, 0), null);
});

test("a node out of view comes in by the least shift, at the same scale", () => {
  const view = viewBringing(VIEW, [at(1000, 100)], SIZE, MARGINS, 0);
  assert.deepEqual({ y: view.y, k: view.k }, { y: 0, k: 1 });
  assert.equal(1100 + view.x, 780 - 12); // its right edge stands left of the margin, with the room around a node
});

test("of several nodes that fit, all come into view", () => {
  const boxes = [at(-200, 100), at(300, 100)];
  const view = viewBringing(VIEW, boxes, SIZE, MARGINS, 0);
  for (const box of boxes) {
    const [left, , right] = onScreen(view, box);
    assert.ok(left >= 20 && right <= 780);
  }
});

test("of nodes that do not fit, one in view is enough, else the first comes", () => {
  assert.equal(viewBringing(VIEW, [at(-3000, 100), at(300, 100)], SIZE, MARGINS, 0), null);
  const view = viewBringing(VIEW, [at(-3000, 100), at(3000, 100)], SIZE, MARGINS, 0);
  assert.equal(view.k, 1);
  assert.equal(-3000 + view.x, 20 + 12);
});

test("a node that is too small to be recognised comes nearer, into the middle", () => {
  const view = viewBringing({ x: 0, y: 0, k: 0.1 }, [at(1000, 1000)], SIZE, MARGINS, 0.42);
  assert.equal(view.k, 0.42);
  const [left, top, right, bottom] = onScreen(view, at(1000, 1000));
  assert.deepEqual([Math.round(left + right), Math.round(top + bottom)], [800, 400]);
});

test("several that are too small come as near as all have room", () => {
  const view = viewBringing({ x: 0, y: 0, k: 0.1 }, [at(0, 0), at(2400, 0)], SIZE, MARGINS, 0.42);
  assert.ok(Math.abs(view.k - 760 / 2524) < 1e-9); // 2,500 px of nodes and 12 on both sides in 760 px
});

test("what a popover at the side covers is out of view, and comes beside it", () => {
  const cover = { x: 500, y: 0, w: 300, h: 200 };
  assert.equal(viewBringing(VIEW, [at(600, 300)], SIZE, MARGINS, 0, cover), null); // below it
  const view = viewBringing(VIEW, [at(600, 100)], SIZE, MARGINS, 0, cover);
  assert.equal(700 + view.x, 500 - 12);
});

test("what a popover along the top covers comes below it", () => {
  const view = viewBringing(VIEW, [at(100, 10)], SIZE, MARGINS, 0, { x: 0, y: 0, w: 800, h: 50 });
  assert.deepEqual(view, { x: 0, y: 50 + 12 - 10, k: 1 });
});
