import assert from "node:assert/strict";
import { test } from "node:test";
import { wireRows } from "../../../autodiff_viz/web/canvas/popovers/wire.js";

const M = "\u2212";
const node = (id, value, cotangent, more = {}) => ({
  id,
  value,
  cotangent,
  connected: true,
  isOutput: false,
  ...more,
});
const wire = (from, to, slot, passed, more = {}) => ({
  from,
  to,
  slot,
  passed,
  number: isNaN(Number(passed)) ? undefined : place(Number(passed)),
  width: 1,
  sign: 1,
  via: [],
  ...more,
});
const place = (...numbers) => ({ kind: 0, numbers });
const terms = (local, arriving, passed) => [
  [place(local), "", "local a:0"],
  [" \u00d7 ", ""],
  [place(arriving), "cotangent", "cotangent a"],
  [" = ", ""],
  [place(passed), "cotangent", "passed a:0"],
];

/** z = a * x with a = square(x), at x = 3: 2x times x into a, and x squared into z. */
const graph = {
  nodes: [node("x", "3", "27"), node("a", "9", "3"), node("z", "27", "1", { isOutput: true })],
  wires: [wire("x", "a", 0, "18"), wire("a", "z", 0, "3"), wire("x", "z", 1, "9")],
  node: { name: "a", wires: [{ to: "x", slot: 0, terms: terms(6, 3, 18) }] },
};

/** The same at x = -2: value 4, arriving -2, 2x = -4, so 8 back by a and 4 by z: 12 in all. */
const atMinusTwo = new Map(
  Object.entries({
    "value x": place(-2),
    "value a": place(4),
    "value z": place(-8),
    "cotangent x": place(12),
    "cotangent a": place(-2),
    "passed a:0": place(8),
    "passed z:0": place(-2),
    "passed z:1": place(4),
    "local a:0": place(-4),
    "local z:0": place(-2),
    "local z:1": place(4),
  }),
);

const said = (...about) => Object.fromEntries(wireRows(...about));

test("a wire's numbers are Python's own while no slider is held", () => {
  assert.deepEqual(said(graph, graph.wires[0], null), {
    Forward: "3",
    "Arrives at a": "3",
    "Local \u00d7 arriving": "6 \u00d7 3 = 18",
    "Share at x": "18 of 27, 67 % of the sum of 2 wires",
  });
});

test("while a pass is played a wire has no number that is not computed yet", () => {
  const later = "not computed yet";
  assert.deepEqual(
    said(graph, graph.wires[0], null, (place) => ["value x", "cotangent a"].includes(place)),
    {
      Forward: "3",
      "Arrives at a": "3",
      "Local \u00d7 arriving": later,
      "Share at x": later,
    },
  );
});

test("all of a wire's numbers are those of a dragged slider's position", () => {
  assert.deepEqual(said(graph, graph.wires[0], atMinusTwo), {
    Forward: `${M}2`,
    "Arrives at a": `${M}2`,
    "Local \u00d7 arriving": `(${M}4) \u00d7 (${M}2) = 8`,
    "Share at x": "8 of 12, 67 % of the sum of 2 wires",
  });
  assert.deepEqual(said(graph, graph.wires[2], atMinusTwo), {
    // Python has told of another node
    Forward: `${M}2`,
    "Arrives at z": "1",
    "Passed back": "4",
    "Share at x": "4 of 12, 33 % of the sum of 2 wires",
  });
});

test("what does not depend on the slider stays", () => {
  const still = said(graph, graph.wires[1], new Map([["value x", place(-2)]]));
  assert.deepEqual(still, { Forward: "9", "Arrives at z": "1", "Passed back": "3" });
});

test("in forward mode the tangent that is passed on follows, and what is passed back beside it", () => {
  const [first] = graph.wires;
  const moving = {
    ...graph,
    wires: [
      { ...first, passed: "6", number: place(6), reverse: { passed: "18", number: place(18) } },
    ],
  };
  const found = said(
    { ...moving, node: undefined },
    moving.wires[0],
    new Map([...atMinusTwo, ["pushed a:0", place(-4)]]),
  );
  assert.deepEqual(found, {
    Forward: `${M}2`,
    "Passed on": `${M}4`,
    "Arrives at a": `${M}2`,
    "Passed back": "8",
  });
});

test("of a tensor the norm is written, and a short vector in full", () => {
  const tensors = {
    nodes: [node("x", "\u20165\u2016", "[1, 2]", { shape: "[2, 3]" }), node("a", "9", "[1, 2]")],
    wires: [wire("x", "a", 0, "\u20164\u2016")],
  };
  const at = new Map([
    ["value x", { kind: -1, numbers: [2.5, 1] }],
    ["cotangent a", { kind: 2, numbers: [0.5, -3] }],
    ["passed a:0", { kind: -1, numbers: [0.125, 2] }],
  ]);
  assert.deepEqual(said(tensors, tensors.wires[0], at), {
    Forward: "[2, 3] \u20162.5\u2016",
    "Arrives at a": `[0.5, ${M}3]`,
    "Passed back": "\u20160.125\u2016",
  });
});

test("at a group's card a wire has the numbers of the nodes at its ends; the sum of several wires is Python's alone", () => {
  const [first, , last] = graph.wires;
  const one = { ...first, to: "group:g", of: [first] };
  assert.deepEqual(said(graph, one, atMinusTwo), {
    Forward: `${M}2`,
    "Arrives at a": `${M}2`,
    "Passed back": "8",
    "Share at x": "8 of 12, 67 % of the sum of 2 wires",
  });
  const both = { ...first, to: "group:g", of: [first, last], passed: "27", number: place(27) };
  assert.deepEqual(said(graph, both, null), {
    Forward: "3",
    "Passed back": "27",
    "Share at x": "27 of 27, 100 % of the sum of 2 wires",
  });
  assert.deepEqual(said(graph, both, atMinusTwo), {
    Forward: `${M}2`,
    "Passed back": "follows when you let go",
  });
});
