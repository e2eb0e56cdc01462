import assert from "node:assert/strict";
import test from "node:test";
import {
  caretAfter,
  change,
  commented,
  indented,
  newLine,
  offsetOf,
  outdented,
  placeOf,
  unitOf,
} from "../../../autodiff_viz/web/formula/caret.js";

/** "a|b|c" is the text abc with b selected; "a|bc" has the caret alone. */
function typing(marked) {
  const [before, middle, after] = marked.split("|");
  if (after === undefined)
    return { text: before + middle, start: before.length, end: before.length };
  return {
    text: before + middle + after,
    start: before.length,
    end: before.length + middle.length,
  };
}
function shown({ text, start, end }) {
  const caret = start === end ? "|" : `|${text.slice(start, end)}|`;
  return text.slice(0, start) + caret + text.slice(end);
}
const applied = ({ text }, { start, end, insert }) =>
  text.slice(0, start) + insert + text.slice(end);
const entered = (marked) => applied(typing(marked), newLine(typing(marked)));

test("a place and its offset belong together", () => {
  const text = "ab\n\ncde";
  for (let offset = 0; offset <= text.length; offset++) {
    const { line, unit } = placeOf(text, offset);
    assert.equal(offsetOf(text.split("\n"), line, unit), offset);
  }
});

test("columns count characters, and an emoji is two units", () => {
  assert.equal(unitOf("# 🙂 x", 4), 5);
  assert.equal(unitOf("abc", 9), 3);
});

test("a change is the least stretch that differs", () => {
  assert.deepEqual(change("x = 1.0\ny", "x = 12.0\ny"), { start: 5, end: 5, insert: "2" });
  assert.deepEqual(change("aa", "a"), { start: 1, end: 2, insert: "" });
  assert.deepEqual(change("same", "same"), { start: 4, end: 4, insert: "" });
});

test("applying the change from one text to another gives the other", () => {
  const texts = ["", "a", "ab\ncd", "ab\nxx\ncd", "cd", "aab"];
  for (const before of texts)
    for (const after of texts)
      assert.equal(applied({ text: before }, change(before, after)), after);
});

test("a caret before a change stays, one behind it moves along", () => {
  const longer = change("x = 1.0\ny", "x = 12.5.0\ny");
  assert.deepEqual(
    [0, 5, 9].map((offset) => caretAfter(offset, longer)),
    [0, 5, 12],
  );
});

test("Enter keeps the indentation and goes deeper after a colon", () => {
  assert.equal(entered("    a = 1|"), "    a = 1\n    ");
  assert.equal(entered('with checkpoint("r"):|'), 'with checkpoint("r"):\n    ');
  assert.equal(entered("a|bc|d"), "a\nd");
});

test("Tab puts four spaces in place of what is selected in a line", () => {
  assert.equal(shown(indented(typing("a|b|c"))), "a    |c");
});

test("Tab with several lines selected indents them and keeps them selected", () => {
  assert.equal(shown(indented(typing("a\n|b\n\nc|"))), "a\n    |b\n\n    c|");
});

test("Ctrl+/ makes a comment of the line and takes it back, the caret staying by its letter", () => {
  assert.equal(shown(commented(typing("    a = |1"))), "    # a = |1");
  assert.equal(shown(commented(typing("    # a = |1"))), "    a = |1");
});

test("lines of several depths are commented at the least depth", () => {
  assert.equal(commented(typing("|  a\n\n    b|")).text, "  # a\n\n  #   b");
});

test("lines of which some are comments all become comments", () => {
  assert.equal(commented(typing("|# a\nb|")).text, "# # a\n# b");
});

test("a selection that ends where a line begins leaves that line alone", () => {
  assert.equal(commented(typing("|a\n|b")).text, "# a\nb");
});

test("an empty line stays empty", () => {
  assert.equal(shown(commented(typing("a\n|\nb"))), "a\n|\nb");
});

test("Backspace in an indentation takes one level of it, and elsewhere one letter", () => {
  const after = (marked) => {
    const change = outdented(typing(marked));
    return change && applied(typing(marked), change);
  };
  assert.equal(after("for i:\n    |"), "for i:\n");
  assert.equal(after("for i:\n        |x"), "for i:\n    x");
  assert.equal(after("for i:\n      |"), "for i:\n    ");
  assert.equal(after("for i:\n  |"), "for i:\n");
  assert.equal(after("a = b    |"), null);
  assert.equal(after("a\n|    b"), null);
  assert.equal(after("a\n|    |b"), null);
});
