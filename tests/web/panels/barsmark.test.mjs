import assert from "node:assert/strict";
import { test } from "node:test";
import { barsAt, placeOn, rangeOf } from "../../../autodiff_viz/web/explain/cotangents.js";

const M = "\u2212";
const place = (...numbers) => ({ kind: 0, numbers });
const spans = (bars) => bars.map(({ start, end, text, against }) => [start, end, text, against]);

/** x feeds a and z: 2 and 3 arrive, 5 in all; at a 7, which does not depend on the slider. */
const rows = [
  ["cotangent x", 5, false],
  ["passed a:0", 2, true],
  ["passed z:1", 3, true],
  ["cotangent a", 7, false],
];

test("parts stand end to end under their sum, and what the table has not stays Python's", () => {
  const bars = barsAt(
    rows,
    new Map([
      ["passed a:0", place(-1)],
      ["passed z:1", place(4)],
      ["cotangent x", place(3)],
    ]),
  );
  assert.deepEqual(spans(bars), [
    [0, 3, "3", false],
    [0, -1, `${M}1`, true],
    [-1, 3, "+4", false],
    [0, 7, null, false],
  ]);
});

test("of arrays the sum follows by its norm, and the lengths of its parts are known later", () => {
  const bars = barsAt(
    rows,
    new Map([
      ["passed a:0", { kind: -1, numbers: [9, 1] }],
      ["cotangent x", { kind: 2, numbers: [3, -4] }],
    ]),
  );
  assert.deepEqual(spans(bars).slice(0, 3), [
    [0, 5, "5", false],
    [0, 0, "\u2026", false],
    [0, 3, null, false],
  ]);
});

test("while a pass is played what it has not computed has neither bar nor number", () => {
  const bars = barsAt(rows, new Map(), (place) => ["cotangent a", "passed a:0"].includes(place));
  assert.deepEqual(spans(bars), [
    [0, 0, "\u2013", false],
    [0, 2, null, false],
    [2, 2, "\u2013", false],
    [0, 7, null, false],
  ]);
});

test("NaN and infinity have no bar, and are written", () => {
  const bars = barsAt([["cotangent x", 1, false]], new Map([["cotangent x", place(Infinity)]]));
  assert.deepEqual(spans(bars), [[0, 0, "\u221e", false]]);
});

test("several wires together are known later", () => {
  assert.equal(barsAt([["", 4, true]], new Map())[0].text, "\u2026");
});

test("on a logarithmic axis sizes have the places of Python's scale", () => {
  assert.equal(placeOn(-99, 1), -2); // log10(1 + 99)
  assert.equal(placeOn(0.5, 0), 0.5);
});

test("a row knows the number that Python has written, by which its text is found", () => {
  const own = (number, part) => barsAt([["cotangent x", number, part]], new Map())[0].own;
  assert.deepEqual([own(0.65432, false), own(-0.000012, true)], ["0.6543", `${M}1.2e${M}5`]);
  assert.deepEqual([own(3, true), own("inf", true), own("nan", false)], ["+3", "+\u221e", "NaN"]);
});

test("an axis is longer where a bar would not end within it, and else as it is", () => {
  const bar = (start, end) => ({ start, end, part: false, against: false, text: null });
  assert.deepEqual(rangeOf([bar(0, 1), bar(0, 3)], 0, [0, 4]), [0, 4]);
  assert.deepEqual(rangeOf([bar(0, -10), bar(0, 40)], 0, [0, 45]), [-13, 45]); // 6 % of 50 beyond
  assert.deepEqual(rangeOf([bar(0, 99), bar(0, 9)], 1, [0, 1]), [0, 2.12]);
});
