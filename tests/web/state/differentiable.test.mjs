// What can be differentiated by what. MAML's inner step: inner = x theta^2, g = grad(inner, theta) = 2 x theta.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  choicesFor,
  pairOf,
  readsOf,
} from "../../../autodiff_viz/web/canvas/state/reachability.js";

const node = (id, op, more = {}) => ({ id, op, symbol: op, slots: [], ...more });
const nodes = [
  node("x", "input", { isInput: true }),
  node("theta", "input", { isInput: true, isParameter: true }),
  node("a", "square"),
  node("inner", "mul"),
  node("g", "grad"),
  node("loss", "square", { isOutput: true }),
  node("far", "sin"),
];
const wires = [
  ["theta", "a", 0],
  ["x", "inner", 0],
  ["a", "inner", 1],
  ["inner", "g", 0],
  ["theta", "g", 1],
  ["g", "loss", 0],
].map(([from, to, slot]) => ({ from, to, slot }));
const drawing = { nodes, wires };
const names = (found) => found.map(({ of, by }) => `${of}/${by}`);

test("a gradient is a function of its x and of what the nodes between read, not of these nodes", () => {
  assert.deepEqual(readsOf(drawing, "g").sort(), ["theta", "x"]);
  assert.deepEqual(readsOf(drawing, "loss").sort(), ["g", "theta", "x"]);
  assert.deepEqual(readsOf(drawing, "inner").sort(), ["a", "theta", "x"]);
});

test("what was computed from x behind a stop is read, and not run again", () => {
  const stopped = nodes.map((each) => (each.id === "a" ? { ...each, rule: "stop" } : each));
  const also = { nodes: stopped, wires: [...wires, { from: "theta", to: "inner", slot: 2 }] };
  assert.deepEqual(readsOf(also, "g").sort(), ["a", "theta", "x"]);
  assert.deepEqual(pairOf(also, ["a", "g"]), { of: "g", by: "a" });
});

test("parameters come first, then inputs, then other nodes", () => {
  assert.deepEqual(names(choicesFor(drawing, "inner")), ["inner/theta", "inner/x", "inner/a"]);
});

test("an input suggests the gradient of the output by it; what leads nowhere suggests nothing", () => {
  assert.deepEqual(names(choicesFor(drawing, "theta")), ["loss/theta"]);
  assert.deepEqual(choicesFor(drawing, "far"), []);
});

test("of two nodes the one that depends on the other is differentiated, in either order", () => {
  assert.deepEqual(pairOf(drawing, ["theta", "inner"]), { of: "inner", by: "theta" });
  assert.deepEqual(pairOf(drawing, ["inner", "theta"]), { of: "inner", by: "theta" });
  assert.equal(pairOf(drawing, ["x", "theta"]), null);
  assert.equal(pairOf(drawing, ["a", "g"]), null); // g runs a again, and reads no value of it
  assert.equal(pairOf(drawing, ["x"]), null);
});
