import assert from "node:assert/strict";
import { test } from "node:test";
import { rowAfter } from "../../../autodiff_viz/web/explain/paths.js";

test("arrow keys lead from path to path and stay in the list", () => {
  assert.equal(rowAfter("ArrowDown", 0, 3), 1);
  assert.equal(rowAfter("ArrowDown", 2, 3), 2);
  assert.equal(rowAfter("ArrowUp", 0, 3), 0);
  assert.equal(rowAfter("Home", 2, 3), 0);
  assert.equal(rowAfter("End", 0, 3), 2);
  assert.equal(rowAfter("Enter", 0, 3), null);
});
