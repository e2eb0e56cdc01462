// Test what a lesson says of the cause: the node's own reason, else where a NaN begins, else that it is looked for.

import assert from "node:assert/strict";
import { test } from "node:test";

import { causeOf, isSaid } from "../../../autodiff_viz/web/lesson/cause.js";

const why = { says: "A stop." };
const origin = { says: "0 times infinity." };

test("the reason of the node that is asked about comes first", () => {
  assert.equal(causeOf({ node: { name: "x", why }, check: { origin } }, "x"), why);
  assert.equal(causeOf({ node: { name: "x" }, check: { origin } }, "x"), origin);
  assert.equal(causeOf({ node: { name: "y", why }, check: {} }, "x"), true);
});

test("it is looked for as long as a worker has still to answer, and no longer", () => {
  assert.equal(causeOf({}, "x"), true);
  assert.equal(causeOf({ node: { name: "x", awaited: true } }, "x"), true);
  assert.equal(causeOf({ node: { name: "x" }, check: { state: "checking" } }, "x"), true);
  assert.equal(causeOf({ node: { name: "x" }, check: { state: "agrees" } }, "x"), null);
});

test("the reason of an answer is not looked for: it stands there until the cause comes with its cure", () => {
  const reason = "Every path from `y` to `z` meets a stop, at `b`.";
  const told = { says: "Every path from y to z meets a stop, at b." };
  assert.deepEqual(causeOf({ node: { name: "y", awaited: true } }, "y", reason), told);
  assert.deepEqual(causeOf({}, "y", reason), told);
  assert.equal(causeOf({ node: { name: "y", why } }, "y", reason), why);
  assert.equal(causeOf({ node: { name: "y", awaited: true } }, "y", ""), true);
});

test("a sentence that was said with other quotes is not said again", () => {
  const said = "Right. sqrt_1 passes NaN back to x: the slope is \u221e there.";
  assert.ok(isSaid(said, "'sqrt_1' passes NaN back to 'x': the slope is \u221e there."));
  assert.ok(!isSaid(said, "'sqrt_1' passes 0 back to 'x'."));
});
