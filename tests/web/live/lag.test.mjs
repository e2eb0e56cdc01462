import assert from "node:assert/strict";
import test from "node:test";
import { lagRule, lagWords } from "../../../autodiff_viz/web/canvas/scrub.js";

test("parts of another state than the canvas are found, and no others", () => {
  assert.match(lagRule(17, {}), /:has\(\[data-at\]:not\(\[data-at="17"\]\)\)/);
});

test("while a slider is held, or an edit is on its way, every part is of another state", () => {
  for (const why of [{ held: { input: "x", from: "0.6" } }, { busy: true }]) {
    assert.match(lagRule(17, why), /:has\(\[data-at\]\)/);
  }
});

test("it says why", () => {
  assert.match(
    lagRule(1, { held: { input: "x", from: "3.62" } }),
    /"at x = 3.62, before the drag"/,
  );
  assert.match(lagRule(1, { live: true }), /--av-lag-says: "of an earlier step"/);
  assert.match(lagRule(1, {}), /--av-lag-says: none/);
});

test("what stands in place of a check says why there is none", () => {
  assert.equal(
    lagWords({ held: { input: "x", from: "3.62" } }).check,
    "Not checked while you drag.",
  );
  assert.equal(lagWords({ live: true }).check, "Checked when the training stops.");
  assert.equal(lagWords({}).check, "Checking \u2026");
});

test("a text cannot end its string", () => {
  const rule = lagRule(1, { held: { input: "x", from: '1"} body { display: none' } });
  assert.equal(
    rule.split('"').length,
    lagRule(1, { held: { input: "x", from: "1" } }).split('"').length,
  );
});

test("without a state nothing is said", () => assert.equal(lagRule(undefined, {}), ""));
