import assert from "node:assert/strict";
import test from "node:test";
import { pieceText } from "../../../autodiff_viz/web/canvas/state/copies.js";
import { fork, node, wire } from "../drawings.mjs";

/** x feeds s and m, s feeds m, as formulas. */
const drawing = (more = {}) => {
  const texts = { x: undefined, s: "sin(x)", m: "s * x" };
  const nodes = fork().nodes.map((n) => ({
    ...n,
    text: texts[n.id],
    literal: n.id === "x" ? "2.0" : undefined,
    isOutput: n.id === "m",
  }));
  return { ...fork(), nodes: nodes.reverse(), regions: [], ...more };
};

test("every node has a line after what it reads, and the comment says where they stand", () => {
  assert.equal(
    pieceText(drawing(), ["m", "s", "x"]).text,
    "x = 2.0\ns = sin(x)\nm = s * x\n# positions: x 0 0, s 200 0, m 400 0\n",
  );
});

test("a piece keeps the names of what it reads outside", () => {
  assert.equal(pieceText(drawing(), ["s"]).text, "s = sin(x)\n# positions: s 200 0\n");
});

test("regions wholly inside are blocks, with their policy once; others are not there", () => {
  const regions = [
    {
      name: "r",
      nodes: ["s", "m"],
      policy: "dots_saveable",
      head: 'with checkpoint("r", policy="dots_saveable"):',
      depth: 0,
    },
    { name: "q", nodes: ["s"], policy: "nothing_saveable", depth: 1 },
  ];
  assert.equal(
    pieceText(drawing({ regions }), ["x", "s", "m"]).text,
    [
      "x = 2.0",
      'with checkpoint("r", policy="dots_saveable"):',
      '    with checkpoint("q"):',
      "        s = sin(x)",
      "    m = s * x",
      "# positions: x 0 0, s 200 0, m 400 0",
      "",
    ].join("\n"),
  );
  assert.ok(!pieceText(drawing({ regions }), ["m"]).text.includes("checkpoint"));
});

test("an output that is not the last line is returned", () => {
  const twice = drawing();
  twice.nodes.push({ ...node("n", 500, 0), text: "exp(m)" });
  twice.wires.push(wire("m", "n"));
  assert.match(pieceText(twice, ["m", "n"]).text, /^m = s \* x\nn = exp\(m\)\nreturn m\n/);
});

test("a node whose line the canvas does not know is missing", () => {
  const big = drawing();
  big.nodes.find(({ id }) => id === "x").literal = undefined;
  assert.deepEqual(pieceText(big, ["x", "s"]).missing, ["x"]);
});

test("no line of positions is longer than the language reads", () => {
  const nodes = Array.from({ length: 400 }, (_, i) => ({
    ...node(`a_long_name_${i}`, i * 1000, 0, 0),
    literal: "1.0",
  }));
  const lines = pieceText(
    { ...drawing(), nodes, wires: [] },
    nodes.map(({ id }) => id),
  ).text.split("\n");
  assert.ok(lines.every((line) => line.length < 2000));
  assert.equal(lines.join(" ").match(/a_long_name_\d+ \d+ 0/g).length, 400);
});

test("a group of branches is copied as one", () => {
  const group = {
    ...drawing(),
    regions: [],
    groups: [{ name: "gate", nodes: ["x", "s"], branches: [] }],
  };
  assert.match(pieceText(group, ["x", "s"]).text, /^with branches\("gate"\):\n/);
});
