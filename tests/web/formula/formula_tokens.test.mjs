import assert from "node:assert/strict";
import test from "node:test";
import { tokens } from "../../../autodiff_viz/web/formula/mirror.js";

const KINDS = new Map([
  ["sin", "op"],
  ["exp", "op"],
  ["rewrite", "wrapper"],
  ["stop_gradient", "wrapper"],
]);
const kinds = (line) =>
  tokens(line, KINDS).map(({ start, end, kind }) => [line.slice(start, end), kind]);

test("an op that is called and a number have their kinds, a name has none", () => {
  assert.deepEqual(kinds("y1 = sin(x) * 2.5e-3"), [
    ["sin", "op"],
    ["2.5e-3", "number"],
  ]);
});

test("a node may have the name of an op", () => {
  assert.deepEqual(kinds("exp = sin"), []);
});

test("stop_gradient has a kind of its own", () => {
  assert.deepEqual(kinds("stop_gradient (x)"), [["stop_gradient", "stop"]]);
});

test("arguments of a lambda are known as far as its colon", () => {
  assert.deepEqual(kinds("rewrite(x, lambda v, w: v)"), [
    ["rewrite", "wrapper"],
    ["lambda", "lambda"],
    ["v", "argument"],
    ["w", "argument"],
  ]);
});

test("a block's head has keywords and a name in quotes", () => {
  assert.deepEqual(kinds('with checkpoint("r"):'), [
    ["with", "keyword"],
    ["checkpoint", "keyword"],
    ['"r"', "string"],
  ]);
});

test("heads of a loop and of a function have keywords", () => {
  assert.deepEqual(kinds("for i in range(4):"), [
    ["for", "keyword"],
    ["in", "keyword"],
    ["4", "number"],
  ]);
  assert.deepEqual(kinds("def block(x):"), [["def", "keyword"]]);
});

test("nothing in a comment has a colour of its own, and a hash in quotes begins none", () => {
  assert.deepEqual(kinds("x = 1 # sin(2)"), [
    ["1", "number"],
    ["# sin(2)", "comment"],
  ]);
  assert.deepEqual(kinds('"a#b" 1'), [
    ['"a#b"', "string"],
    ["1", "number"],
  ]);
});

test("unfinished text is cut all the same", () => {
  assert.deepEqual(kinds('y = sin( "r'), [
    ["sin", "op"],
    ['"r', "string"],
  ]);
  assert.deepEqual(kinds("x = ..."), []);
});
