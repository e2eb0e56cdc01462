// Test which steps a talk has, what the audience sees of them, and which cards are too small.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  cardsWithoutRoom,
  clock,
  leastType,
  roomSays,
  shortSteps,
  answersNow,
  stopAfter,
  stopBefore,
  stopsOf,
  toldNumbers,
  usualGrain,
  seenIn,
  veiled,
  withSeen,
} from "../../../autodiff_viz/web/present/course.js";

const step = (node, back = false) => ({ node, back, live: 1, says: node, wires: [] });
const STEPS = [step("x"), step("y"), step("z"), step("z", true), step("y", true), step("x", true)];

test("the play rests at each node, at the end of each phase, or nowhere", () => {
  assert.deepEqual(stopsOf(STEPS, "node"), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(stopsOf(STEPS, "phase"), [3, 6]);
  assert.deepEqual(stopsOf(STEPS, "whole"), []);
  assert.deepEqual(stopsOf(STEPS.slice(0, 3), "phase"), [3]);
  assert.deepEqual(
    [24, 25].map((count) => usualGrain(count, 1)),
    ["node", "phase"],
  );
  assert.equal(usualGrain(3, 2), "phase"); // a remote gets to the next step of the talk
});

test("a press answers before anything goes back, and before the next step", () => {
  assert.deepEqual(
    [1, 3, 4, 6, null].map((to) => answersNow(STEPS, to)),
    [false, false, true, true, true],
  );
  assert.equal(answersNow(STEPS.slice(0, 3), 3), false); // nothing goes back
});

test("a press goes to the next rest, and behind the last one to none", () => {
  const stops = [3, 6];
  assert.deepEqual(
    [null, 0, 2, 3, 6].map((at) => stopAfter(stops, at)),
    [3, 3, 3, 6, null],
  );
  assert.deepEqual(
    [null, 3, 5, 6].map((at) => stopBefore(stops, at)),
    [null, null, 3, 3],
  );
});

test("what comes back is hidden, the values are not", () => {
  const shown = veiled(null, ["x", "y"]);
  assert.deepEqual(
    [[...shown.values], shown.cotangents.size, shown.passed.size],
    [["x", "y"], 0, 0],
  );
  const played = {
    values: new Set(["x"]),
    cotangents: new Set(["x"]),
    passed: new Set(["y:0"]),
    step: { ...step("x", true), wires: ["y:0"] },
    done: true,
  };
  const hidden = veiled(played, ["x", "y"]);
  assert.deepEqual([[...hidden.values], hidden.passed.size, hidden.done], [["x"], 0, false]);
  assert.deepEqual(hidden.step?.wires, []); // a lit wire would tell which one brings something
});

test("the pass takes nothing away that was in view before it, and shows what was asked as it comes", () => {
  const begun = { ...veiled(null, []), values: new Set(["x"]), step: step("x", false) };
  const wires = [
    { to: "y", slot: 0 },
    { to: "z", slot: 0, hidden: true },
  ];
  const seen = seenIn(
    [{ id: "x" }, { id: "y", hidden: ["cotangent"] }, { id: "z", hidden: ["value"] }],
    wires,
  );
  const shown = withSeen(begun, seen);
  assert.deepEqual(
    [shown.values, shown.cotangents, shown.passed].map((names) => [...names]),
    [["x", "y"], ["x", "z"], ["y:0"]],
  );
  const later = withSeen({ ...begun, cotangents: new Set(["y"]) }, seen);
  assert.deepEqual([...later.cotangents], ["x", "z", "y"]);
});

const node = (id, more = {}) => ({
  id,
  value: "3",
  cotangent: "8",
  connected: true,
  isInput: false,
  isOutput: false,
  ...more,
});

test("the numbers that matter are the output, what is looked at, and what arrives at inputs", () => {
  const nodes = [
    node("x", { isInput: true }),
    node("c", { isInput: true, connected: false }),
    node("a"),
    node("z", { isOutput: true, value: "15", cotangent: "1" }),
  ];
  const told = (selected, shown) =>
    toldNumbers(nodes, selected, shown).map(({ name, which, text }) => `${which} ${name} ${text}`);
  assert.deepEqual(told(null, null), ["value z 15", "cotangent x 8"]);
  assert.deepEqual(told("a", null), ["value z 15", "cotangent a 8", "cotangent x 8"]);
  assert.deepEqual(told(null, veiled(null, ["z"])), ["value z 15", "cotangent x ?"]);
});

test("the smallest type is 20 px at 1280x720 and 28 px at 1920x1080", () => {
  assert.equal(leastType({ w: 1280, h: 720 }), 20);
  assert.equal(leastType({ w: 1920, h: 1080 }), 28);
  assert.equal(leastType({ w: 3840, h: 2160 }), 56);
  assert.equal(leastType({ w: 800, h: 600 }), 20);
});

test("cards have no room where their numbers would be smaller than that", () => {
  const window = { w: 1280, h: 720 };
  const row = (count) =>
    Array.from({ length: count }, (_, i) => ({ x: 200 * i, y: 0, w: 130, h: 80 }));
  const box = (count) => ({ x: 0, y: 0, w: 200 * count - 70, h: 80 });
  assert.equal(cardsWithoutRoom(row(8), box(8), window), 0);
  const without = cardsWithoutRoom(row(20), box(20), window);
  assert.ok(without >= 8 && without <= 10, `${without}`); // 1224 px at a scale of 0.545 hold 2244: 11 cards
  assert.equal(cardsWithoutRoom([], null, window), 0);
  assert.equal(roomSays(0, 17, true), "");
  assert.equal(
    roomSays(3, 17, true),
    "3 of 17 cards are smaller than the last row reads: collapse a group, or show fewer.",
  );
  assert.equal(
    roomSays(1, 17, false),
    "1 of 17 cards is smaller than the last row reads: show fewer.",
  );
});

test("steps are named with the windows in which they are too small", () => {
  const steps = [
    { title: "One", says: ["", ""] },
    { title: "Two", says: ["2 of 9 cards are smaller.", "1 of 9 cards is smaller."] },
    { title: "Three", says: ["3 of 9 cards are smaller.", ""] },
  ];
  assert.deepEqual(shortSteps(steps, ["small", "high"]), [
    { title: "2. Two", says: "small, high: 2 of 9 cards are smaller." },
    { title: "3. Three", says: "small: 3 of 9 cards are smaller." },
  ]);
});

test("a talk's time is minutes and seconds", () => {
  assert.deepEqual([0, 9_999, 61_000, 3_600_000, -5].map(clock), [
    "0:00",
    "0:09",
    "1:01",
    "60:00",
    "0:00",
  ]);
});
