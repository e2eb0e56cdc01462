import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleAfter } from "../../../autodiff_viz/web/inspector/fields.js";
import { hintFor } from "../../../autodiff_viz/web/inspector/panel.js";

const first = (names) => hintFor(names).split(" are selected")[0];

test("without a selection the panel says what to select, and with several nodes which they are", () => {
  assert.match(hintFor([]), /^Select a node to see its derivative/);
  assert.match(
    hintFor(["a", "b"]),
    /^a and b are selected\. Select one of them to see its derivative/,
  );
});

test("of many nodes some are named", () => {
  assert.equal(first(["a", "b", "c", "d"]), "a, b, c and d");
  assert.equal(first(["a", "b", "c", "d", "e", "f"]), "a, b, c and 3 more");
});

test("a rule that is on is taken off by its own button, and any other takes its place", () => {
  assert.equal(ruleAfter("stop", "stop"), "follow");
  assert.equal(ruleAfter("stop", "follow"), "stop");
  assert.equal(ruleAfter("scale", "stop"), "scale");
  assert.equal(ruleAfter("follow", "follow"), "follow");
});
