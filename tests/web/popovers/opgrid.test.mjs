import assert from "node:assert/strict";
import test from "node:test";
import { nextInGrid } from "../../../autodiff_viz/web/canvas/popovers/palette.js";

// Two groups: three tiles in a row and one below, then a row of two.
const tile = (x, y) => ({ x, y });
const BOXES = [tile(0, 0), tile(80, 0), tile(160, 0), tile(0, 70), tile(0, 180), tile(80, 180)];

test("left and right go from tile to tile, and stop at the ends", () => {
  assert.equal(nextInGrid("ArrowRight", 0, BOXES), 1);
  assert.equal(nextInGrid("ArrowRight", 3, BOXES), 4);
  assert.equal(nextInGrid("ArrowLeft", 4, BOXES), 3);
  assert.equal(nextInGrid("ArrowLeft", 0, BOXES), 0);
  assert.equal(nextInGrid("ArrowRight", 5, BOXES), 5);
});

test("up and down go to the nearest tile of the next row, over the end of a group", () => {
  assert.equal(nextInGrid("ArrowDown", 0, BOXES), 3);
  assert.equal(nextInGrid("ArrowDown", 2, BOXES), 3); // the only one of the next row
  assert.equal(nextInGrid("ArrowDown", 3, BOXES), 4);
  assert.equal(nextInGrid("ArrowUp", 5, BOXES), 3);
  assert.equal(nextInGrid("ArrowUp", 1, BOXES), 1);
  assert.equal(nextInGrid("ArrowDown", 5, BOXES), 5);
});

test("in a list of one column down is the next one", () => {
  const list = [tile(0, 0), tile(0, 40), tile(0, 80)];
  assert.equal(nextInGrid("ArrowDown", 1, list), 2);
  assert.equal(nextInGrid("ArrowUp", 1, list), 0);
});
