// Test with which plot a lesson shows why: the one that its tool names, if the graph has it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isPlayed, plotOf } from "../../../autodiff_viz/web/lesson/reveal.js";

test("each tool has its plot, and what is on the canvas has none", () => {
  const graph = { figure: "cotangents" };
  for (const tool of ["paths", "sweep", "noise", "field", "training", "segments"])
    assert.equal(plotOf(tool, graph), tool);
  for (const tool of ["play", "why zero"]) assert.equal(plotOf(tool, graph), undefined);
});

test("memory is shown by the figure that the step names, else by what is kept", () => {
  assert.equal(plotOf("memory", { figure: "plans" }), "plans");
  assert.equal(plotOf("memory", { figure: "sweep" }), "residuals");
});

test("what the graph lacks is not shown", () => {
  assert.equal(plotOf("compare", {}), undefined);
  assert.equal(plotOf("compare", { twins: {} }), "twins");
  assert.equal(plotOf("noise", { lacks: ["noise"] }), undefined);
  assert.equal(plotOf("memory", { lacks: ["residuals"] }), undefined);
});

test("the pass computes numbers of the graph, no counts and no answer of an author", () => {
  for (const of of ["value", "cotangent", "passed"]) assert.ok(isPlayed({ of }));
  assert.ok(!isPlayed({ of: "kept" }));
  assert.ok(!isPlayed({ of: "value", own: true }));
});
