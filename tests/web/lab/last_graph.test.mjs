import assert from "node:assert/strict";
import test from "node:test";
import { BROWSER_STORAGE } from "../../../autodiff_viz/web/base/browser_storage.js";
import { BARE, runIn } from "../../../autodiff_viz/web/base/host.js";
import {
  isOwnGraph,
  keepPlace,
  lastGraph,
  noteLent,
  placeInLab,
  wasLent,
} from "../../../autodiff_viz/web/base/visits.js";

runIn({ ...BARE, storage: BROWSER_STORAGE });

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

test("what a closed lesson leaves is a graph of one's own only once it is changed, also after a reload", () => {
  Object.assign(globalThis, { localStorage: storage(), sessionStorage: storage() });
  keepPlace("?g=mine");
  noteLent(true);
  keepPlace("?g=lessons&node=x");
  assert.equal(lastGraph(), "?g=mine");
  noteLent(false); // another page, which knows nothing of the lesson
  assert.ok(wasLent("?g=lessons") && !wasLent("?g=mine") && !wasLent(""));
  keepPlace("?g=lessons&node=y");
  assert.equal(lastGraph(), "?g=mine");
  keepPlace("?g=changed");
  assert.equal(lastGraph(), "?g=changed");
});

test("the browser's back button makes no earlier graph the last one; another session's graph may be it", () => {
  Object.assign(globalThis, { localStorage: storage(), sessionStorage: storage() });
  for (const [left, last] of [
    ["?g=first&at=abc.9", "?g=first&at=abc.9"],
    ["?g=second&at=abc.10", "?g=second&at=abc.10"],
    ["?g=first&at=abc.9", "?g=second&at=abc.10"],
    ["?g=third&at=def.1", "?g=third&at=def.1"],
    ["?g=of a link", "?g=of a link"],
  ]) {
    keepPlace(left);
    assert.equal(lastGraph(), last);
  }
});
