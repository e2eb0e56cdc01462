import assert from "node:assert/strict";
import test from "node:test";
import { meanShift, oldPositions } from "../../../autodiff_viz/web/canvas/draw/motion.js";
import { node } from "../drawings.mjs";

const BEFORE = [node("a", 0, 0), node("b", 100, 0), node("c", 200, 50)];
const AFTER = [node("a", 0, 0), node("b", 100, 80), node("c", 200, 130), node("d", 100, 0)];

test("only what was there before and has moved is animated", () => {
  assert.deepEqual(
    [...oldPositions(BEFORE, AFTER)],
    [
      ["b", [100, 0]],
      ["c", [200, 50]],
    ],
  );
});

test("what hangs between nodes starts where they were, by the mean of their shifts", () => {
  const [moved, places] = [oldPositions(BEFORE, AFTER), new Map(AFTER.map((one) => [one.id, one]))];
  assert.deepEqual(meanShift(moved, places, ["b", "c"]), [0, -80]); // both come from 80 px above
  assert.deepEqual(meanShift(moved, places, ["a", "b"]), [0, -40]);
  assert.equal(meanShift(moved, places, ["a"]), null);
  assert.equal(meanShift(moved, places, ["d"]), null);
  assert.equal(meanShift(moved, places, []), null);
});
