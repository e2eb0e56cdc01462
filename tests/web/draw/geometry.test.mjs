import assert from "node:assert/strict";
import test from "node:test";
import {
  bounds,
  CLEAR,
  fit,
  freeSpot,
  neighbour,
  outputPoint,
  overlap,
  pathOf,
  pointAt,
  clearOf,
  viewShowing,
  viewMovedSideways,
  slotPoint,
  toScreen,
  reachOf,
  toWorld,
  wireCurve,
  withNode,
  zoomAt,
} from "../../../autodiff_viz/web/canvas/state/geometry.js";
import { node } from "../drawings.mjs";

test("slots are spread evenly down the left edge and the output is in the middle of the right one", () => {
  const add = node("add", 10, 20, 2);
  assert.deepEqual(slotPoint(add, 0), [10, 40]);
  assert.deepEqual(slotPoint(add, 1), [10, 60]);
  assert.deepEqual(outputPoint(add), [110, 50]);
});

test("a wire starts at its output, passes through its bends and ends at its slot", () => {
  const curve = wireCurve(
    [0, 0],
    [300, 90],
    [
      [100, 40],
      [200, 40],
    ],
  );
  assert.deepEqual(
    curve.map((piece) => piece[3]),
    [
      [100, 40],
      [200, 40],
      [300, 90],
    ],
  );
  assert.deepEqual(pointAt(curve, 1 / 3).point, [100, 40]);
  assert.match(pathOf(curve), /^M0 0C.* 300 90$/);
});

test("a wire leaves and enters level, even backwards", () => {
  for (const [x, y] of [
    [300, 90],
    [-200, 50],
  ]) {
    const curve = wireCurve([0, 0], [x, y]);
    assert.equal(Math.abs(pointAt(curve, 0).angle), 0);
    assert.equal(Math.abs(pointAt(curve, 1).angle), 0);
  }
});

test("a screen point and its world point are each other's inverse", () => {
  const view = { x: 13, y: -7, k: 1.7 };
  const [x, y] = toScreen(view, toWorld(view, [210, 95]));
  assert.ok(Math.abs(x - 210) < 1e-9 && Math.abs(y - 95) < 1e-9);
});

test("zooming keeps the point under the pointer where it is", () => {
  const before = { x: 40, y: 10, k: 0.8 };
  const after = zoomAt(before, 1.5, [300, 200]);
  const [x, y] = toScreen(after, toWorld(before, [300, 200]));
  assert.ok(Math.abs(x - 300) < 1e-9 && Math.abs(y - 200) < 1e-9);
});

test("zoom stops at its limits", () => {
  assert.equal(zoomAt({ x: 0, y: 0, k: 1 }, 1e9, [0, 0]).k, 3);
  assert.equal(zoomAt({ x: 0, y: 0, k: 1 }, 1e-9, [0, 0]).k, 0.08);
});

test("fitting shows the whole box, centred, and never enlarges a small graph beyond reason", () => {
  const view = fit({ x: -100, y: 50, w: 2000, h: 300 }, { w: 1000, h: 500 });
  const [left] = toScreen(view, [-100, 50]);
  const [right] = toScreen(view, [1900, 350]);
  assert.ok(left >= 0 && right <= 1000);
  assert.ok(Math.abs(left - (1000 - right)) < 1e-6);
  assert.equal(fit({ x: 0, y: 0, w: 10, h: 10 }, { w: 1000, h: 500 }).k, 1.25);
});

test("what is fitted keeps clear of the toolbars", () => {
  const view = fit({ x: 0, y: 0, w: 300, h: 2000 }, { w: 1000, h: 500 });
  assert.ok(toScreen(view, [0, 0])[1] >= CLEAR.top);
  assert.ok(toScreen(view, [0, 2000])[1] <= 500 - CLEAR.bottom);
});

test("what does not fit at the least scale is shown from its left end, the anchor in the middle", () => {
  const size = { w: 360, h: 500 };
  const view = fit({ x: 500, y: 0, w: 5000, h: 4000 }, size, {
    least: 0.6,
    anchor: { x: 500, y: 3000, w: 100, h: 80 },
  });
  assert.equal(view.k, 0.6);
  assert.equal(toScreen(view, [500, 0])[0], CLEAR.side);
  assert.equal(toScreen(view, [500, 3040])[1], (CLEAR.top + size.h - CLEAR.bottom) / 2);
});

test("a view moves sideways only as far as it must to show a box", () => {
  const view = { x: 10, y: 20, k: 0.5 };
  const size = { w: 400 };
  assert.deepEqual(viewMovedSideways(view, { x: 100, y: 0, w: 100, h: 50 }, size), view);
  const right = viewMovedSideways(view, { x: 900, y: 0, w: 100, h: 50 }, size);
  assert.equal(toScreen(right, [1000, 0])[0], size.w - CLEAR.side);
  const left = viewMovedSideways(view, { x: -200, y: 0, w: 100, h: 50 }, size);
  assert.equal(toScreen(left, [-200, 0])[0], CLEAR.side);
  assert.equal(left.y, view.y);
});

test("a view that shows all of a drawing stays centred, whichever node is selected", () => {
  const [size, side, whole] = [{ w: 390, h: 300 }, 10, { x: 0, y: 0, w: 1000, h: 200 }];
  const view = fit(whole, size, { clear: { top: 10, bottom: 10, side } });
  for (const x of [6, 430, 866])
    assert.deepEqual(withNode(view, { x, y: 60, w: 128, h: 80 }, whole, size, side), view);
  const part = { x: 10, y: 0, k: 1 };
  const moved = withNode(part, { x: 600, y: 60, w: 128, h: 80 }, whole, size, side);
  assert.ok(
    toScreen(moved, [728, 0])[0] <= size.w - side - 20,
    "with a margin where the drawing goes on",
  );
});

