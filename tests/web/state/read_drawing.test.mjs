import assert from "node:assert/strict";
import test from "node:test";
import { readDrawing } from "../../../autodiff_viz/web/canvas/state/read_drawing.js";

const NODE = { slots: [], connected: true };
const WIRE = { from: "x", to: "y", slot: 0, via: [] };

test("what was null is left out: a slot then has no constant, a wire no number, and nothing is selected", () => {
  const drawing = readDrawing({
    nodes: [{ ...NODE, id: "x", slots: [{ label: "a", wired: false }] }],
    wires: [WIRE],
  });
  assert.deepEqual(drawing.nodes[0].slots, [{ label: "a", constant: null, wired: false }]);
  const { passedFull, ...wire } = drawing.wires[0];
  assert.equal(passedFull, undefined);
  assert.deepEqual(wire, { ...WIRE, width: 0, sign: 0, passed: "" });
  assert.equal(drawing.selected, null);
});

test("what a message does not change stays the same object, and so is not drawn again", () => {
  const sent = { nodes: [{ ...NODE, id: "x", value: 1 }], wires: [WIRE], regions: [], groups: [] };
  for (const asking of [undefined, { items: [{ node: "x" }] }]) {
    const read = (/** @type {string | null} */ selected) =>
      readDrawing({ ...sent, asking, selected });
    const [before, after] = [read("x"), read(null)];
    for (const part of ["nodes", "wires", "regions", "groups"])
      assert.equal(after[part], before[part], part);
  }
  const [none, again] = [readDrawing({}), readDrawing({})];
  assert.equal(none.regions, again.regions);
});

test("in forward mode a card has the tangent beside its cotangent, and a wire shows what it adds to a tangent", () => {
  const {
    nodes: [node],
    wires: [wire],
  } = readDrawing({
    nodes: [{ ...NODE, id: "y", cotangent: 1.5, connected: false, tangent: 0.8 }],
    wires: [{ ...WIRE, passed: 1.24, pushed: -3 }],
  });
  assert.deepEqual(
    [node.cotangent, node.cotangentFull, node.connected, node.tangent],
    ["1.5", "1.5", false, "0.8"],
  );
  assert.deepEqual([wire.passed, wire.width, wire.sign], ["\u22123", 1, -1]);
  assert.equal(wire.reverse.passed, "1.24");
  const blocked = readDrawing({
    nodes: [
      { ...NODE, id: "y", tangent: "blocked" },
      { ...NODE, id: "z", tangent: "unknown" },
    ],
    wires: [{ ...WIRE, from: "y", to: "z", passed: 1.24, pushed: "unknown" }],
  });
  assert.deepEqual(
    blocked.nodes.map(({ tangent }) => tangent),
    ["blocked", "\u2013"],
  );
  const [unknown] = blocked.wires;
  assert.deepEqual(
    [unknown.passed, unknown.passedFull, unknown.width],
    ["", "unknown: forward mode is blocked", 0],
  ); // behind a blocked node
});

test("numbers come in the digits of their dtype, and are written from the number that they name", () => {
  const value = (dtype, number) => {
    const [{ value, valueFull }] = readDrawing({
      dtype,
      nodes: [{ ...NODE, id: "x", value: number }],
    }).nodes;
    return [value, valueFull];
  };
  assert.deepEqual(value("float32", 0.1), ["0.1", "0.1"]);
  assert.deepEqual(value("bfloat16", 0.1), ["0.1001", "0.1"]); // 205 / 2048
  assert.deepEqual(value("float16", 0.3333), ["0.3333", "0.3333"]);
  assert.deepEqual(value("float32", 16777216), ["1.68e7", "1.6777216e7"]);
  assert.deepEqual(value("float64", "nan"), ["NaN", "NaN"]);
  assert.deepEqual(value("float64", "-inf"), ["\u2212\u221e", "\u2212\u221e"]);
  assert.deepEqual(value("float64", "-0"), ["0", "0"]);
});

test("a tensor has its shape, and its norm or its numbers", () => {
  const [small, large, row] = readDrawing({
    nodes: [
      {
        ...NODE,
        id: "a",
        value: { shape: [2, 2], numbers: [3, 0, 0, 4] },
        cotangent: { numbers: [1, 1, 1, 1] },
      },
      { ...NODE, id: "b", value: { shape: [30, 2], norm: 7.5 }, cotangent: { norm: 2 } },
      { ...NODE, id: "c", value: { numbers: [1, -2, 0.5] } },
    ],
  }).nodes;
  assert.deepEqual(
    [small.value, small.valueFull, small.shape, small.cotangent],
    ["\u20165\u2016", "norm 5", "[2, 2]", "\u20162\u2016"],
  );
  assert.deepEqual(
    [large.value, large.dims, large.cotangent],
    ["\u20167.5\u2016", [30, 2], "\u20162\u2016"],
  );
  assert.deepEqual(
    [row.value, row.valueFull, row.shape, row.dims],
    ["[1, \u22122, 0.5]", "[1, \u22122, 0.5], norm 2.29129", "", [3]],
  );
});

test("a wire is as thick as its size among all wires, and thinner once another one is larger", () => {
  const wires = (...passed) =>
    readDrawing({
      wires: passed.map((number, slot) => ({ ...WIRE, slot, passed: number })),
    }).wires.map(({ width, sign }) => [width, sign]);
  assert.deepEqual(wires(1, -0.1, 0, "nan"), [
    [1, 1],
    [0.316, -1],
    [0, 0],
    [1, 2],
  ]);
  assert.deepEqual(wires(1, { norm: 100, sign: 2 }), [
    [0.1, 1],
    [1, 2],
  ]);
  assert.deepEqual(wires(4, 1, 1e-9), [
    [1, 1],
    [0.5, 1], // a quarter
    [0.05, 1], // never thinner
  ]);
  const record = { ...WIRE, passed: 1 };
  const width = (largest) =>
    readDrawing({ wires: [record, { ...record, slot: 1, passed: largest }] }).wires[0].width;
  assert.deepEqual([width(1), width(10), width(1)], [1, 0.316, 1]);
});

test("fields that came are kept", () => {
  const drawing = readDrawing({
    nodes: [{ ...NODE, id: "x", isOutput: true, slots: [{ wired: true }] }],
    selected: "x",
    history: { undo: "Move x" },
  });
  assert.equal(drawing.nodes[0].isOutput, true);
  assert.equal(drawing.nodes[0].slots[0].wired, true);
  assert.deepEqual([drawing.selected, drawing.history], ["x", { undo: "Move x" }]);
});
