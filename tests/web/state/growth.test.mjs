import assert from "node:assert/strict";
import test from "node:test";
import { roomOfNew, freshName, readingSlot } from "../../../autodiff_viz/web/canvas/state/edits.js";
import { predict } from "../../../autodiff_viz/web/canvas/state/predict.js";
import { fork, node, wire } from "../drawings.mjs";

const OPS = new Map([
  ["input", { op: "input", symbol: "x", slots: [], doc: "" }],
  ["sin", { op: "sin", symbol: "sin", slots: ["x"], doc: "" }],
  ["mul", { op: "mul", symbol: "×", slots: ["a", "b"], doc: "" }],
  ["dense", { op: "dense", symbol: "dense", slots: ["x", "w", "b"], doc: "", learns: true }],
]);
const after = (...edits) => predict(fork(), edits, OPS);
const nodeOf = (drawing, id) => drawing.nodes.find((other) => other.id === id);
const ends = (drawing) => drawing.wires.map(({ from, to, slot }) => `${from}>${to}.${slot}`).sort();
const outputOf = (drawing) => drawing.nodes.find(({ isOutput }) => isOutput)?.id;

test("a new node has the name that Python will give it", () => {
  assert.equal(freshName({ nodes: [node("sin_1"), node("sin_3")] }, "sin"), "sin_2");
  assert.equal(freshName({ nodes: [node("x"), node("y")] }, "input"), "z");
  assert.equal(freshName({ nodes: [..."xyzwuvpqrst"].map((name) => node(name)) }, "input"), "x_1");
});

test("a layer that gets parameters waits for Python, which knows their shapes and places", () => {
  const layer = { kind: "add", op: "dense", position: [5, 6], feeds: null };
  assert.deepEqual(after({ ...layer, wire: { from: "s", slot: 0 } }), fork());
  assert.equal(nodeOf(after({ ...layer, wire: null }), "dense_1").op, "dense");
});

test("a new node shows at once, wired, and its other slots empty", () => {
  const shown = after({
    kind: "add",
    op: "mul",
    position: [5, 6],
    wire: { from: "s", slot: 0 },
    feeds: null,
  });
  const mul = nodeOf(shown, "mul_1");
  assert.deepEqual([mul.x, mul.y, mul.symbol], [5, 6, "×"]);
  assert.deepEqual(
    mul.slots.map(({ label, wired }) => [label, wired]),
    [
      ["a", true],
      ["b", false],
    ],
  );
  assert.ok(ends(shown).includes("s>mul_1.0"));
});

test("a new node feeds the slot that it was asked for from, in place of what that held", () => {
  const shown = after({
    kind: "add",
    op: "sin",
    position: [0, 0],
    wire: null,
    feeds: { to: "m", slot: 1 },
  });
  assert.deepEqual(ends(shown), ["s>m.0", "sin_1>m.1", "x>s.0"]);
});

test("a new node between two is put into their wire, and into the region of both", () => {
  const before = {
    ...fork(),
    regions: [
      { name: "r", nodes: ["x", "s"] },
      { name: "q", nodes: ["s"] },
    ],
  };
  const edit = {
    kind: "add",
    op: "sin",
    position: [0, 0],
    wire: { from: "x", slot: 0 },
    feeds: { to: "s", slot: 0 },
  };
  const shown = predict(before, [edit], OPS);
  assert.deepEqual(ends(shown), ["s>m.0", "sin_1>s.0", "x>m.1", "x>sin_1.0"]);
  assert.deepEqual(
    shown.regions.map(({ nodes }) => nodes),
    [["x", "s", "sin_1"], ["s"]],
  );
});

test("two nodes added at once have names of their own", () => {
  const add = { kind: "add", op: "sin", position: [0, 0] };
  assert.deepEqual(
    after(add, add).nodes.map(({ id }) => id),
    ["x", "s", "m", "sin_1", "sin_2"],
  );
});

test("the first node is the output, and a wire from the output moves it on", () => {
  const bare = { ...fork(), nodes: [], wires: [] };
  assert.equal(outputOf(predict(bare, [{ kind: "add", op: "input", position: [0, 0] }], OPS)), "x");
  const shown = after(
    { kind: "output", node: "m" },
    { kind: "add", op: "sin", position: [0, 0], wire: { from: "m", slot: 0 } },
  );
  assert.equal(outputOf(shown), "sin_1");
});

test("an op that the palette does not have is left to Python", () => {
  const drawing = fork();
  assert.equal(predict(drawing, [{ kind: "add", op: "nobody", position: [0, 0] }], OPS), drawing);
});

