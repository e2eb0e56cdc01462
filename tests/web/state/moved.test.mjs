import assert from "node:assert/strict";
import { test } from "node:test";
import { describeNode } from "../../../autodiff_viz/web/canvas/draw/cards.js";
import { linesOf } from "../../../autodiff_viz/web/canvas/draw/screen_reader.js";
import { drawingAt, nodeAt, wireAt } from "../../../autodiff_viz/web/canvas/state/moved.js";
import { readTable, rowOf } from "../../../autodiff_viz/web/canvas/scrub.js";

const base64 = (numbers) => Buffer.from(new Float64Array(numbers).buffer).toString("base64");

/** y = softplus(x) at x = 1.0625, and at the next position, 1.2; by Python's math: log(1 + exp(x)) and its slope. */
const [AT, NEXT] = [
  [1.0625, 1.3593893706174853, 0.743172386213036, 1],
  [1.2, 1.4632824673380311, 0.7685247834990175, 1],
];
const table = readTable({
  key: "k",
  input: "x",
  count: 2,
  low: 1.0625,
  high: 1.2,
  wide: true,
  floor: 0,
  columns: [
    ["value", "x", 0],
    ["value", "y", 0],
    ["cotangent", "x", 0],
    ["passed", "y", 0, 0],
  ],
  numbers: base64([...AT.slice(0, 3), AT[2], ...NEXT.slice(0, 3), NEXT[2]]),
});
const row = rowOf(table, 1);
const node = (id, value, cotangent, more = {}) => ({
  id,
  op: "softplus",
  x: 0,
  y: 0,
  w: 128,
  h: 80,
  slots: [],
  rule: "follow",
  connected: true,
  value,
  valueFull: value,
  cotangent,
  cotangentFull: cotangent,
  dims: [],
  ...more,
});
const X = node("x", "1.062", "0.7432", { isInput: true });
const Y = node("y", "1.359", "1", { slots: [{ label: "x", wired: true, constant: null }], x: 300 });
const WIRE = { from: "x", to: "y", slot: 0, passed: "0.743", passedFull: "0.74317", via: [] };

test("a node is described with the numbers of the position", () => {
  assert.equal(describeNode(nodeAt(X, row)), "x, input, value 1.2, cotangent 0.7685");
  assert.match(describeNode(nodeAt(Y, row)), /value 1\.463, cotangent 1/);
  assert.match(nodeAt(Y, row).valueFull, /^1\.46328/);
});

test("what is said of the numbers before the move is left out, and what is said of the graph stays", () => {
  const said = { state: ["dead", "nothing passes"], warning: "NaN", problem: "no shape" };
  const words = describeNode(nodeAt({ ...X, ...said }, row));
  assert.doesNotMatch(words, /dead|nothing passes|NaN/);
  assert.match(words, /no shape/);
});

test("a node that the slider does not move is the same object, and so is a wire", () => {
  const other = node("other", "2", "3");
  assert.equal(nodeAt(other, row), other);
  const wire = { ...WIRE, to: "other" };
  assert.equal(wireAt(wire, row), wire);
});

test("a collapsed group says the numbers of its output", () => {
  const group = {
    name: "g",
    nodes: ["y"],
    outs: [],
    output: "y",
    marks: [],
  };
  const words = describeNode(nodeAt({ ...Y, id: "g", group }, row));
  assert.match(words, /value 1\.463/);
});

test("the list of nodes and wires is that of the position", () => {
  const drawing = { nodes: [X, Y], wires: [WIRE], regions: [] };
  const texts = linesOf(drawingAt(drawing, row), describeNode).flatMap(({ text, wires }) => [
    text,
    ...wires,
  ]);
  assert.match(texts.join("\n"), /passes back 0\.769/);
  assert.doesNotMatch(texts.join("\n"), /1\.062|0\.743|1\.359/);
  assert.equal(drawingAt(drawing, null), drawing);
});

test("in forward mode a wire says the tangent and what is passed back at the position", () => {
  const forward = rowOf(
    readTable({
      ...table.sent,
      flows: "pushed",
      columns: [
        ["value", "x", 0],
        ["value", "y", 0],
        ["pushed", "y", 0, 0],
        ["passed", "y", 0, 0],
      ],
    }),
    1,
  );
  const moved = wireAt({ ...WIRE, reverse: { passed: "0.743", passedFull: "0.74317" } }, forward);
  assert.equal(moved.passed, "0.769");
  assert.equal(moved.reverse.passed, "0.769");
});
