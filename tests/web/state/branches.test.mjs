// Groups of branches: their number as it is expected, said and nested.

import { test } from "node:test";
import assert from "node:assert/strict";
import { nested } from "../../../autodiff_viz/web/canvas/state/frames.js";
import { predict } from "../../../autodiff_viz/web/canvas/state/predict.js";
import { spokenGroup } from "../../../autodiff_viz/web/canvas/draw/screen_reader.js";
import { node, wire } from "../drawings.mjs";

const gate = { name: "t", nodes: ["a", "b"], branches: ["t_1", "t_2"], collapsed: false };
const drawing = {
  nodes: [],
  wires: [],
  regions: [],
  groups: [gate, { name: "other", nodes: ["c"] }],
  selected: null,
};
const after = (edit) => predict(drawing, [{ seq: 1, ...edit }]).groups;

test("another number shows before Python has answered, and two presses count twice", () => {
  assert.equal(after({ kind: "branches", group: "t", k: 3 })[0].branches.length, 3);
  assert.deepEqual(after({ kind: "branches", group: "t", k: 1 })[0].branches, ["t_1"]);
  assert.equal(after({ kind: "branches", group: "t", k: 3 })[1], drawing.groups[1]);
});

/** Two branches with a parameter each; the second one's stands outside, and it alone reads it. */
const expert = (id) => node(`h_${id}`, 200, 0, 1);
const trained = {
  ...drawing,
  nodes: [
    node("w_1", 0, 0, 0, { isParameter: true }),
    node("w_2", 0, 90, 0, { isParameter: true }),
    expert(1),
    expert(2),
  ],
  wires: [wire("w_1", "h_1"), wire("w_2", "h_2")],
  groups: [
    { name: "t", nodes: ["w_1", "h_1", "h_2"], branches: ["t_1", "t_2"] },
    { name: "t_1", nodes: ["w_1", "h_1"] },
    { name: "t_2", nodes: ["h_2"] },
  ],
};

test("which branch is trained alone shows at once, and that all are", () => {
  const alone = predict(trained, [{ seq: 1, kind: "tune", group: "t", branch: "t_2" }]);
  assert.deepEqual(
    alone.nodes.map(({ rule }) => rule),
    ["stop", "follow", "follow", "follow"],
  );
  assert.match(
    spokenGroup(alone.groups[0]),
    /^group of 2 branches t: t_1, t_2, only t_2 is trained$/,
  );
  const all = predict(alone, [{ seq: 1, kind: "tune", group: "t", branch: null }]);
  assert.equal(spokenGroup(all.groups[0]), "group of 2 branches t: t_1, t_2");
});

test("a parameter that is stopped by hand says so at its branches too", () => {
  const [group] = predict(trained, [
    { seq: 1, kind: "rules", nodes: ["w_2"], rule: "stop" },
  ]).groups;
  assert.equal(group.alone, "t_1");
});

test("a branch that is deleted is counted no more", () => {
  const [group] = predict(trained, [{ seq: 1, kind: "delete", nodes: ["h_2"] }]).groups;
  assert.deepEqual(group.branches, ["t_1"]);
});

test("a group of branches lies around its only branch, whatever they are called", () => {
  const frames = [
    { name: "a", nodes: ["x"] },
    { name: "z", nodes: ["x"], branches: ["a"] },
  ];
  assert.deepEqual(
    nested(frames).map(({ frame }) => frame.name),
    ["z", "a"],
  );
});
