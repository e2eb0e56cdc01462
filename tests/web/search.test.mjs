import assert from "node:assert/strict";
import test from "node:test";
import { search } from "../../autodiff_viz/ui/editor/web/search.js";

const op = (name, symbol = name, doc = "") => ({ op: name, symbol, slots: ["x"], doc });
const PALETTE = [
  { group: "Arithmetic", ops: [op("add", "+", "x plus y"), op("sub", "−")] },
  { group: "Functions", ops: [op("sigmoid", "σ"), op("sin"), op("sign"), op("cos", "cos", "cosine"), op("expm1"), op("exp")] },
];
const found = (text) => search(PALETTE, text).flatMap((group) => group.ops.map(({ op: name }) => name));

test("nothing typed shows the palette in its groups", () => {
  assert.equal(search(PALETTE, "  "), PALETTE);
});

test("si finds sin, sign and sigmoid, the shortest first", () => {
  assert.deepEqual(found("si").slice(0, 3), ["sin", "sign", "sigmoid"]);
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
