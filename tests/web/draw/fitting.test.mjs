import assert from "node:assert/strict";
import { test } from "node:test";
import { fitting } from "../../../autodiff_viz/web/base/numbers.js";
import { textWidth } from "../../../autodiff_viz/web/base/numbers.js";
import { showsWhole, wholeView } from "../../../autodiff_viz/web/canvas/draw/stage.js";

const room = (text) => textWidth(text, 1);
const scalar = (number) => ({ kind: 0, numbers: [number] });
const tensor = (norm) => ({ kind: -1, numbers: [norm, 1], dims: [3, 2] });
const vector = (...numbers) => ({ kind: numbers.length, numbers });

test("a number with room is written as it is", () => {
  assert.equal(fitting("0.7041", scalar(0.70406), room("0.7041")), "0.7041");
});

test("with less room it has fewer digits, rounded from all its digits", () => {
  assert.equal(fitting("0.7041", scalar(0.70406), room("0.70")), "0.7");
  assert.equal(fitting("0.2450", scalar(0.24496), room("0.24")), "0.24"); // from 0.245 it would be a tie
  assert.equal(fitting("\u22120.9129", scalar(-0.9129453), room("\u22120.91")), "\u22120.91");
  assert.equal(fitting("123457", scalar(123456.7), room("1e5")), "1e5");
});

test("with hardly any room it loses its first 0, and what is small is about 0", () => {
  assert.equal(fitting("0.0612", scalar(0.06123), room(".06")), ".06");
  assert.equal(fitting("\u22120.39", scalar(-0.3912), room("\u2212.4")), "\u2212.4");
  assert.equal(fitting("0.00012", scalar(0.0001234), room("\u22480")), "\u22480");
});

test("so has the norm of a tensor", () => {
  assert.equal(
    fitting("\u20161.23\u2016", tensor(1.23456), room("\u20161.2\u2016")),
    "\u20161.2\u2016",
  );
  assert.equal(
    fitting("\u20160.0459\u2016", tensor(0.0459), room("\u20160.05\u2016")),
    "\u20160.05\u2016",
  );
});

test("a norm loses its bars before it is no number", () => {
  assert.equal(fitting("[0, 0]", vector(0, 0), room("0")), "0");
  assert.equal(fitting("[0.0123, 0.016]", vector(0.0123, 0.016), room("0.02")), "0.02");
  assert.equal(fitting("\u20167.58\u2016", tensor(7.58), room("7.6")), "7.6");
});

test("a vector has fewer digits, and then its norm", () => {
  assert.equal(
    fitting("[0.333, 0.667]", vector(0.3333, 0.6667), room("[0.33, 0.67]")),
    "[0.33, 0.67]",
  );
  assert.equal(fitting("[3, 4]", vector(3, 4), room("\u20165\u2016")), "\u20165\u2016");
});

test("what is no number is shortened", () => {
  assert.equal(fitting("hello there", undefined, room("hell\u2026")), "hell\u2026");
});

// Widths of Source Sans, semi-bold, in its units: read off the font that Streamlit brings.
const EMS = { "[": 0.324, N: 0.657, a: 0.516, ",": 0.275, " ": 0.2, "\u2026": 0.964 };
const widthInFont = (text, size) => [...text].reduce((sum, letter) => sum + EMS[letter] * size, 0);

test("a text that is cut has room for the sign that says so", () => {
  for (let room = 36; room < 72; room += 1) {
    const text = fitting("[NaN, NaN]", undefined, room / 13 / 1.06);
    if (text.endsWith("\u2026"))
      assert.ok(widthInFont(text, 13) <= room * 1.05, `${text} in ${room}`);
  }
});

test("what was answered makes no graph narrower, however long it is, and is in view", () => {
  const content = { x: 0, y: 0, w: 700, h: 100 };
  const size = { w: 390, h: 300 };
  const at = (guesses) =>
    wholeView({ content, guesses, size, reading: 1, covered: () => 0 }, { nodes: [] }, false);
  const answer = { x: -900, y: 120, w: 1500, h: 40 };
  assert.equal(at([answer]).k, at([]).k);
  const { y, k } = at([answer]);
  assert.ok(y + 160 * k <= size.h);
});

test("a view shows a graph whole only if it neither is small in it nor stands in a corner", () => {
  const content = { x: 0, y: 0, w: 300, h: 80 };
  const size = { w: 780, h: 346 };
  const stage = { content, guesses: [], size, reading: 1, covered: () => 0 };
  const whole = wholeView(stage, { nodes: [] }, false);
  const shows = (view) => showsWhole({ ...stage, view }, whole);
  assert.equal(shows(whole), true);
  assert.equal(shows({ ...whole, x: whole.x + 40, y: whole.y - 20 }), true);
  assert.equal(shows({ x: 20, y: 40, k: whole.k }), false); // at the upper left, where two nodes of many were
  assert.equal(shows({ ...whole, x: 20 }), false);
  assert.equal(shows({ x: 300, y: 150, k: whole.k / 2 }), false);
});
