import assert from "node:assert/strict";
import { test } from "node:test";

import { stepOf } from "../../../autodiff_viz/web/explain/play.js";
import {
  aboutText,
  excess,
  isPast,
  isWrong,
  kindsFor,
  kindText,
  nextOpen,
  offersAfter,
  optionsOf,
  ownFault,
  pieces,
  pointedAt,
  questionAt,
  recordOf,
  recordOfItem,
  verdictText,
  wireAsked,
} from "../../../autodiff_viz/web/asking/questions.js";

// x feeds a and b, which z adds.
const node = (id, cotangent, dims = []) => ({ id, value: "1", cotangent, dims });
const wire = (from, to, slot) => ({ from, to, slot, passed: "2" });
const fork = {
  nodes: [node("x", "8"), node("a", "1"), node("b", "0"), node("z", "1", [2])],
  wires: [wire("x", "a", 1), wire("x", "b", 0), wire("a", "z", 0), wire("b", "z", 1)],
};
const item = (more) => ({
  kind: "number",
  of: "cotangent",
  node: "x",
  says: "?",
  tries: [],
  ...more,
});

test("what can be asked fits the number: a fork has two wires to compare, a tensor a shape", () => {
  assert.deepEqual(kindsFor(fork, { of: "cotangent", node: "x" }), [
    "number",
    "zero",
    "sign",
    "larger",
    "choice",
  ]);
  assert.deepEqual(kindsFor(fork, { of: "cotangent", node: "b" }), [
    "number",
    "zero",
    "sign",
    "cause",
    "choice",
  ]);
  assert.deepEqual(kindsFor(fork, { of: "value", node: "z" }), ["zero", "sign", "shape", "choice"]);
  assert.deepEqual(kindsFor(fork, { of: "passed", node: "a", slot: 1 }), [
    "number",
    "zero",
    "sign",
    "choice",
  ]);
  assert.ok(kindsFor({ ...fork, twins: {} }, { of: "value", node: "x" }).includes("same"));
  assert.deepEqual(kindsFor(fork, { of: "value", node: "q" }), []);
});

test("a comparison is of the first two wires that leave the node", () => {
  assert.deepEqual(recordOf(fork, "larger", { of: "cotangent", node: "x" }, ""), {
    kind: "larger",
    of: "passed",
    node: "a",
    slot: 1,
    other: ["b", 0],
  });
  assert.deepEqual(recordOf(fork, "zero", { of: "passed", node: "a", slot: 1 }, "Any?"), {
    kind: "zero",
    of: "passed",
    node: "a",
    slot: 1,
    words: "Any?",
  });
});

test("a question that is asked is sent back as it was", () => {
  const record = {
    kind: "larger",
    of: "passed",
    node: "a",
    slot: 1,
    other: ["b", 0],
    words: "Which?",
  };
  assert.deepEqual(recordOfItem({ ...record, says: "Which?", tries: ["b"], form: {} }), record);
  assert.equal(aboutText(fork, { ...record, tries: [] }), "wires of x");
  assert.equal(aboutText(fork, item({ of: "passed", node: "a", slot: 1 })), "wire x → a");
});

test("of what is counted a number is asked, or A beside B; it has no wires", () => {
  const kept = { of: "kept", node: "z" };
  assert.deepEqual(kindsFor(fork, kept), ["number", "choice"]);
  const twins = { ...fork, twins: {} };
  assert.deepEqual(kindsFor(twins, { of: "runs", node: "a" }), [
    "number",
    "larger",
    "same",
    "choice",
  ]);
  assert.deepEqual(recordOf(twins, "larger", kept, ""), { kind: "larger", ...kept });
  assert.equal(kindText("larger", "runs"), "more in A or in B");
  assert.equal(kindText("larger", "cotangent"), "which wire brings more");
  assert.equal(aboutText(fork, item({ of: "runs", node: "a" })), "runs of a");
  assert.equal(aboutText(fork, item(kept)), "numbers that are kept");
});

test("an author's answer is sent once, and afterwards only that it stays", () => {
  const options = optionsOf(" up ; down, and out;; ");
  assert.deepEqual(options, ["up", "down, and out"]);
  const about = { of: "value", node: "z" };
  const record = recordOf(fork, "choice", about, "Where?", { options, right: "up" });
  assert.deepEqual(record, { kind: "choice", ...about, words: "Where?", options, right: "up" });
  const sent = item({ kind: "choice", ...about, words: "Where?", options, own: true });
  assert.deepEqual(recordOfItem(sent), {
    kind: "choice",
    ...about,
    words: "Where?",
    options,
    own: true,
  });
  const told = { own: true, revealed: true, answer: "up", reason: "The bowl is steep." };
  const right = { right: true, near: false, readAs: "read as: up", says: "The bowl is steep." };
  assert.equal(
    verdictText(item({ ...told, tries: ["up"], verdict: right })),
    "You: up. Right. The bowl is steep.",
  );
  const wrong = { right: false, near: false, readAs: "read as: down", says: "Not so." };
  assert.equal(
    verdictText(item({ ...told, tries: ["down"], verdict: wrong })),
    "You: down. Answer: up. Not so. The bowl is steep.",
  );
});

