import { test } from "node:test";
import assert from "node:assert/strict";
import {
  computedSoFar,
  followed,
  inFull,
  lineText,
} from "../../../autodiff_viz/web/inspector/follow.js";
import { shortText } from "../../../autodiff_viz/web/base/numbers.js";

const M = "\u2212";
const place = (...numbers) => ({ kind: 0, numbers });
const exactly = (number) => ({ ...place(number), exact: [number] });
const norm = (number, dims) => ({ kind: -1, numbers: [number, 1], dims });
const line = (terms) => lineText(terms);
const sum = (terms) => lineText(terms, true);

/** b = a * y, with a rule that changes what arrives. */
const data = {
  name: "b",
  kind: "rewrite",
  kinds: [],
  value: exactly(0.84696376),
  arriving: exactly(1),
  wires: [
    {
      to: "a",
      slot: 0,
      terms: [
        [place(1.5), "", "local b:0"],
        [" × (", ""],
        [place(1), "cotangent", "cotangent b"],
        [" → ", ""],
        [place(-1), "cotangent", "changed b"],
        [") = ", ""],
        [place(-1.5), "cotangent", "passed b:0"],
      ],
    },
    { to: "w", slot: 1, passed: norm(1.28, [2, 3]) },
  ],
  fork: [
    [place(3), "", "passed p:0"],
    [" + ", ""],
    [place(-5), "", "passed q:1"],
    [" = ", ""],
    [place(-2), "", "cotangent b"],
  ],
};

test("while a pass is played the node has the numbers that it has computed, and no others", () => {
  const at = (...known) => computedSoFar(data, (place) => known.includes(place));
  const texts = ({ value, arriving, fork, wires }) => [
    inFull(value),
    inFull(arriving),
    fork && sum(fork),
    ...wires.map(({ terms, passed }) => (terms ? line(terms) : passed ? shortText(passed) : "")),
  ];
  assert.deepEqual(texts(at()), ["", "", undefined, "", ""]);
  assert.deepEqual(texts(at("value b")), ["0.84696376", "", undefined, "", ""]);
  assert.deepEqual(texts(at("value b", "cotangent b", "passed b:1")), [
    "0.84696376",
    "1",
    `3 + (${M}5) = ${M}2`,
    "",
    "2×3 ‖1.28‖",
  ]);
});

test("numbers of the table take the places of Python's, and the others stay", () => {
  const { data: now, stale } = followed(
    data,
    new Map([
      ["value b", place(0.25)],
      ["changed b", place(4)],
      ["passed b:0", place(-6)],
    ]),
  );
  assert.equal(line(now.wires[0].terms), `1.5 × (1 → 4) = (${M}6)`);
  assert.deepEqual(
    [inFull(now.value), inFull(now.arriving), shortText(now.wires[1].passed)],
    ["0.25", "1", "2×3 ‖1.28‖"],
  );
  assert.equal(sum(now.fork), sum(data.fork));
  assert.equal(stale.size, 0);
});

test("the terms of a sum are in brackets when they are negative, and its total is not", () => {
  const { data: now } = followed(
    data,
    new Map([
      ["passed p:0", place(-3)],
      ["passed q:1", place(0.5)],
      ["cotangent b", place(-2.5)],
    ]),
  );
  assert.equal(sum(now.fork), `(${M}3) + 0.5 = ${M}2.5`);
  assert.equal(inFull(now.arriving), `${M}2.5`);
});

test("of a tensor its norm is written, with its shape; where its numbers would be needed it is said to be of before", () => {
  const [moved, arriving] = [
    norm(3.5123),
    { kind: 3, numbers: [1, 2, 4], exact: [1, 2, 4], dims: [3] },
  ];
  const { data: now, stale } = followed(
    { ...data, value: norm(2.04323, [2, 3]), arriving },
    new Map([
      ["value b", moved],
      ["cotangent b", moved],
      ["passed b:1", moved],
    ]),
  );
  assert.deepEqual(
    [inFull(now.value), inFull(now.arriving), shortText(now.wires[1].passed)],
    ["norm 3.5123", "[1, 2, 4], norm 4.58258", "2×3 ‖3.51‖"],
  );
  assert.equal(shortText({ kind: -1, numbers: [6, 1], dims: [9] }), "[9] ‖6‖"); // and not 9 times 6
  assert.deepEqual([...stale], ["arriving"]);
});

test("where JAX passes nothing, no product is written that would be NaN", () => {
  const wires = [
    {
      to: "x",
      slot: 0,
      terms: [
        [place(2), "", "local b:0"],
        [" × ", ""],
        [place(0), "cotangent", "cotangent b"],
        [" = ", ""],
        [place(0), "cotangent", "passed b:0"],
      ],
    },
  ];
  const at = (local, passed) =>
    followed(
      { ...data, wires },
      new Map([
        ["local b:0", place(local)],
        ["passed b:0", place(passed)],
      ]),
    ).data.wires[0];
  assert.equal(at(Infinity, 0).terms, undefined);
  assert.equal(line(at(Infinity, NaN).terms), "∞ × 0 = NaN");
  assert.equal(line(at(3, 0).terms), "3 × 0 = 0");
});

test("a sum that leaves out what is zero is of before once that may be something", () => {
  const added = [
    [place(1), "", "pushed b:0"],
    [" + ", ""],
    [place(2), "", "pushed b:2"],
    [" = ", ""],
    [place(3), "", "tangent b"],
  ];
  const stale = (wire) => [
    ...followed({ ...data, tangent: place(3), added }, new Map([[`pushed b:${wire}`, place(1)]]))
      .stale,
  ];
  assert.deepEqual([stale(0), stale(1)], [[], ["added"]]);
});
