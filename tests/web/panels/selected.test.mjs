import assert from "node:assert/strict";
import { test } from "node:test";
import { hintFor, hintsFor } from "../../../autodiff_viz/web/inspector/panel.js";
import { ruleAfter } from "../../../autodiff_viz/web/inspector/fields.js";

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

test("an empty panel tells three things to try, and after an edit what that did", () => {
  const fresh = hintsFor([], "");
  assert.equal(fresh.title, "Three things to try");
  assert.equal(fresh.lines.length, 3);
  const after = hintsFor([], "stop on b: cotangents of x changed");
  assert.equal(after.lines[0], "stop on b: cotangents of x changed");
  assert.deepEqual(hintsFor(["a", "b"], "stop on b").lines, [hintFor(["a", "b"])]);
});

test("a rule that is on is taken off by its own button, and any other takes its place", () => {
  assert.equal(ruleAfter("stop", "stop"), "follow");
  assert.equal(ruleAfter("stop", "follow"), "stop");
  assert.equal(ruleAfter("scale", "stop"), "scale");
  assert.equal(ruleAfter("follow", "follow"), "follow");
});
