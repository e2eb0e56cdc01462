import { test } from "node:test";
import assert from "node:assert/strict";
import { nearest, positionOf, readTable, rowOf } from "../../../autodiff_viz/web/canvas/scrub.js";
import { scalar, steady } from "../../../autodiff_viz/web/base/numbers.js";

const base64 = (numbers) => Buffer.from(new Float32Array(numbers).buffer).toString("base64");
const plain = (text) => text.replace(/[\u2007\u2008]+$/, "");

/** x from -1 to 1 in 3 positions; y = 2x, a vector, a tensor's norm with its sign, and a wire. */
const sent = {
  key: "k",
  input: "x",
  count: 3,
  low: -1,
  high: 1,
  wide: false,
  floor: 0,
  columns: [
    ["value", "y", 0],
    ["cotangent", "v", 2],
    ["value", "t", -1],
    ["passed", "y", 0, 0],
    ["passed", "t", 1, -1],
  ],
  numbers: base64([
    -2,
    1,
    2,
    5,
    1,
    -10,
    100,
    2,
    0,
    NaN,
    2,
    6,
    0,
    0,
    0,
    0,
    2,
    1,
    -2.5,
    Infinity,
    -1,
    1e-9,
    1,
    -1,
  ]),
};
const table = readTable(sent);

test("a value is shown at the position nearest to it, within the ends", () => {
  assert.deepEqual(
    [-9, -0.6, -0.4, 0.4, 0.6, 9].map((value) => nearest(table, value)),
    [0, 0, 1, 1, 2, 2],
  );
  assert.deepEqual(
    [0, 1, 2].map((i) => positionOf(table, i)),
    [-1, 0, 1],
  );
});

test("every kind of number is written as on a card", () => {
  const { value, cotangent } = rowOf(table, 2);
  assert.equal(plain(value.get("y")), "2");
  assert.equal(cotangent.get("v"), "[1, \u22122.5]");
  assert.equal(value.get("t"), "\u2016\u221e\u2016");
  assert.equal(rowOf(table, 1).cotangent.get("v"), "[NaN, 2]");
});

test("wires are scaled to the largest contribution at the same position", () => {
  const [a, b] = [rowOf(table, 0).passed.get("y:0"), rowOf(table, 0).passed.get("t:1")];
  assert.deepEqual([a.sign, a.width, plain(a.passed)], [-1, 0.316, "\u221210"]);
  assert.deepEqual([b.sign, b.width, b.passed], [2, 1, "\u2016100\u2016"]);
  assert.equal(rowOf(table, 2).passed.get("y:0").width, 0.05); // never thinner, however small
});

test("a wire that carries nothing has no width and no sign", () => {
  const { passed } = rowOf(table, 1);
  assert.deepEqual(passed.get("y:0"), { width: 0, sign: 0, passed: "0" });
});

test("in forward mode a row has tangents too, and wires show what they add to a tangent", () => {
  const moving = readTable({
    ...sent,
    flows: "pushed",
    count: 1,
    low: 0,
    columns: [
      ["value", "y", 0],
      ["tangent", "y", 0],
      ["cotangent", "y", 0],
      ["pushed", "y", 0, 0],
      ["pushed", "z", 1, 0],
      ["passed", "y", 0, 0],
      ["local", "y", 0, 0],
    ],
    numbers: base64([4, 0.5, -3, -0.25, 0.025, 700, 8]),
  });
  const { value, tangent, cotangent, passed } = rowOf(moving, 0);
  assert.deepEqual(
    [value, tangent, cotangent].map((found) => plain(found.get("y"))),
    ["4", "0.5", "\u22123"],
  );
  const [a, b] = [passed.get("y:0"), passed.get("z:1")];
  assert.deepEqual([a.sign, a.width, plain(a.passed)], [-1, 1, "\u22120.25"]);
  assert.deepEqual([b.sign, b.width], [1, 0.316]); // a tenth of the largest
  assert.equal(rowOf(table, 0).tangent.size, 0);
  const { numbers } = rowOf(moving, 0); // for the panel
  assert.deepEqual(
    ["tangent y", "passed y:0", "local y:0"].map((place) => numbers.get(place).numbers[0]),
    [0.5, 700, 8],
  );
});

test("a table that was too large has no positions", () => {
  assert.equal(readTable({ key: "k", input: "x", count: 0 }).count, 0);
});

test("digits keep their place: what rounding leaves out is filled with spaces of the same width", () => {
  assert.deepEqual(
    [steady(0.5646), steady(0.5), steady(3), steady(0)],
    ["0.5646", "0.5\u2007\u2007\u2007", "3\u2008\u2007\u2007\u2007", "0"],
  );
  assert.equal(steady(12345), scalar(12345));
});

test("a half is rounded to even, as Python does", () => {
  assert.deepEqual(
    [scalar(2.0625), scalar(2.1875), scalar(-1234.5)],
    ["2.062", "2.188", "\u22121234"],
  );
});
