// Groups of branches: their number as it is expected, said and nested.

import { test } from "node:test";
import assert from "node:assert/strict";
import { nested } from "../../autodiff_viz/ui/editor/web/frames.js";
import { predict } from "../../autodiff_viz/ui/editor/web/predict.js";
import { spokenGroup } from "../../autodiff_viz/ui/editor/web/reading.js";

const gate = { name: "t", nodes: ["a", "b"], branches: ["t_1", "t_2"], collapsed: false };
const drawing = { nodes: [], wires: [], regions: [], groups: [gate, { name: "other", nodes: ["c"] }], selected: null };
const after = (edit) => predict(drawing, [{ seq: 1, ...edit }]).groups;

test("another number shows before Python has answered, and two presses count twice", () => {
  assert.equal(after({ kind: "branches", group: "t", k: 3 })[0].branches.length, 3);
  assert.deepEqual(after({ kind: "branches", group: "t", k: 1 })[0].branches, ["t_1"]);
  assert.equal(after({ kind: "branches", group: "t", k: 3 })[1], drawing.groups[1]);
});

test("which branch is trained alone shows at once, and that all are", () => {
  const [alone] = after({ kind: "tune", group: "t", branch: "t_2" });
  assert.equal(alone.alone, "t_2");
  assert.match(spokenGroup(alone), /^group of 2 branches t: t_1, t_2, only t_2 is trained$/);
  const all = predict({ ...drawing, groups: [alone] }, [{ seq: 1, kind: "tune", group: "t", branch: null }]);
  assert.equal(spokenGroup(all.groups[0]), "group of 2 branches t: t_1, t_2");
});

test("a group of branches lies around its only branch, whatever they are called", () => {
  const frames = [{ name: "a", nodes: ["x"] }, { name: "z", nodes: ["x"], branches: ["a"] }];
  assert.deepEqual(nested(frames).map(({ frame }) => frame.name), ["z", "a"]);
});
