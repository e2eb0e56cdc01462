import assert from "node:assert/strict";
import { test } from "node:test";
import { elementAt } from "../../../autodiff_viz/web/canvas/draw/elements.js";

test("the element under the pointer is told with its index", () => {
  const numbers = [1, 2, 3, 4, 5, 6];
  assert.equal(elementAt(numbers, [2, 3], 0, 0), "[0, 0] = 1");
  assert.equal(elementAt(numbers, [2, 3], 0.99, 0.6), "[1, 2] = 6");
  assert.equal(elementAt(numbers, [2, 3], 1, 1), "[1, 2] = 6");
  assert.equal(elementAt(numbers, [6], 0.5, 0.9), "[3] = 4");
});
