import assert from "node:assert/strict";
import test from "node:test";
import { copyNames, withCopies } from "../../autodiff_viz/ui/editor/web/copies.js";
import { fork } from "./drawings.mjs";

test("a copy has the next free number in place of its own", () => {
  const names = copyNames(["sin_1", "sin_2", "x"], ["sin_1", "sin_2", "x"]);
  assert.deepEqual([...names], [["sin_1", "sin_3"], ["sin_2", "sin_4"], ["x", "x_1"]]);
});

test("copies read what the originals read, and each other", () => {
  const shown = withCopies(fork(), ["s", "m"], [10, 20]);
  assert.deepEqual(shown.nodes.slice(3).map(({ id, x, y }) => [id, x, y]), [["s_1", 210, 20], ["m_1", 410, 20]]);
  const wires = shown.wires.slice(3).map(({ from, to, slot }) => [from, to, slot]);
  assert.deepEqual(wires.sort(), [["s_1", "m_1", 0], ["x", "m_1", 1], ["x", "s_1", 0]]);
});

test("what is there stays as it is", () => {
  const drawing = fork();
  const shown = withCopies(drawing, ["m"], [0, 0]);
  assert.deepEqual(shown.nodes.slice(0, 3), drawing.nodes);
  assert.deepEqual(shown.wires.slice(0, 3), drawing.wires);
});
