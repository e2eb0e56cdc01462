import assert from "node:assert/strict";
import test from "node:test";
import { wireCurve } from "../../autodiff_viz/ui/editor/web/geometry.js";
import { labelPoint, placeLabels } from "../../autodiff_viz/ui/editor/web/labels.js";
import { textWidth } from "../../autodiff_viz/ui/editor/web/measure.js";

const label = (id, weight, y = 0) => ({ id, weight, text: "0.123", curve: wireCurve([0, y], [300, y]) });

test("a number stands above a level wire, in the middle", () => {
  const [x, y] = labelPoint(wireCurve([0, 0], [300, 0]), 0.5, "0.5");
  assert.equal(Math.round(x), 150);
  assert.ok(y < -8);
});

test("a number steps aside when a node is in its way", () => {
  const free = placeLabels([label("a", 1)], []);
  const blocked = placeLabels([label("a", 1)], [{ x: 120, y: -30, w: 60, h: 60 }]);
  assert.equal(free.get("a"), 0.5);
  assert.notEqual(blocked.get("a"), 0.5);
});

test("of two numbers in one place the larger contribution stays there", () => {
  const places = placeLabels([label("small", 0.1), label("large", 0.9)], []);
  assert.equal(places.get("large"), 0.5);
  assert.notEqual(places.get("small"), 0.5);
});

test("a number without any room is left out", () => {
  assert.equal(placeLabels([label("a", 1)], [{ x: -50, y: -50, w: 500, h: 100 }]).size, 0);
});

test("a longer text is wider", () => {
  assert.ok(textWidth("logsumexp", 12) > textWidth("log", 12));
  assert.ok(textWidth("mmm", 12) > textWidth("iii", 12));
});
