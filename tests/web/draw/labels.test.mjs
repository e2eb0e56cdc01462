import assert from "node:assert/strict";
import test from "node:test";
import { overlap, pointAt, wireCurve } from "../../../autodiff_viz/web/canvas/state/geometry.js";
import { labelPoint, placeLabels, USUAL } from "../../../autodiff_viz/web/canvas/draw/wires.js";

const label = (id, weight, from = [0, 0], to = [300, 0]) => ({
  id,
  weight,
  text: "0.123",
  curve: wireCurve(from, to),
});
const boxOf = ({ curve, text }, place) => {
  const [x, y] = labelPoint(curve, place, text);
  return { x: x - 18, y: y - 7, w: 36, h: 14 };
};

test("a number stands above a level wire, in the middle", () => {
  const [x, y] = labelPoint(wireCurve([0, 0], [300, 0]), USUAL, "0.5");
  assert.equal(Math.round(x), 150);
  assert.ok(y < -8);
});

test("a number steps aside when a node is in its way", () => {
  const node = { x: 120, y: -30, w: 60, h: 60 };
  const place = placeLabels([label("a", 1)], [node], []).get("a");
  assert.deepEqual(placeLabels([label("a", 1)], [], []).get("a"), USUAL);
  assert.ok(!overlap(boxOf(label("a", 1), place), node));
});

test("of two numbers in one place the larger contribution stays there", () => {
  const places = placeLabels([label("small", 0.1), label("large", 0.9)], [], []);
  assert.deepEqual(places.get("large"), USUAL);
  assert.notDeepEqual(places.get("small"), USUAL);
});

test("the numbers of two wires between the same two nodes stand apart", () => {
  const pair = [label("first", 1, [0, 0], [64, -13]), label("second", 1, [0, 0], [64, 13])];
  const places = placeLabels(
    pair,
    [
      { x: -128, y: -40, w: 128, h: 80 },
      { x: 64, y: -40, w: 128, h: 80 },
    ],
    [],
  );
  assert.equal(places.size, 2);
  const [first, second] = pair.map((one) => boxOf(one, places.get(one.id)));
  assert.ok(!overlap(first, second));
});

test("a number crosses no other wire where it has a choice", () => {
  const other = wireCurve([0, -14], [300, -14]);
  const place = placeLabels([label("a", 1)], [], [label("a", 1).curve, other]).get("a");
  assert.equal(place.side, -1);
});

test("a number without any room is left out", () => {
  assert.equal(placeLabels([label("a", 1)], [{ x: -50, y: -50, w: 500, h: 100 }], []).size, 0);
});

test("a large contribution gives way where a smaller one would otherwise lie on another wire", () => {
  const one = (/** @type {string} */ text, /** @type {number} */ down) => ({
    id: text,
    text,
    weight: Number(text),
    size: 26,
    curve: wireCurve([0, 0], [64, down]),
  });
  const wires = [one("2", -54), one("6", 54)]; // a fork at the size of a phone
  const cards = [
    { x: -160, y: -54, w: 160, h: 108 },
    { x: 64, y: -126, w: 160, h: 104 },
    { x: 64, y: 20, w: 160, h: 104 },
  ];
  const tab = { x: -11, y: -114, w: 64, h: 44 };
  const places = placeLabels(
    wires,
    [...cards, tab],
    wires.map(({ curve }) => curve),
  );
  const points = wires.flatMap(({ curve }) =>
    Array.from({ length: 21 }, (_, i) => pointAt(curve, i / 20).point),
  );
  for (const { id, curve, text, size } of wires) {
    const [x, y] = labelPoint(curve, places.get(id), text, size);
    assert.ok(
      points.every((at) => Math.hypot(at[0] - x, at[1] - y) > size),
      `${id} lies on a wire`,
    );
  }
});

test("a number stays in the room where it is seen, or is left out", () => {
  const above = placeLabels([label("a", 1)], [], []).get("a");
  const [, y] = labelPoint(label("a", 1).curve, above, label("a", 1).text);
  const below = { x: -50, y: y + 8, w: 500, h: 100 }; // the usual place is not in it
  assert.notDeepEqual(placeLabels([label("a", 1)], [], [], below).get("a"), above);
  assert.equal(placeLabels([label("a", 1)], [], [], { x: -50, y: -50, w: 500, h: 5 }).size, 0);
});
