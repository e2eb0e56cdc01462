import assert from "node:assert/strict";
import test from "node:test";
import { axisAt, isNear, placeOf, valueAt } from "../../../autodiff_viz/web/dock/marker.js";
import { pointAt, tangentAt } from "../../../autodiff_viz/web/explain/sweep.js";
import { onGrid } from "../../../autodiff_viz/web/sliders/sliders.js";

const AXIS = { offset: 62, length: 400, range: [-2, 2] };

test("a pixel of the plot is a value of the axis, and back", () => {
  assert.equal(valueAt(AXIS, 62), -2);
  assert.equal(valueAt(AXIS, 262), 0);
  assert.equal(valueAt(AXIS, 362), 1);
  assert.equal(placeOf(AXIS, 1), 362);
  assert.equal(placeOf(AXIS, -2), 62);
});

test("beyond the ends the value stays at the end", () => {
  assert.equal(valueAt(AXIS, 0), -2);
  assert.equal(valueAt(AXIS, 4000), 2);
});

test("the marker is taken hold of within a finger's width", () => {
  assert.ok(isNear(AXIS, 1, 362) && isNear(AXIS, 1, 371) && isNear(AXIS, 1, 353));
  assert.ok(!isNear(AXIS, 1, 390) && !isNear(AXIS, 1, 300));
});

test("a value is put onto the slider's own positions, without noise in its last digits", () => {
  assert.equal(onGrid(0.1234567, -5, 5), 0.12);
  assert.equal(onGrid(99, -5, 5), 5);
  assert.equal(onGrid(-99, -5, 5), -5);
  assert.equal(onGrid(0.30000000000000004, 0, 1), 0.3);
});

test("of two panels side by side, the one under the pointer is dragged, or the nearer one", () => {
  const [left, right] = [
    { _offset: 60, _length: 150 },
    { _offset: 280, _length: 150 },
  ];
  assert.deepEqual(
    [100, 300, 230, 260, 500].map((x) => axisAt([left, right], x)),
    [left, right, left, right, right],
  );
  assert.equal(axisAt([left], 900), left);
});

test("a mark stands on a point of the curve, which has a number only at the position itself", () => {
  const curve = { x: [0, 1, 2], y: [5, 7, NaN] };
  assert.deepEqual(pointAt(curve, 1, 2), { x: 1, y: 7, exact: true });
  assert.deepEqual(pointAt(curve, 0.8, 2), { x: 1, y: 7, exact: false });
  assert.equal(pointAt(curve, 2, 2), null);
});

test("a tangent has the slope that is given and stays within its panel", () => {
  assert.deepEqual(tangentAt({ x: 1, y: 2 }, 0.5, [0, 10], [0, 10]), [
    [0, 1.5],
    [3, 3],
  ]);
  assert.deepEqual(tangentAt({ x: 5, y: 9 }, 4, [0, 10], [0, 10]), [
    [4.75, 8],
    [5.25, 10],
  ]);
  assert.deepEqual(tangentAt({ x: 9, y: 2 }, 0, [0, 10], [0, 10]), [
    [7, 2],
    [10, 2],
  ]);
});
