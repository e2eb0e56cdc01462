// Test where a popover stands: not over what it is about, and over other cards only if there is no room beside them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clearSpot } from "../../../autodiff_viz/web/canvas/popovers/popover.js";

const SIZE = { w: 300, h: 150 };
const CANVAS = { w: 780, h: 480 };
const meets = ([x, y], box) =>
  x < box.x + box.w && box.x < x + SIZE.w && y < box.y + box.h && box.y < y + SIZE.h;

test("a popover stands where it is wanted if nothing is there", () => {
  assert.deepEqual(clearSpot(SIZE, CANVAS, [100, 100], [], []), [100, 100]);
});

test("a popover of the last wire covers neither of its ends nor a card in the row", () => {
  const row = [0, 1, 2, 3, 4].map((i) => ({ x: 20 + 150 * i, y: 220, w: 90, h: 50 }));
  const spot = clearSpot(SIZE, CANVAS, [690, 260], row.slice(3), row.slice(0, 3));
  assert.deepEqual(
    row.filter((card) => meets(spot, card)),
    [],
  );
});

test("where all is full, what the popover is about stays in view", () => {
  const cards = [...Array(6).keys()].flatMap((i) =>
    [...Array(7).keys()].map((j) => ({ x: 10 + 130 * i, y: 5 + 68 * j, w: 110, h: 60 })),
  );
  const own = [cards[9], cards[16]];
  const spot = clearSpot(
    SIZE,
    CANVAS,
    [200, 150],
    own,
    cards.filter((card) => !own.includes(card)),
  );
  assert.deepEqual(
    own.filter((card) => meets(spot, card)),
    [],
  );
});

test("a popover stays inside the canvas, at its edge if it is larger", () => {
  const [x, y] = clearSpot(SIZE, CANVAS, [900, 900], [], []);
  assert.ok(x + SIZE.w <= CANVAS.w && y + SIZE.h <= CANVAS.h);
  assert.deepEqual(clearSpot({ w: 500, h: 500 }, { w: 390, h: 300 }, [100, 100], [], []), [8, 8]);
});
