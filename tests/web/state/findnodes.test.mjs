// Test the search for nodes by name, op, group and value.

import assert from "node:assert/strict";
import test from "node:test";

import { entriesOf, matching } from "../../../autodiff_viz/web/canvas/state/find_nodes.js";

const node = (id, op, more = {}) => ({ id, op, symbol: op, value: "", rule: "follow", ...more });
const NODES = [
  node("x", "input", { value: "0.6" }),
  node("log_1", "log", { value: "NaN", valueFull: "NaN" }),
  node("h_0", "relu", { value: "\u22120.5" }),
  node("h_1", "relu", { value: "0.56", valueFull: "0.5646" }),
  node("logits", "matmul", { rule: "stop", symbol: "@" }),
  node("z", "mean_squared_error", { isOutput: true, value: "2" }),
];
const GROUPS = [
  { name: "head", nodes: ["h_1"] },
  { name: "block 1", nodes: ["h_0", "h_1", "logits"] },
];
const OPS = new Map([["mean_squared_error", { aliases: ["mse"] }]]);
const ENTRIES = entriesOf(
  { nodes: NODES, groups: GROUPS, regions: [{ name: "kept", nodes: ["logits"] }] },
  OPS,
);
const found = (text) => matching(ENTRIES, text).map(({ name }) => name);

test("an empty text lists all nodes, those of a group together", () => {
  assert.deepEqual(found("  "), ["x", "log_1", "z", "h_0", "logits", "h_1"]);
  assert.deepEqual(
    ENTRIES.map(({ group }) => group),
    ["", "", "", "block 1", "block 1", "block 1 / head"],
  );
});

test("a name comes before what begins with it, and that before what contains it", () => {
  assert.deepEqual(found("log"), ["log_1", "logits"]); // the op itself, then the beginning of a name
  assert.deepEqual(found("logits"), ["logits"]);
  assert.deepEqual(found("H_"), ["h_0", "h_1"]);
});

test("an op is found by its name, its other names and its sign", () => {
  assert.deepEqual(found("relu"), ["h_0", "h_1"]);
  assert.deepEqual(found("mse"), ["z"]);
  assert.deepEqual(found("@"), ["logits"]);
});

test("a group or a region finds its nodes", () => {
  assert.deepEqual(found("block"), ["h_0", "logits", "h_1"]);
  assert.deepEqual(found("kept"), ["logits"]);
});

test("a value is found as it is written, with the keyboard's minus", () => {
  assert.deepEqual(found("-0.5"), ["h_0"]);
  assert.deepEqual(found("0.564"), ["h_1"]);
  assert.deepEqual(found("nan"), ["log_1"]);
});

test("what a node does is found too: a rule, the output", () => {
  assert.deepEqual(found("stop"), ["logits"]);
  assert.deepEqual(found("output"), ["z"]);
});

test("a whole text in one place comes before its words in several", () => {
  const groups = [
    { name: "block 1", nodes: ["y"] },
    { name: "block 2", nodes: ["x1"] },
  ];
  const entries = entriesOf(
    { nodes: [node("x1", "sin"), node("y", "sin")], groups, regions: [] },
    OPS,
  );
  assert.deepEqual(
    matching(entries, "block 1").map(({ name }) => name),
    ["y", "x1"],
  );
});

test("all words must match", () => {
  assert.deepEqual(found("relu head"), ["h_1"]);
  assert.deepEqual(found("relu kept"), []);
});