test("a view moves by the least amount that shows a whole box, and zooms out only where it must", () => {
  const [size, view] = [
    { w: 400, h: 400 },
    { x: 0, y: 0, k: 1 },
  ];
  const { side } = clearOf(size); // a phone's, which are small
  const inside = { x: 50, y: 100, w: 100, h: 80 };
  assert.equal(viewShowing(view, inside, size), view);
  const whole = { x: side, y: 100, w: 400 - 2 * side, h: 80 }; // what a phone's first view fits
  assert.equal(viewShowing(view, whole, size), view);
  const right = viewShowing(view, { x: 500, y: 100, w: 100, h: 80 }, size);
  assert.deepEqual(right, { x: 400 - side - 600, y: 0, k: 1 });
  const above = viewShowing(view, { x: 50, y: -90, w: 100, h: 80 }, size);
  assert.deepEqual(above, { x: 0, y: CLEAR.top + 90, k: 1 });
  const wide = { x: 0, y: 0, w: 2000, h: 80 };
  const out = viewShowing(view, wide, size);
  assert.ok(out.k < 1 && out.k * wide.w <= 400 - 2 * side + 0.001);
  assert.deepEqual(viewShowing(out, wide, size), out);
});

test("boxes overlap when they share an area, not when they only touch", () => {
  assert.ok(overlap({ x: 0, y: 0, w: 10, h: 10 }, { x: 9, y: 9, w: 5, h: 5 }));
  assert.ok(!overlap({ x: 0, y: 0, w: 10, h: 10 }, { x: 10, y: 0, w: 5, h: 5 }));
});

test("the bounds of nothing are nothing", () => {
  assert.equal(bounds([]), null);
  assert.deepEqual(bounds([node("a", 5, 5), node("b", 50, -5)]), { x: 5, y: -5, w: 145, h: 70 });
});

test("an arrow key goes to the nearest node on that side", () => {
  const [a, b, c, d] = [node("a"), node("b", 200, 10), node("c", 200, 300), node("d", -200)];
  const all = [a, b, c, d];
  assert.equal(neighbour(all, a, [1, 0]), b);
  assert.equal(neighbour(all, a, [-1, 0]), d);
  assert.equal(neighbour(all, b, [0, 1]), c);
  assert.equal(neighbour(all, d, [-1, 0]), null);
});

test("a new node gets a spot of its own", () => {
  const nodes = [node("a", 0, 0), node("b", 0, 100)];
  const [x, y] = freeSpot(nodes, [10, 10], { w: 100, h: 60 });
  assert.ok(nodes.every((other) => !overlap(other, { x, y, w: 100, h: 60 })));
  assert.deepEqual(freeSpot(nodes, [500, 10], { w: 100, h: 60 }), [500, 10]);
});

test("a wire that goes on in a row below turns beyond both ends of its line, and passes its bends", () => {
  const via = [
    [900, 40],
    [450, 200],
    [0, 300],
    [128, 300],
  ]; // along the row, back on a line, on in the next row
  const curve = wireCurve([128, 40], [192, 320], via);
  const points = Array.from({ length: 601 }, (_, i) => pointAt(curve, i / 600).point);
  const back = points.filter(([, y]) => y === 200).map(([x]) => x);
  assert.deepEqual([Math.max(...back), Math.min(...back)], [900, 0]);
  assert.ok(
    Math.max(...points.map(([x]) => x)) < 900 + 90 && Math.min(...points.map(([x]) => x)) > -90,
  );
  assert.ok(points.every(([x, y]) => y < 200 + 1e-6 || y > 300 - 1e-6 || x <= 192)); // nothing runs across the rows but beside them
});

test("from a view that shows all of a large graph, zooming out never zooms in", () => {
  const whole = fit({ x: 0, y: 0, w: 24000, h: 6000 }, { w: 800, h: 400 });
  assert.ok(whole.k < 0.04);
  assert.equal(zoomAt(whole, 0.8, [0, 0]).k, whole.k);
});

test("a wire that comes back to another row has room for its turns beside its ends", () => {
  const at = (id, x, y) => ({ id, x, y, w: 100, h: 80 });
  const nodes = [at("a", 400, 0), at("b", 0, 200), at("c", 600, 0)];
  const back = reachOf(nodes, [{ from: "a", to: "b", via: [[250, 140]] }]);
  const curve = wireCurve([500, 40], [0, 240], [[250, 140]]);
  const xs = curve.flatMap((piece) => [0.25, 0.5, 0.75].map((t) => cubicAt(piece, t)));
  const [low, high] = [
    Math.min(...back.map(({ x }) => x)),
    Math.max(...back.map(({ x, w }) => x + w)),
  ];
  assert.ok(Math.min(...xs) >= low && Math.max(...xs) <= high);
  assert.ok(Math.max(...xs) > 500 && Math.min(...xs) < 0); // it does turn beyond them
  assert.deepEqual(reachOf(nodes, [{ from: "a", to: "c", via: [] }]), []);
});

test("a wire around the cards is counted where the drawing is fitted", () => {
  const at = (id, x) => ({ id, x, y: 0, w: 100, h: 80 });
  const wires = [{ from: "a", to: "b", via: [[250, -300]] }];
  const whole = bounds([at("a", 0), at("b", 400), ...reachOf([at("a", 0), at("b", 400)], wires)]);
  assert.deepEqual([whole.y, whole.y + whole.h], [-300, 80]);
});

/** x of a cubic curve, by its definition. */
const cubicAt = ([[a], [b], [c], [d]], t) =>
  (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d;
