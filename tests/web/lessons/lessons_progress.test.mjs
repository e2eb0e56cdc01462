// Test how far a lesson is, which comes next, and the text of the progress.

import assert from "node:assert/strict";
import test from "node:test";

import { noteVisit, readTries, readVisits } from "../../../autodiff_viz/web/base/visits.js";
import {
  asText,
  broughtIn,
  doneSays,
  nextOf,
  shareOf,
  stateOf,
  wayOn,
} from "../../../autodiff_viz/web/lessons_page/progress.js";

const card = (key, tries = 2, asks = true) => ({ key, tries, asks });
const opened = { key: "two-uses", at: 5 };
const answered = { key: "two-uses", at: 5, answered: true };

test("a lesson is done once it is answered and all exercises are ticked", () => {
  assert.equal(stateOf(card("two-uses"), undefined, undefined), "");
  assert.equal(stateOf(card("two-uses"), opened, undefined), "opened");
  assert.equal(stateOf(card("two-uses"), answered, new Set([0])), "answered");
  assert.equal(stateOf(card("two-uses"), opened, new Set([0, 1])), "opened");
  assert.equal(stateOf(card("two-uses"), answered, new Set([0, 1])), "done");
  assert.equal(stateOf(card("two-uses", 2, false), opened, new Set([0, 1])), "done");
  assert.equal(stateOf(card("two-uses", 2, false), opened, undefined), "opened");
  assert.equal(stateOf(card("two-uses"), answered, new Set([0, 7])), "answered"); // 7 is of another version
});

test("the next lesson is the last one opened, or the first after it that is not done", () => {
  const cards = [card("a"), card("b"), card("c")];
  const visits = [
    { key: "b", at: 9 },
    { key: "a", at: 3 },
  ];
  const next = (done) =>
    nextOf(cards, visits, ({ key }) => (done.includes(key) ? "done" : "opened"))?.key;
  assert.equal(next([]), "b");
  assert.equal(next(["b"]), "c");
  assert.equal(next(["b", "c"]), "a");
  assert.equal(next(["a", "b", "c"]), undefined);
  assert.equal(
    nextOf(cards, [{ key: "gone", at: 1 }], () => ""),
    null,
  );
});

test("a text brings progress to another browser, and takes nothing away there", () => {
  const text = asText([answered], new Map([["two-uses", new Set([1, 0])]]));
  assert.deepEqual(JSON.parse(text).lessons, [
    { key: "two-uses", at: 5, answered: true, done: [0, 1] },
  ]);
  const after = broughtIn(
    text,
    [
      { key: "two-uses", at: 9 },
      { key: "surgery", at: 2 },
    ],
    new Map([["two-uses", new Set([2])]]),
  );
  assert.deepEqual(after.visits, [
    { key: "two-uses", at: 9, answered: true },
    { key: "surgery", at: 2 },
  ]);
  assert.deepEqual([...after.tries.get("two-uses")].sort(), [0, 1, 2]);
});

test("another text brings in nothing", () => {
  for (const text of ["", "{", "null", "[]", '{"kind":"other"}', `"${"x".repeat(60_000)}"`])
    assert.equal(broughtIn(text, [], new Map()), null, text.slice(0, 20));
  const odd = JSON.stringify({
    kind: "autodiff_viz progress",
    v: 1,
    lessons: [{ key: '"]{}', done: [0] }, { key: "two-uses", at: "x", done: [-1, "0", 4] }, null],
  });
  const after = broughtIn(odd, [], new Map());
  assert.deepEqual(after.visits, []);
  assert.deepEqual([...after.tries], [["two-uses", new Set([4])]]);
});

test("a lesson that was opened in the future was opened now", () => {
  const text = JSON.stringify({
    kind: "autodiff_viz progress",
    v: 1,
    lessons: [{ key: "two-uses", at: 1e308, answered: true }],
  });
  const [visit] = broughtIn(text, [], new Map()).visits;
  assert.ok(visit.at > 0 && visit.at <= Date.now());
});

test("a path says how many lessons are done, and of these how many were answered right", () => {
  const right = "av1 fork: number 2 tries one-path right";
  const wrong = "av1 two-uses: number 1 try right; number 2 tries zero-for-nan seed";
  assert.equal(doneSays(["", ""], [undefined, undefined]), "2 lessons");
  assert.equal(doneSays([""], [undefined]), "1 lesson");
  assert.equal(doneSays(["done", "done"], [right, wrong]), "2 of 2 done, 1 of 2 answered right");
  assert.equal(doneSays(["done", ""], [right, undefined]), "1 of 2 done, 1 of 1 answered right");
  const choice = 'av1 guard: choice 1 try "either is right"';
  assert.equal(doneSays(["done"], [choice]), "1 of 1 done, 0 of 1 answered right");
  assert.equal(doneSays(["done", "done"], [right, true]), "2 of 2 done"); // what an earlier version kept has no line
});

test("what was answered first is kept, also when a text is brought in", () => {
  const kept = new Map();
  const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  const storage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => kept.set(name, text),
  };
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
  try {
    const line = "av1 two-uses: number 1 try one-path";
    noteVisit("two-uses");
    assert.ok(!readVisits()[0].answered);
    noteVisit("two-uses", line);
    noteVisit("two-uses");
    noteVisit("two-uses", "av1 two-uses: number 1 try right");
    assert.equal(readVisits()[0].answered, line);
    const text = asText(readVisits(), new Map());
    assert.equal(broughtIn(text, readVisits(), new Map()).visits[0].answered, line);
  } finally {
    delete globalThis.localStorage;
    if (before) Object.defineProperty(globalThis, "localStorage", before);
  }
});

test("a browser that keeps nothing breaks nothing", () => {
  const denied = () => {
    throw new Error("denied");
  };
  const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  Object.defineProperty(globalThis, "localStorage", { get: denied, configurable: true });
  try {
    noteVisit("two-uses", "av1 two-uses: number 1 try right");
    assert.deepEqual(readVisits(), []);
    assert.equal(readTries().size, 0);
  } finally {
    delete globalThis.localStorage;
    if (before) Object.defineProperty(globalThis, "localStorage", before);
  }
});

test("a ring shows how much of a lesson is done, its question among it", () => {
  assert.equal(shareOf(card("two-uses"), undefined, undefined), 0);
  assert.equal(shareOf(card("two-uses"), answered, undefined), 1 / 3);
  assert.equal(shareOf(card("two-uses"), answered, new Set([0, 1])), 1);
  assert.equal(shareOf(card("two-uses"), opened, new Set([1, 7])), 1 / 3); // 7 is of another version
  assert.equal(shareOf(card("two-uses", 0, false), opened, undefined), 1);
});

test("one goes on with the first lesson of a path that is not done", () => {
  assert.deepEqual(wayOn(["", "", ""]), { says: "Start", to: 0 });
  assert.deepEqual(wayOn(["done", "opened", ""]), { says: "Go on with lesson 2", to: 1 });
  assert.deepEqual(wayOn(["", "done", ""]), { says: "Go on with lesson 1", to: 0 });
  assert.deepEqual(wayOn(["done", "done"]), { says: "Start again", to: 0 });
});
