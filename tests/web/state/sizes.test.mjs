import assert from "node:assert/strict";
import test from "node:test";
import { sizeOf, sizesBy, takesNone } from "../../../autodiff_viz/web/canvas/state/sizes.js";
import { folding } from "../../../autodiff_viz/web/canvas/state/fold.js";
import { namesakes } from "../../../autodiff_viz/web/canvas/actions/groups.js";
import { fork, node } from "../drawings.mjs";

const of = (cotangent, more = {}) => node(`n${cotangent}`, 0, 0, 1, { cotangent, ...more });

test("the size of a number, a vector and a norm is read from the card's text", () => {
  assert.equal(sizeOf("0.25"), 0.25);
  assert.equal(sizeOf("\u22123e\u22125"), 3e-5);
  assert.equal(sizeOf("[3, \u22124]"), 5); // 3, 4, 5
  assert.equal(sizeOf("\u201612.5\u2016"), 12.5);
  assert.equal(sizeOf("1.5\u2007\u2007"), 1.5); // while a slider moves
});

test("what is not finite has no usual size, and what is no number none", () => {
  assert.ok(Number.isNaN(sizeOf("NaN")));
  assert.equal(sizeOf("\u2212\u221e"), Infinity);
  assert.equal(sizeOf("[1, \u221e]"), Infinity);
  for (const text of ["\u2013", "", "abc"]) assert.equal(sizeOf(text), null);
});

test("steps are even on a logarithmic scale; zero, nothing and what is not finite have their own", () => {
  const nodes = ["1e\u22128", "1e\u22125", "1e\u22124", "0.001", "100", "0", "\u2013", "NaN"].map(
    (text) => of(text),
  );
  const { classes, least, most } = sizesBy(nodes, "cotangent"); // ten decades, two for each step
  assert.deepEqual([...classes.values()], ["0", "1", "2", "2", "4", "zero", "none", "nonfinite"]);
  assert.deepEqual([least, most], [1e-8, 100]);
  assert.deepEqual(sizesBy([of("1", { connected: false })], "cotangent").kinds, new Set(["none"]));
});

test("elements are those of the value's shape", () => {
  const nodes = [of("1", { dims: [] }), of("2", { dims: [4, 8] }), of("3", { dims: [32, 32] })];
  const { least, most, classes } = sizesBy(nodes, "elements");
  assert.deepEqual([least, most], [1, 1024]);
  assert.deepEqual([...classes.values()], ["0", "2", "4"]); // 32 is half of the decades from 1 to 1024
});

test("a node takes no gradient if nothing arrives or nothing but zeros; the output always takes its seed", () => {
  assert.deepEqual(
    ["0", "[0, 0]", "\u20160\u2016", "\u2013"].map((text) => takesNone(of(text))),
    [true, true, true, true],
  );
  assert.deepEqual(
    ["1e\u221238", "NaN", "\u2212\u221e"].map((text) => takesNone(of(text))),
    [false, false, false],
  );
  assert.ok(takesNone(of("1", { connected: false })));
  assert.ok(!takesNone(of("0", { isOutput: true })));
});

test("what takes no gradient is hidden with its wires, and counted; to show it again brings all of it back", () => {
  const fold = folding();
  const drawing = fork();
  drawing.nodes[1].cotangent = "0";
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
