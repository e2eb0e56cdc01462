import assert from "node:assert/strict";
import test from "node:test";
import { placeOf } from "../../../autodiff_viz/ui/web/term.js";

const tip = { w: 300, h: 60 }, page = { w: 1280, h: 720 };

test("an explanation stands below its word, above it at the foot of the page, and always in view", () => {
  assert.deepEqual(placeOf({ left: 100, top: 80, bottom: 100 }, tip, page), [100, 106]);
  assert.deepEqual(placeOf({ left: 100, top: 690, bottom: 710 }, tip, page), [100, 624]);
  assert.deepEqual(placeOf({ left: 1200, top: 80, bottom: 100 }, tip, page), [974, 106]);
  assert.deepEqual(placeOf({ left: -5, top: 10, bottom: 110 }, tip, { w: 200, h: 120 }), [6, 6]);
});
