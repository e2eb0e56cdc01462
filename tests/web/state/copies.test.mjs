import assert from "node:assert/strict";
import test from "node:test";
import { copyNames, withCopies, withPaste } from "../../../autodiff_viz/web/canvas/state/copies.js";
import { fork, node, wire } from "../drawings.mjs";

test("a copy has the next free number in place of its own", () => {
  const names = copyNames(["sin_1", "sin_2", "x"], ["sin_1", "sin_2", "x"]);
  assert.deepEqual(
    [...names],
    [
      ["sin_1", "sin_3"],
      ["sin_2", "sin_4"],
      ["x", "x_1"],
    ],
  );
});

test("copies read what the originals read, and each other", () => {
  const shown = withCopies(fork(), ["s", "m"], [10, 20]);
  assert.deepEqual(
    shown.nodes.slice(3).map(({ id, x, y }) => [id, x, y]),
    [
      ["s_1", 210, 20],
      ["m_1", 410, 20],
    ],
  );
  const wires = shown.wires.slice(3).map(({ from, to, slot }) => [from, to, slot]);
  assert.deepEqual(wires.sort(), [
    ["s_1", "m_1", 0],
    ["x", "m_1", 1],
    ["x", "s_1", 0],
  ]);
});

const LINES = {
  nodes: [node("x", 0, 0, 0, { text: "1.0" }), node("s", 200, 0, 1, { text: "sin(x)" })],
  wires: [wire("x", "s")],
  regions: [],
};

test("text copied from nodes that are there is put in around the point at once", () => {
  const shown = withPaste(LINES, {
    text: "x = 1.0\ns = sin(x)\n# positions: x 0 0, s 200 0\n",
    at: [1150, 530],
  });
  assert.deepEqual(
    shown.nodes.slice(2).map(({ id, x, y }) => [id, x, y]),
    [
      ["x_1", 1000, 500],
      ["s_1", 1200, 500],
    ],
  );
  assert.deepEqual(
    shown.wires.slice(1).map(({ from, to }) => [from, to]),
    [["x_1", "s_1"]],
  );
});

test("a paste that would cover nodes goes down or up by as little as it must, as a whole", () => {
  const low = { ...LINES, nodes: [...LINES.nodes, node("b", 210, 85, 0)] }; // just below s
  const shown = withPaste(low, {
    text: "x = 1.0\ns = sin(x)\n# positions: x 0 0, s 200 0\n",
    at: [150, 40],
  });
  assert.deepEqual(
    shown.nodes.slice(3).map(({ id, x, y }) => [id, x, y]),
    [
      ["x_1", 0, -80],
      ["s_1", 200, -80],
    ],
  );
});

test("a parameter that several nodes read is a tab among pasted ones if one of them reads it", () => {
  const w = node("w", 78, 83, 0, { text: "parameter(0.5)", isParameter: true });
  const [m, n] = [
    node("m", 200, 43, 1, { text: "sin(w)" }),
    node("n", 900, 900, 1, { text: "cos(w)" }),
  ];
  const pasted = (/** @type {any[]} */ nodes, /** @type {any[]} */ wires) =>
    withPaste(
      { nodes, wires, regions: [] },
      { text: "w = parameter(0.5)\nm = sin(w)\n# positions: w 78 83, m 200 43\n", at: [-500, 80] },
    )
      .nodes.slice(nodes.length)
      .map(({ x, y, h }) => [x, y, h]);
  const alone = pasted([w, m], [wire("w", "m")]);
  assert.equal(alone[0][2], 40);
  assert.deepEqual(pasted([w, m, n], [wire("w", "m"), wire("w", "n")]), alone);
});

test("a paste that would cover the originals steps aside", () => {
  const shown = withPaste(LINES, { text: "s = sin(x)\n# positions: s 200 0\n", at: [250, 30] });
  assert.deepEqual(
    shown.nodes.slice(2).map(({ id, x, y }) => [id, x, y]),
    [["s_1", 200, 80]],
  );
});

test("of text that is not the nodes' own, nothing is guessed", () => {
  for (const text of [
    "q = cos(x)",
    "s = cos(x)\n# positions: s 200 0",
    "x = 1.0\nq = cos(x)\n# positions: x 0 0, q 1 1",
    "no formula",
    "{}",
  ])
    assert.equal(withPaste(LINES, { text, at: [0, 0] }), LINES);
});

test("what is there stays as it is", () => {
  const drawing = fork();
  const shown = withCopies(drawing, ["m"], [0, 0]);
  assert.deepEqual(shown.nodes.slice(0, 3), drawing.nodes);
  assert.deepEqual(shown.wires.slice(0, 3), drawing.wires);
});

test("a region is copied with all that it holds, and not with a part of it", () => {
  const drawing = {
    ...fork(),
    regions: [{ name: "r", nodes: ["s", "m"], saved: ["s"], policy: "dots_saveable" }],
  };
  const copy = withCopies(drawing, ["s", "m"], [0, 0]).regions[1];
  assert.deepEqual(
    [copy.name, copy.nodes, copy.saved, copy.policy],
    ["r_1", ["s_1", "m_1"], ["s_1"], "dots_saveable"],
  );
  assert.equal(withCopies(drawing, ["s"], [0, 0]).regions.length, 1);
});

test("of text whose region is another one by now, nothing is guessed", () => {
  const text = 'with checkpoint("r"):\n    x = 1.0\ns = sin(x)\n# positions: x 0 0, s 200 0';
  const held = (nodes) => ({
    ...LINES,
    regions: [{ name: "r", nodes, policy: "nothing_saveable" }],
  });
  assert.equal(withPaste(held(["x"]), { text, at: [0, 0] }).regions.length, 2);
  for (const nodes of [["s"], ["x", "s"]])
    assert.equal(withPaste(held(nodes), { text, at: [0, 0] }).nodes.length, 2);
});
