import assert from "node:assert/strict";
import test from "node:test";
import { complete } from "../../../autodiff_viz/web/formula/complete.js";

const WORDS = ["sin", "sinh", "sign", "sigmoid", "exp", "stop_gradient", "reduce_sum"].map(
  (word) => ({ word, kind: "op", doc: "" }),
);
const offered = (marked) => {
  const caret = marked.indexOf("|");
  const found = complete(marked.replace("|", ""), caret, WORDS);
  return found && found.options.map(({ word }) => word);
};

test("two letters offer what begins so, the shortest first", () => {
  assert.deepEqual(offered("y = si|"), ["sin", "sinh", "sign", "sigmoid"]);
});

test("one letter offers nothing", () => {
  assert.equal(offered("y = s|"), null);
});

test("the stretch to replace is the word begun", () => {
  const { start, end } = complete("y = 2*sto", 9, WORDS);
  assert.deepEqual([start, end], [6, 9]);
});

test("names of the lines above are offered before ops, those below are not", () => {
  assert.deepEqual(offered("exponent = 1.0\ny = ex|\nextra = 2.0"), ["exp", "exponent"]);
  assert.deepEqual(offered("    hidden = 1.0\ny = hi|"), ["hidden"]);
});

test("a line may begin with a loop or a function, which is offered below it", () => {
  assert.deepEqual(offered("x = 1.0\nfo|"), ["for i in range("]);
  assert.deepEqual(offered("de|"), ["def block(x):"]);
  assert.deepEqual(offered("def layer(x):\n    return sin(x)\ny = la|"), ["layer", "lambda"]);
});

test("a word's later part finds it too", () => {
  assert.deepEqual(offered("y = gra|"), ["stop_gradient"]);
});

test("a word that is complete offers nothing, so that Enter is a new line", () => {
  assert.equal(offered("y = sin|"), null);
});

test("a name that is being given is the author's", () => {
  assert.equal(offered("si|"), null);
  assert.deepEqual(offered("ret|"), ["return"]);
});

test("comments, quotes, numbers and arguments of a lambda are left alone", () => {
  for (const text of [
    "y = 1 # si|",
    'with checkpoint("si|',
    "y = 2si|",
    "y = rewrite(x, lambda si|",
  ])
    assert.equal(offered(text), null, text);
});

test("the body of a lambda and what follows a quoted name are code", () => {
  assert.deepEqual(offered("y = rewrite(x, lambda v: ex|"), ["exp"]);
  assert.deepEqual(offered('f("a#", ex|'), ["exp"]);
});

test("in the middle of a word nothing is offered", () => {
  assert.equal(offered("y = si|n"), null);
});
