// Test which nodes a place in the text makes, and where nodes are made. The places are written by hand.

import assert from "node:assert/strict";
import test from "node:test";

import {
  indexed,
  nodesAt,
  nodesBetween,
  nodesUnder,
  placesOf,
} from "../../../autodiff_viz/web/formula/places.js";

const TEXT = `x = 1.0
b = log(x) + sin(x)  # x twice
with group("g"):
    for i in range(2):
        e = sin(b)
def f(a):
    s = exp(a)
    return s * x
y = f(b)
z = f(y) + s0
return z`;
const NAMES = ["x", "log_1", "sin_1", "b", "e_0", "e_1", "s_f_1", "y", "s_f_2", "f_1", "z"];
const PLACES = "1 2:4-10 2:13-19 2 5 5 7 8 7 8 10";
const FRAMES = [
  { name: "g", nodes: ["e_0", "e_1"] },
  { name: "for i 0", nodes: ["e_0"] },
  { name: "for i 1", nodes: ["e_1"] },
  { name: "f 1", nodes: ["s_f_1", "y"] },
  { name: "f 2", nodes: ["s_f_2", "f_1"] },
];
const INDEX = indexed({ text: TEXT, places: PLACES, heads: "3 4 4 9 10" }, NAMES, FRAMES);
const LINES = TEXT.split("\n");

/** The place just before a piece of a line. */
const before = (line, piece, from = 0) => ({
  line: line - 1,
  unit: LINES[line - 1].indexOf(piece, from),
});

test("a caret in an expression means its node, and elsewhere in the line the line's node", () => {
  assert.deepEqual(nodesAt(INDEX, before(2, "og(")), ["log_1"]);
  assert.deepEqual(nodesAt(INDEX, before(2, "x) +")), ["log_1"]);
  assert.deepEqual(nodesAt(INDEX, before(2, "in(x")), ["sin_1"]);
  assert.deepEqual(nodesAt(INDEX, before(2, "= log")), ["b"]);
  assert.deepEqual(nodesAt(INDEX, before(2, "twice")), ["b"]);
  assert.deepEqual(nodesAt(INDEX, { line: 0, unit: LINES[0].length }), ["x"]);
});

test("a line in a loop or a function means the node of every step and every call", () => {
  assert.deepEqual(nodesAt(INDEX, before(5, "sin")), ["e_0", "e_1"]);
  assert.deepEqual(nodesAt(INDEX, before(7, "exp")), ["s_f_1", "s_f_2"]);
  assert.deepEqual(nodesAt(INDEX, before(8, "* x")), ["y", "f_1"]);
});

test("the indentation belongs to the line", () => {
  assert.deepEqual(nodesAt(INDEX, { line: 6, unit: 1 }), ["s_f_1", "s_f_2"]);
  assert.deepEqual(nodesAt(INDEX, { line: 3, unit: 0 }), ["e_0", "e_1"]);
});

test("the head of a block means all in it, and a call all that it makes", () => {
  assert.deepEqual(nodesAt(INDEX, before(3, "with")), ["e_0", "e_1"]);
  assert.deepEqual(nodesAt(INDEX, before(4, "range")), ["e_0", "e_1"]);
  assert.deepEqual(nodesAt(INDEX, before(6, "def")), ["s_f_1", "s_f_2", "y", "f_1"]);
  assert.deepEqual(nodesAt(INDEX, before(9, "b)")), ["s_f_1", "y"]);
  assert.deepEqual(nodesAt(INDEX, before(10, "f(y")), ["s_f_2", "f_1"]);
  assert.deepEqual(nodesAt(INDEX, before(10, "= f")), ["z"]);
  assert.deepEqual(nodesAt(INDEX, before(11, "z")), ["z"]);
});

test("a selection over several lines means all that they make, one in a line what both its ends mean", () => {
  assert.deepEqual(nodesBetween(INDEX, before(1, "x"), before(2, "log")), [
    "x",
    "log_1",
    "sin_1",
    "b",
  ]);
  assert.deepEqual(nodesBetween(INDEX, before(1, "x"), { line: 1, unit: 0 }), ["x"]);
  assert.deepEqual(nodesBetween(INDEX, before(2, "log"), before(2, "x)")), ["log_1"]);
});

