import { test } from "node:test";
import assert from "node:assert/strict";
import { dotsTransform, pictureTransform } from "../../../autodiff_viz/web/canvas/draw/viewport.js";

/** Where a picture drawn for one view puts a point of the world, once it is stretched. */
const seen = (drawn, view, [x, y]) => {
  const [, dx, dy, by] = /translate\((.+)px, (.+)px\) scale\((.+)\)/
    .exec(pictureTransform(drawn, view))
    .map(Number);
  return [(x * drawn.k + drawn.x) * by + dx, (y * drawn.k + drawn.y) * by + dy];
};

test("a stretched picture has every point where the view has it", () => {
  const [drawn, view] = [
    { x: 30, y: -12, k: 0.8 },
    { x: -200, y: 44, k: 0.25 },
  ];
  for (const [x, y] of [
    [0, 0],
    [100, 700],
    [-40, 9],
  ]) {
    const [a, b] = seen(drawn, view, [x, y]);
    assert.ok(
      Math.abs(a - (x * view.k + view.x)) < 1e-9 && Math.abs(b - (y * view.k + view.y)) < 1e-9,
    );
  }
});

test("dots drawn for one scale move with the world at another, and are never much larger", () => {
  for (const [drawn, k] of [
    [1, 1.3],
    [0.6, 1.9],
    [0.3, 0.08],
    [2, 0.55],
  ]) {
    const [, right, down, by] = /translate\((.+)px, (.+)px\) scale\((.+)\)/
      .exec(dotsTransform(drawn, { x: -31, y: 407, k }))
      .map(Number);
    const step = 24 * drawn * (drawn < 0.5 ? 4 : 1) * by;
    assert.ok(by >= Math.SQRT1_2 && by <= Math.SQRT2);
    for (const [shift, at] of [
      [right, -31],
      [down, 407],
    ]) {
      const steps = (shift - 160 - at) / step; // the sheet begins 160 px before the canvas
      assert.ok(Math.abs(steps - Math.round(steps)) < 1e-9);
      assert.ok(shift >= 0 && shift < 160);
    }
  }
});
