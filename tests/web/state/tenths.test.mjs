import assert from "node:assert/strict";
import test from "node:test";
import { tenths } from "../../../autodiff_viz/web/canvas/state/geometry.js";

test("a tenth is that of Python's round: the number itself decides, and of two as near the even one", () => {
  // 590.35 is a little more than it is written, 1.15 a little less; quarters are exact.
  const pairs = [
    [590.3499999999999, 590.3],
    [590.35, 590.4],
    [0.15, 0.1],
    [1.15, 1.1],
    [0.25, 0.2],
    [0.75, 0.8],
    [-0.25, -0.2],
    [-590.3499999999999, -590.3],
    [12, 12],
  ];
  for (const [px, tenth] of pairs) assert.equal(tenths(px), tenth);
});
