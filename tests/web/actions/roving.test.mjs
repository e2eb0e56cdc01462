import assert from "node:assert/strict";
import test from "node:test";
import { nextStop } from "../../../autodiff_viz/web/canvas/actions/toolbar.js";

test("arrows go along a toolbar and around its ends", () => {
  assert.equal(nextStop("ArrowRight", 0, 3), 1);
  assert.equal(nextStop("ArrowRight", 2, 3), 0);
  assert.equal(nextStop("ArrowLeft", 0, 3), 2);
  assert.equal(nextStop("Home", 2, 3), 0);
  assert.equal(nextStop("End", 0, 3), 2);
});

test("no other key is the toolbar's, and an empty one has no stops", () => {
  for (const key of ["ArrowUp", "ArrowDown", "Tab", "Enter", "a"])
    assert.equal(nextStop(key, 1, 3), null);
  assert.equal(nextStop("ArrowRight", 0, 0), null);
});
