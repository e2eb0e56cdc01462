import assert from "node:assert/strict";
import { test } from "node:test";
import { diffNodes, replaces } from "../../../autodiff_viz/web/canvas/state/differences.js";

const at = (id, x = 0, y = 0) => ({ id, x, y });

test("new nodes are told from those that moved or went", () => {
  assert.deepEqual(diffNodes([at("a"), at("b")], [at("a"), at("b"), at("c", 9)]), {
    came: ["c"],
    moved: false,
    most: false,
  });
  assert.deepEqual(diffNodes([at("a"), at("b")], [at("a", 5), at("b")]), {
    came: [],
    moved: true,
    most: false,
  });
  assert.deepEqual(diffNodes([at("a"), at("b")], [at("a")]), {
    came: [],
    moved: true,
    most: false,
  });
});

test("another graph is new for the most part", () => {
  assert.equal(diffNodes([at("a"), at("b")], [at("a"), at("p"), at("q")]).most, true);
  assert.equal(diffNodes([], [at("a")]).most, true);
});

const graph = (...nodes) => ({
  nodes: nodes.map(([id, op]) => ({ id, op })),
  wires: nodes.flatMap(([to, , ...feeds]) => feeds.map((from, slot) => ({ from, to, slot }))),
});

test("a graph takes the place of another if fewer than half of the nodes stay", () => {
  const one = graph(["x", "input"], ["mul_1", "mul", "x", "x"], ["z", "sin", "mul_1"]);
  const edited = graph(["x", "input"], ["mul_1", "mul", "x", "x"], ["z", "cos", "mul_1"]);
  assert.equal(replaces(one, one), false);
  assert.equal(replaces(one, edited), false);
  // The name of a step says nothing of what it reads; that of its author does.
  const other = graph(["x", "input"], ["mul_1", "mul", "x", "u"], ["u", "cos", "x"]);
  assert.equal(replaces(one, other), true);
  assert.equal(replaces(one, graph(["x", "input"], ["u", "exp", "x"], ["z", "sin", "u"])), false);
  assert.equal(replaces(graph(), one), true);
});
