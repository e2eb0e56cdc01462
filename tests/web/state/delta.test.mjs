import assert from "node:assert/strict";
import test from "node:test";
import { apply, Drawings } from "../../../autodiff_viz/web/canvas/state/delta.js";

const full = {
  nodes: [
    { id: "x", value: "1" },
    { id: "y", value: "2" },
  ],
  selected: "x",
};
const valued = (value) => ({ nodes: { set: { x: { value } } } });

test("what did not change is the same object", () => {
  const after = apply(full, valued("5"));
  assert.equal(after.nodes[1], full.nodes[1]);
  assert.deepEqual(after.nodes[0], { id: "x", value: "5" });
  assert.equal(full.nodes[0].value, "1");
});

test("a message that was lost on the way leaves nothing wrong: the next one starts from what is known", () => {
  const drawings = new Drawings();
  drawings.read({ key: "k", rev: 1, full });
  assert.equal(drawings.have, 1); // message 2, from 1, is lost
  assert.equal(
    drawings.read({ key: "k", rev: 3, base: 1, patch: valued("7") }).nodes[0].value,
    "7",
  );
  assert.equal(drawings.have, 3);
});

test("a change of an unknown drawing is none, and the newest one that is known can still be told", () => {
  const drawings = new Drawings();
  drawings.read({ key: "k", rev: 1, full });
  assert.equal(drawings.read({ key: "k", rev: 3, base: 2, patch: valued("7") }), null);
  assert.equal(drawings.have, 1);
});

test("a message that comes twice is the same drawing", () => {
  const drawings = new Drawings();
  drawings.read({ key: "k", rev: 1, full });
  const word = { key: "k", rev: 2, base: 1, patch: valued("7") };
  assert.equal(drawings.read(word), drawings.read(word));
});

test("another session knows nothing of the one before", () => {
  const drawings = new Drawings();
  drawings.read({ key: "k", rev: 1, full });
  assert.equal(drawings.read({ key: "new", rev: 2, base: 1, patch: valued("7") }), null);
  assert.equal(drawings.have, null);
});

test("only the last drawings are kept", () => {
  const drawings = new Drawings();
  for (let rev = 1; rev <= 50; rev++) drawings.read({ key: "k", rev, full });
  assert.ok(drawings.known.size <= 8);
  assert.equal(drawings.have, 50);
});

test("a long text is changed in its place, counted as the browser counts", () => {
  const before = { formula: { text: "# 𝛽\nx = 2\n" }, name: "a" };
  const patch = {
    formula: { text: { splice: [4, 1, "\ny = 1\n"] } },
    name: { splice: [1, 0, "b"] },
  };
  assert.deepEqual(apply(before, patch), { formula: { text: "# 𝛽\ny = 1\nx = 2\n" }, name: "ab" });
});
