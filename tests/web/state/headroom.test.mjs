import assert from "node:assert/strict";
import { test } from "node:test";
import { hasChips, withHeadroom } from "../../../autodiff_viz/web/canvas/state/fold.js";

const card = (id, x, y, more = {}) => ({
  id,
  x,
  y,
  w: 128,
  h: 80,
  rule: "follow",
  isOutput: false,
  problem: null,
  ...more,
});
const above = (...nodes) => withHeadroom(nodes).at(-1).above;

test("a card with a chip knows how far the next card above it is", () => {
  assert.equal(above(card("a", 0, 0), card("b", 0, 108, { rule: "stop" })), 28);
  assert.equal(above(card("a", 0, 0), card("c", 10, 20), card("b", 0, 108, { isOutput: true })), 8);
  assert.equal(above(card("a", 0, 0, { foot: 20 }), card("b", 0, 108, { problem: "no" })), 8); // the tabs below a card belong to it
});

test("the chips at the foot of the card above take of that room, and may leave none", () => {
  const [b, marks] = [card("b", 0, 108, { rule: "stop" }), { state: ["declared 1, true 0"] }];
  assert.equal(above(card("a", 0, 0, marks), b), 12);
  assert.equal(above(card("a", 0, 20, { ...marks, runs: "x2" }), b), 0);
});

test("what is far, beside it or under it does not count", () => {
  assert.equal(above(card("a", 0, 0), card("b", 0, 140, { rule: "stop" })), undefined);
  assert.equal(above(card("a", 128, 0), card("b", 0, 100, { rule: "stop" })), undefined);
  assert.equal(above(card("a", 0, 60), card("b", 0, 100, { rule: "stop" })), undefined);
});

test("a card without chips stays as it is, and one whose room stays is the same object", () => {
  const nodes = [card("a", 0, 0), card("b", 0, 100), card("c", 0, 200, { rule: "scale" })];
  const [first, again] = [withHeadroom(nodes), withHeadroom(nodes)];
  assert.equal(first[1], nodes[1]);
  assert.equal(first[2], again[2]);
  assert.deepEqual([hasChips(nodes[1]), hasChips(nodes[2])], [false, true]);
});
