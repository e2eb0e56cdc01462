import assert from "node:assert/strict";
import test from "node:test";
import { curveOf } from "../../../autodiff_viz/web/canvas/draw/reads.js";
import { pointAt } from "../../../autodiff_viz/web/canvas/state/geometry.js";

const card = (id, x, y) => ({ id, x, y, w: 128, h: 80, slots: [] });
const points = (curve) => Array.from({ length: 201 }, (_, i) => pointAt(curve, i / 200).point);
const inside =
  ({ x, y, w, h }) =>
  ([across, down]) =>
    across > x + 2 && across < x + w - 2 && down > y + 2 && down < y + h - 2;

test("the line from what a grad node also reads runs behind no card between them, and ends where it ended", () => {
  const [from, between, to] = [card("w", 0, 100), card("y", 380, 60), card("g", 600, 0)];
  const straight = curveOf({ from, to, at: 0.5, cards: [from, to] });
  assert.ok(points(straight).some(inside(between)), "this one would");
  const around = curveOf({ from, to, at: 0.5, cards: [from, between, to] });
  assert.ok(!points(around).some(inside(between)));
  assert.deepEqual(
    [points(around)[0], points(around).at(-1)],
    [points(straight)[0], points(straight).at(-1)],
  );
});

test("it goes below the lower of two cards that stand in its way", () => {
  const [from, to] = [card("w", 0, 100), card("g", 800, 0)];
  const rows = [card("a", 200, 60), card("b", 400, 120), card("c", 600, 60)];
  const around = points(curveOf({ from, to, at: 0.5, cards: [from, ...rows, to] }));
  assert.ok(rows.every((row) => !around.some(inside(row))));
  assert.ok(around.some(([, down]) => down > 200));
});
