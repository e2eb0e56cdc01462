import assert from "node:assert/strict";
import test from "node:test";
import { withPositions, predict } from "../../../autodiff_viz/web/canvas/state/predict.js";
import { fork } from "../drawings.mjs";

const after = (...edits) => predict(fork(), edits);
const nodeOf = (drawing, id) => drawing.nodes.find((node) => node.id === id);

test("a rule shows at once on its node alone", () => {
  const drawing = fork();
  const shown = predict(drawing, [{ kind: "rules", nodes: ["s"], rule: "stop" }]);
  assert.equal(nodeOf(shown, "s").rule, "stop");
  assert.equal(nodeOf(shown, "x"), nodeOf(drawing, "x"));
});

test("what is selected lays out nothing again", () => {
  const drawing = fork();
  const shown = predict(drawing, [{ kind: "select", node: "s" }]);
  assert.equal(shown.selected, "s");
  assert.equal(shown.nodes, drawing.nodes);
  assert.equal(shown.wires, drawing.wires);
});

test("a cut shows at once, and not at an input", () => {
  const shown = after({ kind: "cut_after", nodes: ["x", "s"], on: true });
  assert.deepEqual(
    shown.nodes.filter(({ cut }) => cut).map(({ id }) => id),
    ["s"],
  );
});

test("edits are shown in the order in which they were made", () => {
  const shown = after(
    { kind: "rules", nodes: ["s"], rule: "stop" },
    { kind: "rules", nodes: ["s"], rule: "follow" },
  );
  assert.equal(nodeOf(shown, "s").rule, "follow");
});

test("a wire drawn to a filled slot replaces the one there", () => {
  const shown = after({ kind: "connect", from: "x", to: "m", slot: 0 });
  assert.deepEqual(
    shown.wires.filter((wire) => wire.to === "m").map((wire) => [wire.from, wire.slot]),
    [
      ["x", 1],
      ["x", 0],
    ],
  );
});

test("a wire taken away leaves its slot empty", () => {
  const shown = after({ kind: "disconnect", to: "m", slot: 1 });
  assert.equal(nodeOf(shown, "m").slots[1].wired, false);
  assert.equal(shown.wires.length, 2);
});

test("there is one output", () => {
  const shown = after({ kind: "output", node: "s" }, { kind: "output", node: "x" });
  assert.deepEqual(
    shown.nodes.filter((node) => node.isOutput).map((node) => node.id),
    ["x"],
  );
});

test("a wire keeps its bends when both ends move alike, and loses them otherwise", () => {
  const together = withPositions(fork(), { s: [210, 5], m: [410, 5] });
  assert.deepEqual(together.wires[1].via, [[360, 15]]);
  assert.deepEqual(withPositions(fork(), { s: [210, 5] }).wires[1].via, []);
});

test("an edit that the browser cannot foresee leaves the drawing as it is", () => {
  const drawing = fork();
  assert.equal(predict(drawing, [{ kind: "undo" }, { kind: "arrange" }]), drawing);
});

test("an edit to a node that is gone changes nothing", () => {
  const shown = after(
    { kind: "delete", nodes: ["s"] },
    { kind: "rules", nodes: ["s"], rule: "stop" },
    { kind: "constant", node: "s", slot: 0, text: "1" },
  );
  assert.deepEqual(
    shown.nodes.map((node) => node.id),
    ["x", "m"],
  );
});

test("the value of an input is shown as it was typed, before Python has computed with it", () => {
  const shown = predict(fork(), [{ seq: 1, kind: "constant", node: "x", slot: null, text: "2.5" }]);
  assert.equal(shown.nodes[0].value, "2.5");
  assert.equal(
    shown.nodes[1],
    shown.nodes.find(({ id }) => id === "s"),
  );
});

test("the line of an input that is a number alone has the number that was typed; another line is left to Python", () => {
  const typed = (text) => {
    const drawing = fork();
    Object.assign(nodeOf(drawing, "x"), { literal: "0.5", text });
    const edit = { kind: "constant", node: "x", slot: null, text: "2.5" };
    return nodeOf(predict(drawing, [edit]), "x").text;
  };
  assert.equal(typed("0.5"), "2.5");
  assert.equal(typed("parameter(0.5)"), "parameter(0.5)");
});

test("backward as begins with a slot wired to what the node reads first, and ends without it", () => {
  const shown = after({ kind: "rules", nodes: ["m"], rule: "backward_as" });
  assert.deepEqual(
    nodeOf(shown, "m").slots.map(({ label, wired }) => [label, wired]),
    [
      ["x0", true],
      ["x1", true],
      ["backward as", true],
    ],
  );
  assert.deepEqual(
    shown.wires
      .filter(({ alternative }) => alternative)
      .map(({ from, to, slot }) => [from, to, slot]),
    [["s", "m", 2]],
  );
  const back = predict(shown, [{ kind: "rules", nodes: ["m"], rule: "stop" }]);
  assert.equal(nodeOf(back, "m").slots.length, 2);
  assert.equal(back.wires.length, 3);
});

test("a node that nothing is wired to gets no rule that stands for a derivative", () => {
  const drawing = fork();
  assert.equal(predict(drawing, [{ kind: "rules", nodes: ["x"], rule: "pullback" }]), drawing);
  assert.deepEqual(
    after({ kind: "rules", nodes: ["x", "s"], rule: "pullback" }).nodes.map(({ rule }) => rule),
    ["follow", "pullback", "follow"],
  );
});

test("a node is let act again whatever is wired to it", () => {
  const before = {
    ...fork(),
    nodes: fork().nodes.map((one) => ({ ...one, muted: true })),
    wires: [],
  };
  assert.ok(
    predict(before, [{ kind: "mute", nodes: ["s"], on: false }]).nodes.some(
      ({ id, muted }) => id === "s" && !muted,
    ),
  );
});

test("a region saves only what it holds, and only by the policy that names it", () => {
  const named = after({
    kind: "policy",
    region: "r",
    policy: "save_only_these_names",
    saved: ["s", "m"],
  });
  assert.deepEqual(named.regions[0].saved, ["s"]);
  assert.deepEqual(
    predict(named, [{ kind: "policy", region: "r", policy: "dots_saveable", saved: ["s"] }])
      .regions[0].saved,
    [],
  );
});
