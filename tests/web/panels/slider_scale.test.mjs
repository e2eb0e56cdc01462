import assert from "node:assert/strict";
import { test } from "node:test";
import { boxText, readTyped } from "../../../autodiff_viz/web/base/numbers.js";
import { filled, stepOf, valueAfterSteps } from "../../../autodiff_viz/web/sliders/sliders.js";

test("a thousand steps lie between the ends", () => {
  assert.equal(stepOf(-5, 5), 0.01);
});

test("a box shows what a float32 tells apart, and no more", () => {
  assert.equal(boxText(0.1 + 0.2), "0.3");
  assert.equal(boxText(1 / 3), "0.3333333");
  assert.equal(boxText(-2), "-2");
  assert.equal(boxText(1e-20), "1e-20");
});

for (const [text, value] of [
  ["2", 2],
  [" -0.5 ", -0.5],
  ["\u22123", -3],
  [".5", 0.5],
  ["1e3", 1000],
  ["+4.", 4],
]) {
  test(`${text} is read as ${value}`, () => assert.equal(readTyped(text, 1e6), value));
}

for (const text of ["", "x", "1,5", "0x10", "Infinity", "NaN", "1e9", "--1", "1 2", "1e999"]) {
  test(`"${text}" is no number here`, () => assert.equal(readTyped(text, 1e6), null));
}

test("an arrow key moves ten steps, without dust behind the point", () => {
  assert.equal(valueAfterSteps(0.2, 0.01, 1), 0.3);
  assert.equal(valueAfterSteps(0.61, 0.01, -1), 0.51);
  assert.equal(valueAfterSteps(1000, 2, 10), 1200);
  assert.equal(valueAfterSteps(1e-9, 1e-10, 1), 2e-9);
});

test("the line is coloured from zero to the value", () => {
  assert.deepEqual(filled(2.5, -5, 5), [50, 75]);
  assert.deepEqual(filled(-2.5, -5, 5), [25, 50]);
});

test("where zero is out of reach the colour begins at the end nearest to it", () => {
  assert.deepEqual(filled(2, 1, 3), [0, 50]);
  assert.deepEqual(filled(-2, -3, -1), [50, 100]);
});
