import assert from "node:assert/strict";
import { test } from "node:test";
import { heightFor, readMessage } from "../../../autodiff_viz/web/embed/messages.js";

const set = (fields) => readMessage({ type: "autodiff:set", v: 1, ...fields })?.wish;
const NOTHING = { values: {}, step: null, reveal: null, theme: null };

test("what is none of ours is no message", () => {
  for (const data of [null, undefined, 1, "", "slide", [], {}, { type: "set" }, { type: 1 }])
    assert.equal(readMessage(data), null);
  assert.equal(readMessage({ type: "autodiff:set", v: 2, step: 1 }), null);
});

test("a slide that is entered or left is told by a string", () => {
  assert.deepEqual(readMessage("slide:start"), { type: "slide", on: true });
  assert.deepEqual(readMessage("slide:stop"), { type: "slide", on: false });
});

test("fields that cannot be read are left out, one by one", () => {
  assert.deepEqual(set({}), NOTHING);
  assert.deepEqual(set({ values: "x", step: {}, reveal: "later", theme: 7 }), NOTHING);
  assert.deepEqual(
    set({ values: { x: 2, y: "3", z: NaN, w: Infinity, ["n".repeat(65)]: 1 } }).values,
    {
      x: 2,
    },
  );
  assert.deepEqual(
    ["3", 3, "last", "-1", 1.5, "1e3", null].map((step) => set({ step }).step),
    ["3", "3", "last", null, null, null, null],
  );
  assert.equal(set({ reveal: "steps" }).reveal, "steps");
  assert.equal(set({ theme: "dark" }).theme, "dark");
});

test("a message has a limit of values", () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x${i}`, i]));
  assert.equal(Object.keys(set({ values: many }).values).length, 200);
});

test("the height follows the graph at its own size at most, and the rows", () => {
  const graph = { w: 500, h: 200 };
  assert.equal(heightFor(graph, 1000, 88), 200 + 72 + 88);
  assert.equal(heightFor(graph, 298, 0), 100 + 72); // half as wide as the graph with its margin
  assert.equal(heightFor({ w: 100, h: 5000 }, 1000, 40), 640 + 40);
  assert.equal(heightFor(null, 1000, 0), 150);
});
