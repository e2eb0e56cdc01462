import assert from "node:assert/strict";
import test from "node:test";
import { freeSpot, wireCurve } from "../../../autodiff_viz/web/canvas/state/geometry.js";
import { insertion, wireUnder } from "../../../autodiff_viz/web/canvas/gestures/insert.js";
import { wire } from "../drawings.mjs";

const strung = (from, to, a, b, via = []) => ({
  wire: wire(from, to),
  curve: wireCurve(a, b, via),
});
const LEVEL = strung("a", "b", [0, 0], [400, 0]);
const LOWER = strung("c", "d", [0, 40], [400, 40]);
const any = () => true;

test("the wire under a card is the one nearest to its middle", () => {
  assert.equal(wireUnder([LEVEL, LOWER], { x: 150, y: -45, w: 100, h: 80 }, any), LEVEL.wire);
  assert.equal(wireUnder([LEVEL, LOWER], { x: 150, y: -5, w: 100, h: 80 }, any), LOWER.wire);
});

test("a card beside every wire is on none", () => {
  assert.equal(wireUnder([LEVEL, LOWER], { x: 150, y: 60, w: 100, h: 80 }, any), null);
  assert.equal(wireUnder([], { x: 0, y: 0, w: 10, h: 10 }, any), null);
});

test("a wire that may not take the card is passed over", () => {
  assert.equal(
    wireUnder([LEVEL, LOWER], { x: 150, y: -25, w: 100, h: 80 }, ({ from }) => from === "c"),
    LOWER.wire,
  );
});

test("the bends of a wire are followed", () => {
  const bent = strung("a", "b", [0, 0], [400, 0], [[200, 300]]);
  assert.equal(wireUnder([bent], { x: 150, y: 260, w: 100, h: 80 }, any), bent.wire);
});

test("the free spot is the nearest one, above or below", () => {
  const box = { x: 0, y: 0, w: 100, h: 100 };
  assert.deepEqual(freeSpot([box], [20, 70], { w: 50, h: 50 }), [20, 121]);
  assert.deepEqual(freeSpot([box], [20, -10], { w: 50, h: 50 }), [20, -71]);
  assert.deepEqual(freeSpot([box], [300, 70], { w: 50, h: 50 }), [300, 70]);
});

test("a drag of a card that an answer has taken away puts nothing on a wire", () => {
  assert.equal(insertion(/** @type {any} */ ({}), []), null);
});
