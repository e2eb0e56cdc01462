import assert from "node:assert/strict";
import { test } from "node:test";
import { boxText, readTyped } from "../../../autodiff_viz/web/base/numbers.js";
import {
  filled,
  roundest,
  stepOf,
  valueAfterSteps,
} from "../../../autodiff_viz/web/sliders/sliders.js";

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

test("a pixel has the roundest of its numbers, so that a finger can reach it", () => {
  for (const [value, room, round] of [
    [0.02, 0.021, 0],
    [-0.02, 0.021, 0],
    [2.483, 0.02, 2.5],
    [-1.017, 0.02, -1],
    [1.234, 0.02, 1.25],
    [1.234, 0.005, 1.23],
    [87.3, 0.4, 87],
    [0.000123, 0.000004, 0.00012],
    [4.9, 0.5, 5],
    [-40, 1, -40],
  ])
    assert.equal(roundest(value, room), round);
  assert.ok(Object.is(roundest(-0.001, 0.01), 0));
});

test("the number that an exercise asks for comes before a rounder one, within the same pixel", () => {
  assert.equal(roundest(1.22, 0.021, 1.21), 1.21);
  assert.equal(roundest(0.01, 0.021, -0.001), -0.001);
  assert.equal(roundest(1.25, 0.021, 1.21), 1.25);
});
