import assert from "node:assert/strict";
import test from "node:test";
import {
  broadcasts,
  opRefuses,
  reasonAgainst,
} from "../../../autodiff_viz/web/canvas/state/shapes.js";
import { node, wire } from "../drawings.mjs";

const OPS = new Map([
  ["add", { op: "add", fits: "broadcast", slots: ["a", "b"] }],
  ["matmul", { op: "matmul", fits: "matmul", slots: ["a", "b"] }],
  ["stack", { op: "stack", fits: "any", slots: ["0", "1"] }],
]);
/** `held` feeds slot 0 of an op; a wire from `free` to slot 1 is tried. */
const tried = (op, held, free, more = {}) =>
  reasonAgainst(
    {
      nodes: [
        node("h", 0, 0, 0, { dims: held }),
        node("f", 0, 0, 0, { dims: free }),
        node("t", 0, 0, 2, { op, ...more }),
      ],
      wires: [wire("h", "t", 0)],
    },
    OPS,
    "f",
    { to: "t", slot: 1 },
  );

// From NumPy's manual on broadcasting.
for (const [a, b, may] of [
  [[], [3], true],
  [[3], [3], true],
  [[3], [4], false],
  [[8, 1, 6, 1], [7, 1, 5], true],
  [[2, 1], [8, 4, 3], false],
  [[15, 3, 5], [15, 1, 5], true],
  [[256, 256, 3], [3], true],
  [[4, 3], [4], false],
])
  test(`shapes ${JSON.stringify(a)} and ${JSON.stringify(b)} ${may ? "broadcast" : "do not broadcast"}`, () => {
    assert.equal(broadcasts(a, b), may);
    assert.equal(broadcasts(b, a), may);
    assert.equal(tried("add", a, b) === "", may);
  });

// Worked by hand: the last size of a is the last but one of b, or b's only one.
for (const [a, b, may] of [
  [[3], [3], true],
  [[2, 3], [3], true],
  [[3], [3, 4], true],
  [[2, 3], [3, 4], true],
  [[2, 3], [2, 3], false],
  [[3], [4], false],
  [[], [3], false],
  [[3], [], false],
  [[2, 2, 3], [3, 4], true],
  [[2, 2, 3], [5, 3, 4], false],
  [[2, 2, 3], [1, 3, 4], true],
])
  test(`a matrix product ${may ? "takes" : "refuses"} ${JSON.stringify(a)} and ${JSON.stringify(b)}`, () => {
    assert.equal(tried("matmul", a, b) === "", may);
  });

test("the reason names the op and both shapes", () => {
  assert.match(tried("add", [2, 3], [4]), /add.*vector of 4.*2×3/);
  assert.match(tried("matmul", [2, 3], [4, 5]), /2×3 by 4×5.*3 and 4/);
});

test("of shapes that other ops take, the browser claims nothing", () => {
  assert.equal(tried("stack", [2], [3]), "");
  assert.equal(tried("nobody", [2], [3]), "");
});

test("of an alternative, the browser claims nothing", () => {
  assert.equal(tried("add", [2], [3], { rule: "backward_as" }), "");
});

test("a node without a value has no shape that could speak against it", () => {
  const drawing = {
    nodes: [
      node("h", 0, 0, 0, { dims: [2] }),
      node("f", 0, 0, 0, { dims: [], value: "–" }),
      node("t", 0, 0, 2, { op: "matmul" }),
    ],
    wires: [wire("h", "t", 0)],
  };
  assert.equal(reasonAgainst(drawing, OPS, "f", { to: "t", slot: 1 }), "");
});

test("a number in the other slot broadcasts, and cannot be a factor of a matrix product", () => {
  const slots = [
    { label: "a", constant: "2.0", wired: false },
    { label: "b", constant: null, wired: false },
  ];
  assert.equal(tried("add", [9], [3], { slots }), "");
  assert.match(tried("matmul", [9], [3], { slots }), /scalar/);
});

test("a slot that the same wire leaves speaks no more", () => {
  const nodes = [node("f", 0, 0, 0, { dims: [2, 3] }), node("t", 0, 0, 2, { op: "matmul" })];
  const drawing = { nodes, wires: [wire("f", "t", 1)] };
  assert.match(reasonAgainst(drawing, OPS, "f", { to: "t", slot: 0 }), /inner sizes 3 and 2/); // 2×3 by itself
  assert.equal(reasonAgainst(drawing, OPS, "f", { to: "t", slot: 0 }, { to: "t", slot: 1 }), "");
});

test("an op is refused for what it cannot take first, and one without slots always", () => {
  assert.equal(opRefuses(OPS.get("add"), [3, 4]), "");
  assert.match(opRefuses(OPS.get("matmul"), []), /scalar/);
  assert.equal(opRefuses(OPS.get("matmul"), null), "");
  assert.match(opRefuses({ op: "uniform", fits: "any", slots: [] }, []), /reads nothing/);
});
