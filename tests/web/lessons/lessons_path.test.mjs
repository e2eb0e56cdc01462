// Test how a path of lessons is put together, and its address, which lessons/paths.py reads.

import assert from "node:assert/strict";
import test from "node:test";

import { addressOf, chosenSays, clicked } from "../../../autodiff_viz/web/lessons_page/path.js";

test("a click adds a lesson at the end, another one takes it away", () => {
  assert.deepEqual(clicked([], "fork", 3), ["fork"]);
  assert.deepEqual(clicked(["fork"], "two-uses", 3), ["fork", "two-uses"]);
  assert.deepEqual(clicked(["fork", "two-uses"], "fork", 3), ["two-uses"]);
  assert.deepEqual(clicked(["a", "b", "c"], "d", 3), ["a", "b", "c"]); // as many as there may be
});

test("the address lists the lessons in their order, and has the title only if there is one", () => {
  assert.equal(addressOf("custom", ["two-uses", "fork"], " "), "?path=custom&of=two-uses,fork");
  const query = new URLSearchParams(addressOf("custom", ["fork"], " Week 3 & 4, \u00fcben "));
  assert.deepEqual(Object.fromEntries(query), {
    path: "custom",
    of: "fork",
    name: "Week 3 & 4, \u00fcben",
  });
});

test("it is said how to begin, how many lessons there are, and when there is no room", () => {
  assert.match(chosenSays(0, 40), /^Click lessons in the order/);
  assert.equal(chosenSays(1, 40), "1 lesson");
  assert.equal(chosenSays(3, 40), "3 lessons");
  assert.match(chosenSays(40, 40), /as many as a path takes/);
});
