import assert from "node:assert/strict";
import test from "node:test";
import {
  isExpression,
  filterPalette,
  search,
} from "../../../autodiff_viz/web/canvas/popovers/palette.js";

const op = (name, symbol = name, doc = "", aliases = []) => ({
  op: name,
  symbol,
  slots: ["x"],
  doc,
  aliases,
});
const PALETTE = [
  {
    group: "Arithmetic",
    ops: [
      op("add", "+", "x plus y"),
      op("sub", "−"),
      op("mul", "×", "Product, that is all", ["times", "*"]),
    ],
  },
  {
    group: "Functions",
    ops: [
      op("log", "ln", "Natural logarithm", ["ln"]),
      op("sin"),
      op("sigmoid", "σ"),
      op("sign"),
      op("cos", "cos", "cosine"),
      op("expm1"),
      op("exp"),
    ],
  },
];
const found = (text) =>
  search(PALETTE, text).flatMap((group) => group.ops.map(({ op: name }) => name));

test("nothing typed shows the palette in its groups", () => {
  assert.equal(search(PALETTE, "  "), PALETTE);
});

test("si finds sin, sigmoid and sign alone, in the order of the palette", () => {
  assert.deepEqual(found("si"), ["sin", "sigmoid", "sign"]);
});

test("other names find an op, after those whose own name begins so", () => {
  assert.deepEqual(found("ln"), ["log"]);
  assert.deepEqual(found("times"), ["mul"]);
  assert.equal(found("l")[0], "log");
  assert.deepEqual(found("s").slice(0, 4), ["sub", "sin", "sigmoid", "sign"]);
  assert.equal(found("a").indexOf("add") < found("a").indexOf("mul"), true);
});

test("a letter in the middle of a word of the description finds nothing", () => {
  assert.deepEqual(found("ogarith"), []);
});

test("the palette can be narrowed to the ops that fit, and empty groups go", () => {
  assert.deepEqual(
    filterPalette(PALETTE, ({ op: name }) => name === "exp").map(({ group }) => group),
    ["Functions"],
  );
});

test("words may be typed apart, joined or with a hyphen", () => {
  const layers = [
    {
      group: "Layers",
      ops: [
        op("max_pool"),
        op("softmax_cross_entropy_with_integer_labels", "xent"),
        op("avg_pool", "avgpool", "", ["average pool"]),
      ],
    },
  ];
  const first = (text) => search(layers, text)[0]?.ops[0].op;
  for (const text of ["max pool", "max-pool", "maxpool", "max_pool"])
    assert.equal(first(text), "max_pool");
  for (const text of ["softmax cross", "cross-entropy", "crossentropy"])
    assert.equal(first(text), "softmax_cross_entropy_with_integer_labels");
  assert.equal(first("average-pool"), "avg_pool");
  assert.equal(first("poolmax"), undefined);
});

test("the exact name comes first", () => {
  assert.equal(found("exp")[0], "exp");
});

test("a symbol finds its op", () => {
  assert.equal(found("+")[0], "add");
});

test("a word of the description finds its op, after those whose name matches", () => {
  assert.deepEqual(found("PLUS"), ["add"]);
  assert.equal(found("cosine")[0], "cos");
});

test("what no op is called finds none", () => {
  assert.deepEqual(search(PALETTE, "zzz"), []);
});

test("text with an operator between values, a call, a name of its own or a number is an expression", () => {
  for (const text of [
    "x*y",
    "x * y",
    "sin(x)",
    "q = x",
    "2.5",
    "-3",
    "-x + 1",
    "x[0]",
    "a > b",
    "x @ w",
  ])
    assert.ok(isExpression(text), text);
});

test("words and lone symbols are a search", () => {
  for (const text of [
    "",
    "sin",
    "max pool",
    "+",
    "*",
    "**",
    "@",
    "max-pool",
    "log1p",
    "conv2d",
    " ×",
  ])
    assert.ok(!isExpression(text), text);
});

test("a power is an expression", () => {
  assert.equal(isExpression("x^2"), true);
});

test("a mistyped name finds the ops that it is likely meant for, and nonsense none", () => {
  assert.deepEqual(found("sigmoidd"), ["sigmoid"]);
  assert.deepEqual(found("sigmiod"), ["sigmoid"]);
  assert.deepEqual(found("expm11"), ["expm1"]);
  assert.deepEqual(found("qqqqq"), []);
});
