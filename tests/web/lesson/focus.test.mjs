// Test which places of a lesson keep the focus of a button that is drawn anew.

import assert from "node:assert/strict";
import { test } from "node:test";

import { placeOf } from "../../../autodiff_viz/web/lesson/focus.js";

const inside = (...classes) =>
  classes.reduceRight((parentElement, className) => ({ className, parentElement }), null);

test("the button of what comes next, and that of an exercise, have a place", () => {
  assert.equal(
    placeOf(inside("button", "st-key-go_on", "x st-key-part_onward y")),
    ".st-key-part_onward",
  );
  assert.equal(
    placeOf(inside("button", "a st-key-try_text_two-knobs_1 b", "st-key-part_tries")),
    ".st-key-try_text_two-knobs_1",
  );
});

test("anything else has none", () => {
  assert.equal(placeOf(inside("button", "st-key-close_lesson", "st-key-lesson")), null);
  assert.equal(placeOf(null), null);
});
