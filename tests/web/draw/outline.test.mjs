import assert from "node:assert/strict";
import test from "node:test";
import { outlineOf, roundedPath } from "../../../autodiff_viz/web/canvas/state/geometry.js";

const box = (x, y) => ({ x, y, w: 100, h: 60 });

/** Even-odd rule, so that the test knows nothing of how the outline is made. */
function contains(corners, [x, y]) {
  let inside = false;
  corners.forEach(([x1, y1], i) => {
    const [x2, y2] = corners.at(i - 1);
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  });
  return inside;
}
const middle = ({ x, y, w, h }) => [x + w / 2, y + h / 2];

test("nodes with no stranger among them get a plain box", () => {
  assert.deepEqual(outlineOf([box(0, 0), box(200, 100)], [box(900, 0)], 10), [
    [-10, -10],
    [310, -10],
    [310, 170],
    [-10, 170],
  ]);
});

test("a node outside the region stays outside its outline", () => {
  const members = [box(0, 0), box(200, 0), box(200, 150)];
  const stranger = box(0, 150);
  const corners = outlineOf(members, [stranger], 10);
  for (const member of members) assert.ok(contains(corners, middle(member)));
  assert.ok(!contains(corners, middle(stranger)));
});

test("a region of far columns stays in one piece", () => {
  const members = [box(0, 0), box(500, 400)];
  const corners = outlineOf(members, [box(0, 400)], 10);
  assert.ok(members.every((member) => contains(corners, middle(member))));
  assert.ok(contains(corners, [300, 200]));
});

test("no nodes, no outline", () => {
  assert.deepEqual(outlineOf([], [box(0, 0)], 10), []);
  assert.equal(roundedPath([], 8), "");
});

test("corners are rounded and the path is closed", () => {
  assert.equal(
    roundedPath(
      [
        [0, 0],
        [100, 0],
        [100, 100],
      ],
      10,
    ).match(/Q/g).length,
    3,
  );
  assert.match(
    roundedPath(
      [
        [0, 0],
        [100, 0],
        [100, 100],
      ],
      10,
    ),
    /Z$/,
  );
});
