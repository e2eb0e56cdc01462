// Test which exercise of a lesson is on view above the canvas.

import assert from "node:assert/strict";
import { test } from "node:test";

import { nextAfter, offerAfter, presentOf } from "../../../autodiff_viz/web/lesson/exercise.js";

const exercise = (done, parts = Number(done)) => ({
  says: "Move `x`.",
  done,
  parts,
  moves: [],
  aims: {},
});
const shown = (at, ...parts) => ({ lesson: "two-uses", at, parts });

test("the first that is not done is on view when a lesson opens", () => {
  assert.equal(presentOf([exercise(false), exercise(false)], "two-uses", null), 0);
  assert.equal(presentOf([exercise(true), exercise(false)], "two-uses", null), 1);
  assert.equal(presentOf([exercise(true), exercise(true)], "two-uses", null), -1);
  const other = { ...shown(1, 0, 0), lesson: "fork" };
  assert.equal(presentOf([exercise(false), exercise(false)], "two-uses", other), 0);
});

test("one that has just been done stays, with its tick, also while its slider moves on", () => {
  const after = [exercise(true), exercise(false)];
  assert.equal(presentOf(after, "two-uses", shown(0, 0, 0)), 0);
  assert.equal(presentOf(after, "two-uses", shown(0, 1, 0)), 0);
});

test("another one that is begun or done takes its place", () => {
  assert.equal(presentOf([exercise(true), exercise(false, 1)], "two-uses", shown(0, 1, 0)), 1);
  assert.equal(presentOf([exercise(false), exercise(true)], "two-uses", shown(0, 0, 0)), 1);
});

test("one goes on with the next that is not done, then with those before", () => {
  assert.equal(nextAfter([exercise(true), exercise(true), exercise(false)], 0), 2);
  assert.equal(nextAfter([exercise(false), exercise(true)], 1), 0);
  assert.equal(nextAfter([exercise(true), exercise(true)], 0), -1);
});

test("after the last one the next lesson is offered, or the way on from the last lesson", () => {
  const [done, open] = [exercise(true), exercise(false)];
  const followed = { after: "twins", place: "1 of 3" };
  assert.equal(offerAfter([done, open], 0, followed), "Next try");
  assert.equal(offerAfter([open, done], 1, followed), "Next try");
  assert.equal(offerAfter([done, open], 1, followed), "");
  assert.equal(offerAfter([done, done], 1, followed), "Next lesson");
  assert.equal(offerAfter([done, done], 1, { after: null, place: "3 of 3" }), "Back to the path");
  assert.equal(offerAfter([done, done], 1, { after: null, place: null }), "Go on");
});
