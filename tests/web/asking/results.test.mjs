// Test what a tab keeps of the answers to the steps of a tour.

import assert from "node:assert/strict";
import { test } from "node:test";

import { block, withResult } from "../../../autodiff_viz/web/asking/results.js";

const result = (tour, at, asked = "q") => ({
  tour,
  at,
  asked,
  line: `av1 ${tour}-${at + 1}: ${asked}`,
});

test("a tour is pasted as a line for each step, in their order, whatever was answered first", () => {
  const all = [result("a", 2), result("b", 0), result("a", 0)].reduce(withResult, []);
  assert.equal(block(all, "a"), "av1 a-1: q\nav1 a-3: q");
  assert.equal(block(all, "b"), "av1 b-1: q");
  assert.equal(block(all, "c"), "");
});

test("who returns to a step and answers again keeps the first result, but not of other questions", () => {
  const first = withResult([], result("a", 0));
  assert.equal(withResult(first, { ...result("a", 0), line: "av1 better" }), first);
  const other = withResult(first, result("a", 0, "other"));
  assert.equal(block(other, "a"), "av1 a-1: other");
});
