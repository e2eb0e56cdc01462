import assert from "node:assert/strict";
import test from "node:test";
import { sizeOf } from "../../../autodiff_viz/web/base/numbers.js";
import { sizesBy, takesNoGradient } from "../../../autodiff_viz/web/canvas/state/sizes.js";
import { folding } from "../../../autodiff_viz/web/canvas/state/fold.js";
import { namesakes } from "../../../autodiff_viz/web/canvas/actions/groups.js";
import { fork, node } from "../drawings.mjs";

const scalar = (number) => ({ kind: 0, numbers: [number], dims: [] });
const of = (number, more = {}) => {
  const num = typeof number === "number" ? scalar(number) : number;
  return node("n", 0, 0, 1, { numbers: { value: num, cotangent: num }, ...more });
};

test("the size of a number, a vector and a norm", () => {
  assert.equal(sizeOf(scalar(0.25)), 0.25);
  assert.equal(sizeOf(scalar(-3e-5)), 3e-5);
  assert.equal(sizeOf({ kind: 2, numbers: [3, -4] }), 5); // 3, 4, 5
  assert.ok(Math.abs(sizeOf({ kind: 2, numbers: [3e200, -4e200] }) / 5e200 - 1) < 1e-15); // whose squares are not numbers
  assert.equal(sizeOf({ kind: -1, numbers: [12.5, 1] }), 12.5);
});

test("what is not finite has no usual size", () => {
  assert.ok(Number.isNaN(sizeOf(scalar(NaN))));
  assert.equal(sizeOf(scalar(-Infinity)), Infinity);
  assert.equal(sizeOf({ kind: 2, numbers: [1, Infinity] }), Infinity);
});

test("steps are even on a logarithmic scale; zero, nothing and what is not finite have their own", () => {
  const nodes = [1e-8, 1e-5, 1e-4, 0.001, 100, 0, undefined, NaN].map((number, i) => ({
    ...of(number),
    id: `n${i}`,
  }));
  const { classes, least, most } = sizesBy(nodes, "cotangent"); // ten decades, two for each step
  assert.deepEqual([...classes.values()], ["0", "1", "2", "2", "4", "zero", "none", "nonfinite"]);
  assert.deepEqual([least, most], [1e-8, 100]);
  assert.deepEqual(sizesBy([of(1, { connected: false })], "cotangent").kinds, new Set(["none"]));
});

test("elements are those of the value's shape", () => {
  const nodes = [[], [4, 8], [32, 32]].map((dims, i) => ({
    ...of({ kind: dims.length ? -1 : 0, numbers: [1, 1], dims }),
    id: `n${i}`,
  }));
  const { least, most, classes } = sizesBy(nodes, "elements");
  assert.deepEqual([least, most], [1, 1024]);
  assert.deepEqual([...classes.values()], ["0", "2", "4"]); // 32 is half of the decades from 1 to 1024
});

test("a node takes no gradient if nothing arrives or nothing but zeros; the output always takes its seed", () => {
  assert.deepEqual(
    [0, { kind: 2, numbers: [0, 0] }, { kind: -1, numbers: [0, 0] }, undefined].map((number) =>
      takesNoGradient(of(number)),
    ),
    [true, true, true, true],
  );
  assert.deepEqual(
    [1e-38, NaN, -Infinity].map((number) => takesNoGradient(of(number))),
    [false, false, false],
  );
  assert.ok(takesNoGradient(of(1, { connected: false })));
  assert.ok(!takesNoGradient(of(0, { isOutput: true })));
});

test("what takes no gradient is hidden with its wires, and counted; to show it again brings all of it back", () => {
  const fold = folding();
  const drawing = fork();
  drawing.nodes.forEach((one, i) => (one.numbers = { cotangent: scalar(i === 1 ? 0 : 1) }));
  const bare = fold(drawing, true);
  assert.deepEqual(
    [
      bare.nodes.map(({ id }) => id),
      bare.wires.map(({ from, to }) => from + to),
      bare.regions.length,
      bare.hidden,
    ],
    [["x", "m"], ["xm"], 0, 1],
  );
  assert.equal(fold(drawing, true).nodes, bare.nodes); // the same objects: nothing is drawn again
  assert.deepEqual(
    fold(drawing).nodes.map(({ id }) => id),
    ["x", "s", "m"],
  );
});

test("groups of one name differ in the number at the end", () => {
  const groups = ["for i 0", "for i 1", "for i 10", "for j 0", "block", "block_1", "layer2"].map(
    (name) => ({ name }),
  );
  const names = (name) => namesakes(groups, name).map((group) => group.name);
  assert.deepEqual(names("for i 1"), ["for i 0", "for i 1", "for i 10"]);
  assert.deepEqual(names("block"), ["block", "block_1"]);
  assert.deepEqual(names("layer2"), ["layer2"]);
});
