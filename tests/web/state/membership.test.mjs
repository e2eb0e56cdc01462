import assert from "node:assert/strict";
import test from "node:test";
import {
  membershipAt,
  leavingPath,
  describeMoves,
  withMoves,
} from "../../../autodiff_viz/web/canvas/state/membership.js";
import { overlappingOutsiders } from "../../../autodiff_viz/web/canvas/state/geometry.js";
import { node, wire } from "../drawings.mjs";

const square = (x, y, side) => [
  [x, y],
  [x + side, y],
  [x + side, y + side],
  [x, y + side],
];
const region = (name, nodes, depth = 0) => ({ name, nodes, depth, policy: "nothing_saveable" });

/** a feeds b feeds c; the region r holds a. Cards are 100 x 60. */
const chain = (regions) => ({
  rev: 1,
  ack: 0,
  key: "k",
  selected: null,
  history: {},
  notice: [],
  nodes: [node("a", 0, 0), node("b", 300, 0), node("c", 600, 0)],
  wires: [wire("a", "b"), wire("b", "c")],
  regions,
});
const at = (drawing, shapes, positions) =>
  membershipAt(drawing, Object.keys(positions), shapes)(positions);

test("a node whose middle is inside the outline joins", () => {
  const drawing = chain([region("r", ["a"])]);
  const shapes = [{ region: drawing.regions[0], corners: square(-20, -20, 200) }];
  assert.deepEqual(at(drawing, shapes, { b: [100, 100] }), { join: { r: ["b"] }, leave: {} });
  assert.equal(at(drawing, shapes, { b: [140, 100] }), null); // its middle, 190, is outside
});

test("a node leaves when it is clear of the outline, not before", () => {
  const drawing = chain([region("r", ["a", "b"])]);
  const shapes = [{ region: drawing.regions[0], corners: square(-20, -20, 440) }];
  assert.equal(at(drawing, shapes, { b: [400, 0] }), null);
  assert.deepEqual(at(drawing, shapes, { b: [430, 0] }), { join: {}, leave: { r: ["b"] } });
});

test("a region that is dragged as a whole is left by nobody", () => {
  const drawing = chain([region("r", ["a", "b"])]);
  const shapes = [{ region: drawing.regions[0], corners: square(-20, -20, 440) }];
  assert.equal(at(drawing, shapes, { a: [2000, 0], b: [2300, 0] }), null);
});

test("joining an inner region is joining the outer one; leaving the outer one is leaving the inner one", () => {
  const [outer, inner] = [region("outer", ["a", "b"]), region("inner", ["a"], 1)];
  const drawing = chain([outer, inner]);
  const into = [{ region: inner, corners: square(-20, -20, 200) }];
  assert.deepEqual(at(drawing, into, { c: [0, 0] }).join, { outer: ["c"], inner: ["c"] });
  const out = [{ region: outer, corners: square(-20, -20, 400) }];
  assert.deepEqual(at(drawing, out, { a: [1000, 0] }).leave, { outer: ["a"], inner: ["a"] });
});

test("a path out and back in is found, and named before the drop", () => {
  const drawing = chain([region("r", ["a"])]);
  assert.deepEqual(leavingPath(drawing.wires, ["a", "c"]), ["a", "b", "c"]);
  assert.deepEqual(leavingPath(drawing.wires, ["a", "b"]), []);
  const moves = { join: { r: ["c"] }, leave: {} };
  const shown = withMoves(drawing, moves);
  assert.deepEqual(shown.regions[0].nodes, ["a", "c"]);
  assert.equal(describeMoves(shown, moves), "Not possible here: r needs b inside it too");
});

test("what a drop would do is said in words", () => {
  const drawing = chain([region("r", ["a"])]);
  const moves = { join: { r: ["b"] }, leave: {} };
  assert.equal(describeMoves(withMoves(drawing, moves), moves), "Drop to put b into r");
});

test("regions that share nodes without one holding the other are told", () => {
  const drawing = chain([region("r", ["a", "b"]), region("q", ["c"])]);
  const shown = withMoves(drawing, { join: { q: ["b"] }, leave: {} });
  assert.equal(shown.regions[1].fault, "shares nodes with r");
});

test("a node that stands on an outline without being held is cut out of it, one beside it is not", () => {
  const on = { x: 150, y: 50, w: 100, h: 60 };
  assert.deepEqual(
    overlappingOutsiders(square(0, 0, 200), [on, { x: 400, y: 0, w: 100, h: 60 }], 5),
    [{ x: 145, y: 45, w: 110, h: 70 }],
  );
});

test("a region that its last node leaves is gone", () => {
  const drawing = chain([region("r", ["a"]), region("q", ["c"])]);
  assert.deepEqual(
    withMoves(drawing, { join: {}, leave: { r: ["a"] } }).regions.map(({ name }) => name),
    ["q"],
  );
});
