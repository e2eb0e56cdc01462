import assert from "node:assert/strict";
import test from "node:test";
import {
  withCorrection,
  lineMap,
  pieces,
  segments,
} from "../../../autodiff_viz/web/formula/mirror.js";

const mapped = (before, after) => before.map((_, line) => lineMap(before, after)(line));

test("the same lines are where they were", () => {
  assert.deepEqual(mapped(["a", "b"], ["a", "b"]), [0, 1]);
});

test("lines below a new one move down", () => {
  assert.deepEqual(mapped(["a", "b"], ["a", "new", "b"]), [0, 2]);
});

test("a line that is being changed is nowhere", () => {
  assert.deepEqual(mapped(["a", "b", "c"], ["a", "bb", "c"]), [0, -1, 2]);
});

test("of a line doubled or removed the others are found", () => {
  assert.deepEqual(mapped(["a", "a"], ["a", "a", "a"]), [0, 1]);
  assert.deepEqual(mapped(["a", "b", "c"], ["a", "c"]), [0, -1, 1]);
});

test("a place within a line is one piece", () => {
  const place = { line: 2, column: 4, endLine: 2, endColumn: 6 };
  assert.deepEqual(pieces(place, ["x", "y = ab"]), [{ line: 1, start: 4, end: 6 }]);
});

test("a place over several lines leaves their indentation out", () => {
  const place = { line: 1, column: 4, endLine: 3, endColumn: 1 };
  assert.deepEqual(pieces(place, ["y = [1,", "     2", "]"]), [
    { line: 0, start: 4, end: 7 },
    { line: 1, start: 5, end: 6 },
    { line: 2, start: 0, end: 1 },
  ]);
});

test("a place below the last line is no piece", () => {
  assert.deepEqual(pieces({ line: 4, column: 0, endLine: 4, endColumn: 1 }, ["x"]), []);
});

test("a mark at the end of a line has a space to stand under", () => {
  const [place] = pieces({ line: 1, column: 4, endLine: 1, endColumn: 5 }, ["y = "]);
  assert.deepEqual(place, { line: 0, start: 4, end: 5 });
  const cut = segments("y = ", [], [{ ...place, kind: "wrong", message: "Missing." }]);
  assert.deepEqual(cut, [
    { text: "y = ", classes: "", message: undefined },
    { text: " ", classes: "wrong", message: "Missing." },
  ]);
});

test("where a token and a mark overlap, a piece has both", () => {
  const cut = segments(
    "sin(x)",
    [{ start: 0, end: 3, kind: "op" }],
    [{ start: 2, end: 6, kind: "chosen" }],
  );
  assert.deepEqual(
    cut.map(({ text, classes }) => [text, classes]),
    [
      ["si", "op"],
      ["n", "op chosen"],
      ["(x)", "chosen"],
    ],
  );
});

test("the pieces of a line are the line", () => {
  const line = "y = sin(x) # 🙂";
  const cut = segments(
    line,
    [{ start: 4, end: 7, kind: "op" }],
    [{ start: 0, end: 9, kind: "wrong", message: "m" }],
  );
  assert.equal(cut.map(({ text }) => text).join(""), line);
  assert.deepEqual(segments("", [], []), []);
});

const correction = (line, column, endLine, endColumn, text) => ({
  label: "",
  line,
  column,
  endLine,
  endColumn,
  text,
});

test("a correction is written in place of its piece", () => {
  assert.equal(
    withCorrection("a\ny = 2x", "a\ny = 2x", correction(2, 4, 2, 6, "2 * x")),
    "a\ny = 2 * x",
  );
  assert.equal(
    withCorrection("f(x) = x", "f(x) = x", correction(1, 8, 1, 8, "\ny = f(1.0)\n")),
    "f(x) = x\ny = f(1.0)\n",
  );
});

test("a correction takes a line out, the last one too", () => {
  assert.equal(
    withCorrection("import a\nx = 1", "import a\nx = 1", correction(1, 0, 2, 0, "")),
    "x = 1",
  );
  assert.equal(
    withCorrection("x = 1\nprint(x)", "x = 1\nprint(x)", correction(2, 0, 3, 0, "")),
    "x = 1\n",
  );
});

test("columns of a correction count characters", () => {
  assert.equal(
    withCorrection("\u{1d465}² + 1", "\u{1d465}² + 1", correction(1, 0, 1, 2, "x ** 2")),
    "x ** 2 + 1",
  );
});

test("a correction follows its line, and is not applied to one that was changed", () => {
  assert.equal(
    withCorrection("new\ny = 2x", "y = 2x", correction(1, 4, 1, 6, "2 * x")),
    "new\ny = 2 * x",
  );
  assert.equal(withCorrection("y = 2xx", "y = 2x", correction(1, 4, 1, 6, "2 * x")), null);
});
