import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf } from "../../../autodiff_viz/web/explain/lints.js";

const [now, later] = [
  { says: "", name: "a" },
  { says: "", name: "b", later: true },
];

test("the button counts the hints that matter now", () => {
  assert.equal(countOf([now, later]), "1 hint");
  assert.equal(countOf([now, now]), "2 hints");
  assert.equal(countOf([later]), "Hints");
});
