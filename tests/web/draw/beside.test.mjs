import assert from "node:assert/strict";
import test from "node:test";
import { distance, freeBeside } from "../../../autodiff_viz/web/canvas/state/beside.js";
import { overlap } from "../../../autodiff_viz/web/canvas/state/geometry.js";

const CARD = { x: 0, y: 0, w: 128, h: 80 };
const SIZE = { w: 60, h: 20 };
const ROOM = { x: -100, y: -100, w: 400, h: 400 };
const none = () => 0;

test("a guess stands below its card where that is free", () => {
  const box = freeBeside(CARD, SIZE, [CARD], none, ROOM, 3);
  assert.ok(box.y >= CARD.y + CARD.h && box.y <= CARD.y + CARD.h + SIZE.h);
  assert.ok(box.x + box.w > CARD.x && box.x < CARD.x + CARD.w);
});

test("a guess covers neither the card below nor a number beside it, and is as near as it can be", () => {
  const below = { x: -20, y: 90, w: 200, h: 80 };
  const above = { x: 10, y: -40, w: 60, h: 35 };
  const box = freeBeside(CARD, SIZE, [CARD, below, above], none, ROOM, 3);
  for (const other of [CARD, below, above]) assert.ok(!overlap(box, other));
  const right = box.x + box.w;
  assert.ok(box.x < CARD.x + CARD.w + 2 * SIZE.h && right > CARD.x - 2 * SIZE.h);
});

test("a guess stays where it is seen, and crosses a wire only if it must", () => {
  const low = { ...ROOM, h: 185 }; // there is no room below the card
  assert.ok(freeBeside(CARD, SIZE, [CARD], none, low, 3).y < 0);
  const wire = { x: 0, y: 80, w: 128, h: 30 };
  const crossing = (box) => (overlap(box, wire) ? 9 : 0);
  assert.ok(!overlap(freeBeside(CARD, SIZE, [CARD], crossing, ROOM, 3), wire));
});

test("a guess is nearer to its card than to another one, so that it is read of its own", () => {
  const below = { ...CARD, y: 107 }; // the gap has room for it, in the middle of both
  const box = freeBeside(CARD, SIZE, [CARD, below], none, ROOM, 3, [below]);
  assert.ok(distance(box, CARD) < distance(box, below));
  const crowded = { ...CARD, y: 103 };
  assert.ok(freeBeside(CARD, SIZE, [CARD, crowded], none, ROOM, 1.5, [crowded]).y < CARD.y);
});