test("the question about a place is found while it is open, of two wires by both", () => {
  const asking = {
    items: [
      item({ revealed: true }),
      item({ kind: "larger", of: "passed", node: "a", slot: 1, other: ["b", 0] }),
    ],
  };
  assert.equal(questionAt(asking, { of: "cotangent", node: "x" }), -1);
  assert.equal(questionAt(asking, wireAsked("a:1")), 1);
  assert.equal(questionAt(asking, wireAsked("b:0")), 1);
  assert.equal(questionAt(asking, wireAsked("a:0")), -1);
  assert.equal(questionAt(undefined, wireAsked("a:0")), -1);
  assert.equal(nextOpen(asking, 1), 1);
  assert.equal(nextOpen({ items: [item({}), item({ gone: "`p` is gone." })] }, 0), 0);
  assert.equal(nextOpen({ items: [item({ revealed: true })] }, 0), -1);
});

test("a wrong answer is told that it is wrong, and its mistake; a text that was read as typed is not repeated", () => {
  const verdict = {
    right: false,
    near: false,
    readAs: "read as 2",
    says: "2 is one wire alone",
    wire: "a:1",
  };
  assert.equal(
    verdictText(item({ tries: ["2"], verdict })),
    "Wrong. 2 is one wire alone. One more try.",
  );
  const half = { ...verdict, readAs: "read as 1/2 = 0.5" };
  assert.equal(
    verdictText(item({ tries: ["1/2"], verdict: half })),
    "Read as 1/2 = 0.5. Wrong. 2 is one wire alone. One more try.",
  );
  const read = (/** @type {string} */ typed, /** @type {string} */ readAs) =>
    verdictText(item({ tries: [typed], verdict: { ...verdict, readAs } })).startsWith("Read as");
  const plain = [
    ["-1", "read as \u22121"],
    ["\u2013 0.50", "read as \u22120.5"],
    ["+2", "read as 2"],
    ["1.5E-8", "read as 1.5e\u22128"],
    ["NaN", "read as NaN"],
    ["-inf", "read as \u2212\u221e"],
    ["[1,2]", "read as [1, 2]"],
    ["The same", "read as: same"],
    ["h", "read as: h"],
  ];
  assert.deepEqual(
    plain.filter(([typed, readAs]) => read(typed, readAs)),
    [],
  );
  const changed = [
    ["1/3", "read as 1/3 = 0.3333333"],
    ["0,5", "read as 0.5"],
    ["zero", "read as 0"],
    ["-2", "read as \u22122: not zero"],
    ["nothing", "read as: zero"],
  ];
  assert.deepEqual(
    changed.filter(([typed, readAs]) => !read(typed, readAs)),
    [],
  );
  assert.deepEqual(pointedAt({ items: [item({ tries: ["2"], verdict })] })?.wires, ["a:1"]);
  assert.equal(
    pointedAt({
      items: [
        item({ tries: ["2"], verdict, before: "Your answer, 2, was about the graph before." }),
      ],
    }),
    undefined,
  );
});

test("an answer is marked as wrong while it is on view, one that is right, near or given up is not", () => {
  const wrong = { right: false, near: false, readAs: "read as 2", says: "Not 2." };
  const shown = [
    { tries: ["2"], verdict: wrong },
    { tries: ["2"], verdict: wrong, revealed: true },
    { tries: ["8"], verdict: { ...wrong, right: true }, revealed: true },
    { tries: ["7.9"], verdict: { ...wrong, near: true } },
    { tries: ["2", "?"], verdict: wrong, revealed: true },
    { tries: ["2"], verdict: wrong, before: "Your answer, 2, was about the graph before." },
    {},
  ].map((one) => isWrong(item(one)));
  assert.deepEqual(shown, [true, true, false, false, false, false, false]);
  assert.ok(verdictText(item({ tries: ["2"], verdict: wrong })).startsWith("Not 2."));
});

test("what is revealed stands beside the guess, with its reason", () => {
  const told = { revealed: true, answer: "8", accepted: "7.92 to 8.08", reason: "2 + 6 = 8" };
  const right = { right: true, near: false, readAs: "read as 8", says: "Right." };
  assert.equal(
    verdictText(item({ tries: ["8"], verdict: right, ...told })),
    "JAX: 8. Right. 2 + 6 = 8.",
  );
  assert.equal(
    verdictText(item({ tries: ["7.95"], verdict: right, ...told })),
    "You: 7.95. JAX: 8. Right. 2 + 6 = 8. Accepted: 7.92 to 8.08.",
  );
  assert.equal(
    verdictText(item({ tries: ["?"], ...told })),
    "You did not guess. JAX: 8. 2 + 6 = 8.",
  );
  const before = "Your answer, 2, was about the graph before.";
  assert.equal(verdictText(item({ tries: ["2"], before })), before);
  assert.equal(verdictText(item({ gone: "`p` is gone." })), "`p` is gone.");
  assert.equal(verdictText(item({})), "");
});

test("names stand between backticks", () => {
  assert.deepEqual(pieces("At `x`?"), [
    { text: "At ", isName: false },
    { text: "x", isName: true },
    { text: "?", isName: false },
  ]);
});

