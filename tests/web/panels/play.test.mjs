import assert from "node:assert/strict";
import test from "node:test";
import { hintOf } from "../../../autodiff_viz/web/explain/play_bar.js";
import {
  delayOf,
  isComputed,
  phaseEnd,
  placeSays,
  placeText,
  shownAfter,
  turnOf,
  clampStep,
} from "../../../autodiff_viz/web/explain/play.js";

// x -> a -> z, where a runs again in a region
const steps = [
  { node: "x", live: 1, says: "x = 1" },
  { node: "a", wires: ["a:0"], live: 2, says: "" },
  { node: "z", wires: ["z:0"], live: 1, says: "" },
  { node: "z", back: true, wires: ["z:0"], live: 2, says: "" },
  { node: "a", back: true, again: "r", wires: ["a:0"], live: 3, says: "" },
  { node: "a", back: true, wires: ["a:0"], live: 1, says: "" },
  { node: "x", back: true, live: 0, says: "" },
];
const names = (set) => [...set].join(" ");

test("nothing is computed before the first step", () => {
  const { values, cotangents, passed, step } = shownAfter(steps, 0);
  assert.deepEqual([values.size, cotangents.size, passed.size, step], [0, 0, 0, null]);
});

test("values appear one by one, and no cotangent before the turn", () => {
  assert.deepEqual(
    [1, 2, 3].map((at) => names(shownAfter(steps, at).values)),
    ["x", "x a", "x a z"],
  );
  assert.equal(shownAfter(steps, 3).cotangents.size, 0);
  assert.equal(shownAfter(steps, 3).passed.size, 0);
});

test("a cotangent and what its node passes appear at the node's own step, not where a region runs again", () => {
  assert.equal(names(shownAfter(steps, 4).cotangents), "z");
  assert.equal(names(shownAfter(steps, 5).cotangents), "z");
  assert.equal(names(shownAfter(steps, 5).passed), "z:0");
  assert.equal(names(shownAfter(steps, 6).passed), "z:0 a:0");
  assert.equal(shownAfter(steps, 5).step.again, "r");
});

test("after the last step all is computed", () => {
  const { values, cotangents } = shownAfter(steps, steps.length);
  assert.deepEqual([names(values), names(cotangents)], ["x a z", "z a x"]);
});

test("of a place of the page it is known whether its number is computed", () => {
  const places = ["value z", "cotangent z", "cotangent a", "changed a", "passed z:0", "local a:0"];
  const known = (at) => places.filter((place) => isComputed(shownAfter(steps, at), place));
  assert.deepEqual([0, 3, 4, 5, 6].map(known), [
    [],
    ["value z"],
    ["value z", "cotangent z", "passed z:0"],
    ["value z", "cotangent z", "passed z:0"],
    places,
  ]);
  assert.ok(isComputed(shownAfter(steps, steps.length), "passed stopped:0")); // down a wire that passes nothing
  assert.ok(!isComputed(shownAfter(steps, 6), "passed stopped:0"));
});

test("a phase is finished at the turn and at the end", () => {
  assert.equal(turnOf(steps), 3);
  assert.deepEqual(
    [0, 2, 3, 5, 7].map((at) => phaseEnd(steps, at)),
    [3, 3, 7, 7, 7],
  );
  assert.equal(turnOf(steps.slice(0, 2)), 2); // forward only
});

test("the place in the pass is said in words", () => {
  assert.deepEqual(
    [0, 2, 3, 4, 7].map((at) => placeSays(steps, at)),
    [
      "before the first step",
      "forward, step 2 of 3",
      "forward, step 3 of 3",
      "backward, step 1 of 4",
      "backward, step 4 of 4",
    ],
  );
  assert.equal(placeText(steps, 4), "backward 1 of 4");
});

test("a step outside the pass is its first or last", () => {
  assert.deepEqual(
    [-1, 0, 3.4, 99].map((at) => clampStep(steps, at)),
    [0, 0, 3, 7],
  );
});

test("a step lasts half as long at twice the speed", () => {
  assert.equal(delayOf(2), delayOf(1) / 2);
});

const newcomer = (known, rest = {}) =>
  hintOf({
    known: new Set(known),
    played: false,
    chosen: null,
    symbol: "e",
    stopped: false,
    ...rest,
  });

test("a newcomer is told to click, then to stop, then nothing any more", () => {
  assert.match(newcomer([]), /Click a node/);
  assert.equal(newcomer(["select"]), "");
  assert.match(newcomer([], { played: true }), /Click e, then press stop/);
  assert.match(newcomer(["select"], { chosen: "exp" }), /^Press stop/);
  assert.match(newcomer(["select"], { chosen: "exp", stopped: true }), /take it off/);
  assert.equal(newcomer(["select", "bend"], { chosen: "exp", played: true }), "");
  assert.equal(newcomer(["select"], { played: true, symbol: null }), "");
});

test("while a question is open a newcomer is not told to change the graph that it is about", () => {
  const asked = (known, rest) => newcomer(known, { asked: true, ...rest });
  assert.equal(asked([]), "");
  assert.equal(asked([], { played: true }), "");
  assert.equal(asked(["select"], { chosen: "exp" }), "");
  assert.equal(asked(["select"], { chosen: "exp", stopped: true }), "");
});

test("a finger is told to tap, and on a phone where stop is", () => {
  assert.match(newcomer([], { finger: true }), /^Tap a node/);
  assert.match(newcomer([], { finger: true, played: true }), /^Tap e, then press stop/);
  assert.match(
    newcomer(["select"], { finger: true, narrow: true, chosen: "exp" }),
    /^Press Bend, then stop/,
  );
});
