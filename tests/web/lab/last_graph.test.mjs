import assert from "node:assert/strict";
import test from "node:test";
import {
  isOwnGraph,
  keepPlace,
  lastGraph,
  placeInLab,
} from "../../../autodiff_viz/web/base/visits.js";

const storage = () => {
  const kept = new Map();
  return {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => kept.set(name, text),
  };
};

test("a graph of one's own is found again by a later visit, and neither a lesson nor the first graph takes its place", () => {
  Object.assign(globalThis, { localStorage: storage(), sessionStorage: storage() });
  assert.equal(lastGraph(), "");
  keepPlace("?f=abc&node=x");
  keepPlace("?lesson=fork");
  keepPlace("");
  assert.equal(lastGraph(), "?f=abc&node=x");
  assert.equal(placeInLab(), "");
  sessionStorage.setItem("autodiff_viz.1.place in the lab", "[]"); // another tab
  assert.equal(lastGraph(), "?f=abc&node=x");
});

test("an address holds a graph of one's own if it has a formula or a document, and no lesson", () => {
  assert.deepEqual(["", "?f=a", "?g=a", "?lesson=fork&g=a", "?seed=2"].map(isOwnGraph), [
    false,
    true,
    true,
    false,
    false,
  ]);
});