test("a pointer on a name means the node of that name, also where an expression reads it", () => {
  assert.deepEqual(nodesUnder(INDEX, before(2, "x)")), ["x"]);
  assert.deepEqual(nodesUnder(INDEX, before(5, "b)")), ["b"]);
  assert.deepEqual(nodesUnder(INDEX, before(10, "y)")), ["y"]);
  assert.deepEqual(nodesUnder(INDEX, before(2, "og(")), ["log_1"]);
});

test("a name of a loop means the nodes of all its steps, one of a function those of its calls", () => {
  assert.deepEqual(nodesUnder(INDEX, before(5, "e =")), ["e_0", "e_1"]);
  assert.deepEqual(nodesUnder(INDEX, before(8, "s *")), ["s_f_1", "s_f_2"]);
  assert.deepEqual(nodesUnder(INDEX, before(8, "x")), ["x"]);
});

test("a pointer on an argument means what the expression makes, since each call gives it another node", () => {
  const index = indexed(
    { text: "a = 1.0\ndef f(a):\n    return exp(a)\ny = f(a)", places: "1 3", heads: "4" },
    ["a", "y"],
    [{ name: "f 1", nodes: ["y"] }],
  );
  assert.deepEqual(nodesUnder(index, { line: 2, unit: 15 }), ["y"]);
  assert.deepEqual(nodesUnder(index, { line: 3, unit: 6 }), ["a"]);
});

test("words of comments, keywords and arguments of a lambda are no names of nodes", () => {
  const text = "v = 1.0\nx = 2.0\ny = scale_gradient(x, x=v)  # v\nr = rewrite(x, lambda v: v * v)";
  const index = indexed({ text, places: "1 2 3 4" }, ["v", "x", "y", "r"], []);
  assert.deepEqual(nodesUnder(index, { line: 2, unit: text.split("\n")[2].indexOf("x=") }), ["y"]);
  assert.deepEqual(nodesUnder(index, { line: 2, unit: text.split("\n")[2].indexOf("v)") }), ["v"]);
  assert.deepEqual(nodesUnder(index, { line: 2, unit: text.split("\n")[2].lastIndexOf("v") }), [
    "y",
  ]);
  assert.deepEqual(nodesUnder(index, { line: 3, unit: text.split("\n")[3].indexOf("v * v") }), [
    "r",
  ]);
  assert.deepEqual(nodesUnder(index, { line: 3, unit: text.split("\n")[3].indexOf("x,") }), ["x"]);
});

test("columns count characters, and offsets UTF-16 units", () => {
  const index = indexed(
    { text: "x = 1.0; y = 2.0 # \u{1F600}\nz = 3.0 # \u{1F600}", places: "1:0-7 1:9-16 2" },
    ["x", "y", "z"],
    [],
  );
  assert.deepEqual(nodesAt(index, { line: 0, unit: 10 }), ["y"]);
  assert.equal(placesOf(index, ["z"])[0].end, "z = 3.0 # \u{1F600}".length);
});

test("an expression over several lines has all of them", () => {
  const index = indexed(
    { text: "y = concatenate([x,\n    b * 2.0])", places: "2:4-11 1:0-2:13" },
    ["mul_1", "y"],
    [],
  );
  assert.deepEqual(nodesAt(index, { line: 1, unit: 6 }), ["mul_1"]);
  assert.deepEqual(nodesAt(index, { line: 1, unit: 12 }), ["y"]);
  assert.deepEqual(nodesAt(index, { line: 0, unit: 3 }), ["y"]);
  assert.deepEqual(
    placesOf(index, ["y"]).map(({ line, start, endLine, end }) => [line, start, endLine, end]),
    [[0, 0, 1, 13]],
  );
});

test("copies of a line have one place", () => {
  assert.deepEqual(
    placesOf(INDEX, ["e_0", "e_1", "gone"]).map(({ line }) => line),
    [4],
  );
});

test("a text without places, or with those of another drawing, means nothing", () => {
  assert.deepEqual(nodesAt(indexed({ text: "x = 1.0" }, ["x"], []), { line: 0, unit: 0 }), []);
  assert.deepEqual(
    nodesAt(indexed({ text: "x = 1.0", places: "1 1" }, ["x"], []), { line: 0, unit: 0 }),
    [],
  );
});
