import assert from "node:assert/strict";
import test from "node:test";
import { lineage } from "../../../autodiff_viz/web/canvas/state/reachability.js";
import { oldPositions } from "../../../autodiff_viz/web/canvas/draw/motion.js";
import { fork, node, wire } from "../drawings.mjs";

// x -> a -> b -> z, and y -> b, a -> c -> z
const WIRES = [
  wire("x", "a"),
  wire("a", "b"),
  wire("y", "b", 1),
  wire("a", "c"),
  wire("b", "z"),
  wire("c", "z", 1),
];
const sorted = (set) => [...set].sort();

test("a node's lineage is all above it and all below it, and nothing beside it", () => {
  const { nodes, wires } = lineage(WIRES, ["b"]);
  assert.deepEqual(sorted(nodes), ["a", "b", "x", "y", "z"]);
  assert.deepEqual(sorted(wires), ["a:0", "b:0", "b:1", "z:0"]);
});

test("an end has what leads to it, a beginning what it leads to", () => {
  assert.deepEqual(sorted(lineage(WIRES, ["z"]).nodes), ["a", "b", "c", "x", "y", "z"]);
  assert.deepEqual(sorted(lineage(WIRES, ["y"]).nodes), ["b", "y", "z"]);
});

test("nodes that stay, come or go do not glide", () => {
  const before = fork().nodes;
  const after = [node("x", 0, 1, 0), node("s", 250, 40, 1), node("new", 9, 9)];
  assert.deepEqual([...oldPositions(before, after)], [["s", [200, 0]]]);
});