test("the step that computes a number is found, and not the one that runs it again", () => {
  const steps = [
    { node: "x" },
    { node: "a" },
    { node: "a", back: true, again: "r" },
    { node: "a", back: true, wires: ["a:1"] },
    { node: "x", back: true },
  ];
  assert.equal(stepOf(steps, { of: "value", node: "a" }), 2);
  assert.equal(stepOf(steps, { of: "cotangent", node: "a" }), 4);
  assert.equal(stepOf(steps, { of: "passed", node: "a", slot: 1 }), 4);
  assert.equal(stepOf(steps, { of: "passed", node: "a", slot: 0 }), 0);
  assert.equal(stepOf(steps, { of: "cotangent", node: "x" }), 5);
  assert.equal(stepOf(steps, { of: "runs", node: "a" }), 3);
  assert.equal(stepOf(steps, { of: "kept", node: "a" }), 2);
});

const inLesson = { lesson: true, path: false, shown: false, more: false, result: true };

test("after an answer in a lesson the reason is the one main thing, then the way back", () => {
  for (const right of [true, false]) {
    const answered = item({ tries: ["2"], revealed: true, verdict: { right } });
    assert.deepEqual(offersAfter(answered, inLesson), { offers: ["why"], main: "why" });
    const shown = { ...inLesson, shown: true };
    assert.deepEqual(offersAfter(answered, shown), { offers: ["why", "back"], main: "back" });
    const more = { ...inLesson, more: true, result: false };
    assert.deepEqual(offersAfter(answered, more), { offers: ["why", "next"], main: "next" });
  }
});

test("a result is copied for a class: on a path, and of questions of somebody's own", () => {
  const answered = item({ tries: ["2"], revealed: true });
  const copies = (state) =>
    offersAfter(answered, { ...inLesson, ...state }).offers.includes("copy");
  assert.ok(!copies({}));
  assert.ok(copies({ path: true }));
  assert.ok(copies({ lesson: false }));
  assert.ok(!copies({ path: true, more: true }));
  assert.ok(!copies({ path: true, result: false }));
});

test("after an author's options the pass is offered, which computes the number that they are about", () => {
  const plays = (more) =>
    offersAfter(item({ tries: ["2"], revealed: true, own: true, ...more }), {
      ...inLesson,
      lesson: false,
    }).offers.includes("play");
  assert.ok(plays({ kind: "choice", options: ["1", "2"] }));
  assert.ok(!plays({ kind: "number" })); // that no pass computes
});

test("nothing is offered while a question is open, and of one that is gone no reason", () => {
  assert.deepEqual(offersAfter(item({}), inLesson), { offers: [], main: undefined });
  const gone = item({ revealed: true, gone: "`x` is no longer in the graph." });
  assert.deepEqual(offersAfter(gone, { ...inLesson, result: false }), {
    offers: ["undo", "remove"],
    main: "undo",
  });
});

test("of an answer to the graph before no reason is offered, since it would be another graph's", () => {
  const past = item({ revealed: true, before: "Your answer, 2, was about the graph before." });
  assert.ok(isPast(past));
  assert.ok(!isPast(item({ revealed: true })));
  assert.deepEqual(offersAfter(past, inLesson), { offers: [], main: undefined });
});

test("in a lesson the reason of a wrong answer is left to the lesson, that of a right one is said", () => {
  const reason = "2 + 6 = 8: what comes back over `a` and `b` adds up.";
  const answered = (right, says) =>
    item({
      tries: [right ? "8" : "2"],
      revealed: true,
      answer: "8",
      reason,
      verdict: { right, says },
    });
  const wrong = answered(false, "2 is what comes along the wire from `a`.");
  assert.equal(
    verdictText(wrong, true),
    "You: 2. JAX: 8. Wrong. 2 is what comes along the wire from `a`.",
  );
  assert.ok(verdictText(wrong).endsWith(reason));
  assert.equal(verdictText(answered(true, ""), true), `JAX: 8. Right. ${reason}`);
});

test("an own answer that is too long, or one too many, is told while it is typed, with what was found", () => {
  const long = "a".repeat(120);
  assert.equal(excess(["yes", long], "yes"), "");
  assert.match(
    excess(["yes", `${long}b`], ""),
    /^\u201ca{30}\u2026\u201d has 121 characters; at most 120/,
  );
  assert.match(excess([], "9".repeat(130)), /130 characters/);
  assert.equal(excess(["\u{1d465}".repeat(120)], ""), ""); // characters, not units of UTF-16
  assert.match(excess([..."abcdefg"], ""), /7 options; at most 6/);
});

test("a choice is sent once Python would take it, and no sooner", () => {
  assert.equal(ownFault("choice", ["a", "b"], "b"), "");
  assert.match(ownFault("choice", ["a"], "a"), /at least two/);
  assert.match(ownFault("choice", ["a", "b"], "c"), /Repeat/);
  assert.equal(ownFault("number", ["a".repeat(300)], "2"), ""); // options of another kind are not sent
  assert.match(ownFault("number", [], "2".repeat(121)), /121/);
});
