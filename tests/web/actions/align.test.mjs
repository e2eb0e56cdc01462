import assert from "node:assert/strict";
import test from "node:test";
import { aligned, ALIGNMENTS } from "../../../autodiff_viz/web/canvas/actions/arrange.js";

const box = (id, x, y, w = 100, h = 60) => ({ id, x, y, w, h });
const three = [box("a", 0, 0), box("b", 300, 50, 50, 20), box("c", 120, 200, 100, 100)];

test("each way lines up the sides that it names", () => {
  assert.deepEqual(aligned(three, "left"), { b: [0, 50], c: [0, 200] });
  assert.deepEqual(aligned(three, "right"), { a: [250, 0], c: [250, 200] });
  assert.deepEqual(aligned(three, "top"), { b: [300, 0], c: [120, 0] });
  assert.deepEqual(aligned(three, "bottom"), { a: [0, 240], b: [300, 280] });
  assert.deepEqual(aligned(three, "centre"), { a: [125, 0], b: [150, 50], c: [125, 200] });
  assert.deepEqual(aligned(three, "middle"), { a: [0, 120], b: [300, 140], c: [120, 100] });
});

test("evenly spaced nodes have the same gap between neighbours, the outer ones stay", () => {
  // a ends at 100, b begins at 300, c is 100 wide: 50 px remain on either side of it
  assert.deepEqual(aligned(three, "across"), { c: [150, 200] });
  // down: a ends at 60, c begins at 200, b is 20 high: 60 px remain on either side of it
  assert.deepEqual(aligned(three, "down"), { b: [300, 120] });
});

test("nodes that are in line already do not move", () => {
  for (const how of Object.keys(ALIGNMENTS)) {
    const once = aligned(three, how);
    const after = three.map((node) =>
      once[node.id] ? { ...node, x: once[node.id][0], y: once[node.id][1] } : node,
    );
    assert.deepEqual(aligned(after, how), {});
  }
});

test("too few nodes have nothing to line up with", () => {
  assert.deepEqual(aligned(three.slice(0, 1), "left"), {});
  assert.deepEqual(aligned(three.slice(0, 2), "across"), {});
});
