import assert from "node:assert/strict";
import test from "node:test";
import { tapTarget } from "../../../autodiff_viz/web/canvas/gestures/touch.js";

const nodes = [
  { id: "a", x: 0, y: 0, w: 128, h: 80 },
  { id: "b", x: 192, y: 0, w: 128, h: 80 },
];
const empty = { part: "canvas", id: null };

test("a tap that misses a small card by little means the nearest one", () => {
  const view = { x: 10, y: 10, k: 0.2 }; // a: 10-35.6 x 10-26, b: 48.4-74 x 10-26
  assert.equal(tapTarget(nodes, view, empty, [40, 30]).id, "a");
  assert.equal(tapTarget(nodes, view, empty, [46, 8]).id, "b");
  assert.equal(tapTarget(nodes, view, empty, [40, 60]), empty);
});

test("beside cards as large as a finger it means the canvas, and a target that is hit stays", () => {
  assert.equal(tapTarget(nodes, { x: 0, y: 0, k: 1 }, empty, [134, 40]), empty);
  const hit = { part: "wire", id: null };
  assert.equal(tapTarget(nodes, { x: 10, y: 10, k: 0.2 }, hit, [40, 30]), hit);
});
