import assert from "node:assert/strict";
import test from "node:test";
import {
  recordFor,
  historyEdits,
  withRecord,
} from "../../../autodiff_viz/web/canvas/files/session_store.js";

const kept = (key, search, steps = 3) => ({
  key,
  search,
  trail: {
    at: 0,
    graph: "",
    text: "",
    steps: Object.fromEntries(Array.from({ length: steps }, (_, i) => [i, "{}"])),
  },
});

test("a session is found again by its address, else as the one that wrote the address", () => {
  const shelf = [kept("b", "?g=2"), kept("a", "?g=1")];
  assert.equal(recordFor(shelf, { key: "new", from: ["b", 3] }, "?g=1")?.key, "a");
  assert.equal(recordFor(shelf, { key: "new", from: ["b", 3] }, "?g=3")?.key, "b");
  assert.equal(recordFor(shelf, { key: "new", from: null }, "?g=3"), null);
});

test("however often the page is loaded again, what belongs to its address stays", () => {
  let shelf = [kept("first", "?g=1")];
  for (const key of ["b", "c", "d", "e", "f"]) shelf = withRecord(shelf, kept(key, "?g=1"));
  assert.deepEqual(
    shelf.map(({ key }) => key),
    ["f"],
  );
});

test("only some sessions are kept, the newest", () => {
  const shelf = ["a", "b", "c", "d", "e", "f"].reduce(
    (all, key) => withRecord(all, kept(key, `?g=${key}`)),
    [],
  );
  assert.deepEqual(
    shelf.map(({ key }) => key),
    ["f", "e", "d", "c"],
  );
});

test("a history goes to another session with the link of its graph, and never to its own", () => {
  assert.deepEqual(
    historyEdits(kept("a", "?seed=2&g=1abc"), "new").map(({ kind, link }) => [kind, link]),
    [["kept", "1abc"]],
  );
  assert.deepEqual(historyEdits(kept("a", "?g=1"), "a"), []);
  assert.deepEqual(historyEdits(kept("a", "?g=1", 1), "new"), []);
  assert.deepEqual(historyEdits(null, "new"), []);
});
