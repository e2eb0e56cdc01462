import assert from "node:assert/strict";
import { test } from "node:test";
import { freePlaceBeside } from "../../../autodiff_viz/web/canvas/gestures/drag.js";

const card = (x, y) => ({ x, y, w: 128, h: 80 });

test("a copy stands below its original, else right of it, where nothing is covered", () => {
  const original = card(0, 0);
  assert.deepEqual(freePlaceBeside([original], [original]), [0, 108]); // 80 and 28 between them
  assert.deepEqual(freePlaceBeside([original], [original, card(0, 108)]), [168, 0]); // 128 and 40 between them
  assert.deepEqual(freePlaceBeside([original], [original, card(0, 108), card(168, 0)]), [0, -108]);
});

test("copies of several stand beside all of them", () => {
  const both = [card(0, 0), card(200, 0)];
  assert.deepEqual(freePlaceBeside(both, both), [0, 108]);
});

test("without room, copies lie over the originals, a little aside", () => {
  assert.deepEqual(
    freePlaceBeside([card(0, 0)], [{ x: -2000, y: -2000, w: 4000, h: 4000 }]),
    [40, 40],
  );
});