test("a node put into a wire reads it with its first empty slot and stands where it was dropped", () => {
  const free = node("f", 0, 0, 2);
  free.slots = [
    { label: "a", constant: "2.0", wired: false },
    { label: "b", constant: null, wired: false },
  ];
  const before = { ...fork(), nodes: [...fork().nodes, free] };
  const shown = predict(
    before,
    [{ kind: "insert", node: "f", from: "s", to: "m", slot: 0, position: [7, 8] }],
    OPS,
  );
  assert.deepEqual(ends(shown), ["f>m.0", "s>f.1", "x>m.1", "x>s.0"]);
  assert.deepEqual([nodeOf(shown, "f").x, nodeOf(shown, "f").y], [7, 8]);
});

test("the slot to read with is the first empty one, else the first, never the alternative", () => {
  const slot = (constant, wired = false) => ({ label: "", constant, wired });
  assert.equal(readingSlot({ slots: [slot("1"), slot(null)], rule: "follow" }), 1);
  assert.equal(readingSlot({ slots: [slot("1"), slot("2")], rule: "follow" }), 0);
  assert.equal(readingSlot({ slots: [slot("1"), slot(null)], rule: "backward_as" }), 0);
  assert.equal(readingSlot({ slots: [], rule: "follow" }), -1);
});

test("a wire's end plugged in elsewhere leaves its slot empty", () => {
  const shown = after({ kind: "rewire", from: "s", oldTo: "m", oldSlot: 0, to: "m", slot: 1 });
  assert.deepEqual(ends(shown), ["s>m.1", "x>s.0"]);
  assert.deepEqual(
    nodeOf(shown, "m").slots.map(({ wired }) => wired),
    [false, true],
  );
});

test("a deleted node that read one node alone is healed over", () => {
  const shown = after({ kind: "delete", nodes: ["s"] });
  assert.deepEqual(ends(shown), ["x>m.0", "x>m.1"]);
  assert.deepEqual(shown.regions, []);
});

test("a chain of deleted nodes is healed over as one", () => {
  const before = {
    ...fork(),
    nodes: [...fork().nodes, node("e", 600)],
    wires: [...fork().wires, wire("m", "e")],
  };
  before.wires = before.wires.filter(({ to, slot }) => to !== "m" || slot === 0);
  const shown = predict(before, [{ kind: "delete", nodes: ["s", "m"] }]);
  assert.deepEqual(ends(shown), ["x>e.0"]);
});

test("where a deleted node read two, what it fed is left empty", () => {
  const before = {
    ...fork(),
    nodes: [...fork().nodes, node("e", 600)],
    wires: [...fork().wires, wire("m", "e")],
  };
  const shown = predict(before, [{ kind: "delete", nodes: ["m"] }]);
  assert.equal(nodeOf(shown, "e").slots[0].wired, false);
  assert.deepEqual(ends(shown), ["x>s.0"]);
});

test("the node that heals a deleted output is the output", () => {
  assert.equal(
    outputOf(after({ kind: "output", node: "s" }, { kind: "delete", nodes: ["s"] })),
    "x",
  );
});

test("a parameter and a random input get the names that Python gives them", () => {
  const drawing = { nodes: [{ id: "x" }, { id: "w" }] };
  assert.deepEqual(
    ["input", "random", "parameter"].map((op) => freshName(drawing, op)),
    ["y", "y", "b"],
  );
});

test("a deleted output that nothing heals is followed by what it depended on", () => {
  const shown = after({ kind: "output", node: "m" }, { kind: "delete", nodes: ["m"] });
  assert.equal(outputOf(shown), "s"); // x feeds s still, and of the two s alone feeds none
});

test("without what it depended on, the last end that is no input is the output", () => {
  const before = {
    ...fork(),
    nodes: [...fork().nodes, node("y", 0, 90, 0), node("e", 600), node("z", 0, 180, 0)],
  };
  before.wires = [...before.wires, wire("y", "e")];
  const shown = predict(before, [
    { kind: "output", node: "m" },
    { kind: "delete", nodes: ["x", "s", "m"] },
  ]);
  assert.equal(outputOf(shown), "e");
});

test("what a region saves goes with the node", () => {
  const before = {
    ...fork(),
    regions: [{ name: "r", nodes: ["s", "m"], saved: ["s"], policy: "save_only_these_names" }],
  };
  assert.deepEqual(predict(before, [{ kind: "delete", nodes: ["s"] }]).regions[0].saved, []);
});

test("a node that reads a drawn tensor is given the room of a picture, so that it covers none when it is drawn", () => {
  const op = { op: "relu", symbol: "relu", slots: ["x"], doc: "" };
  assert.deepEqual(roomOfNew(op, undefined), { w: 128, h: 80 });
  assert.deepEqual(roomOfNew(op, /** @type {any} */ ({ heat: {} })), { w: 152, h: 132 });
});
