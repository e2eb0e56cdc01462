// Test the search of the page of lessons, by the cases that the server's words are tested by.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { isMistyped, mistakesIn } from "../../../autodiff_viz/web/base/likeness.js";
import { findCards, foundSays, wordsIn } from "../../../autodiff_viz/web/lessons_page/search.js";

const cases = JSON.parse(
  readFileSync(new URL("../../lessons/search_cases.json", import.meta.url), "utf8"),
);

test("words are those of the server", () => {
  for (const [text, words] of cases) assert.deepEqual(wordsIn(text), words, text);
});

const CARDS = [
  ["vanish", "sigmoid", "gradient"],
  ["residual", "vanishing", "gradients"],
  ["checkpoint", "memory", "oom"],
  ["detach", "gradient", "nan"],
  ["two", "knobs", "gradient"],
];
const found = (query) => findCards(query, CARDS).flatMap((is, i) => (is ? [i] : []));

test("a query finds the cards that have its words, whole or their beginning; none finds all", () => {
  assert.deepEqual(found(""), [0, 1, 2, 3, 4]);
  assert.deepEqual(found("NaN"), [3]);
  assert.deepEqual(found("det nan"), [3]);
  assert.deepEqual(found("Gradient?"), [0, 1, 3, 4]);
  assert.deepEqual(found("remat"), []);
});

test("a word that few cards have counts more than one that most have, where no card has both", () => {
  assert.deepEqual(found("gradient checkpointing"), [2]);
  assert.deepEqual(found("knobs banana"), [4]);
});

test("another ending and a typing mistake find what is meant", () => {
  assert.deepEqual(found("vanishing gradient"), [1]); // the word itself comes first
  assert.deepEqual(found("detached"), [3]);
  assert.deepEqual(found("vanishng gradient"), [1]);
  assert.deepEqual(found("memroy"), [2]);
  assert.deepEqual(found("qqqqq"), []);
});

test("mistakes are counted as letters left out, added, changed or swapped", () => {
  for (const [typed, word, count] of [
    ["softmaxx", "softmax", 1],
    ["sofmtax", "softmax", 1],
    ["soft", "soft", 0],
    ["", "ab", 2],
    ["sin", "cos", 3],
  ])
    assert.equal(mistakesIn(typed, word), count, typed);
  assert.equal(isMistyped("sni", "sin"), false); // too short to tell
});

test("what is found is counted", () => {
  assert.equal(foundSays(15, 15), "15 lessons");
  assert.equal(foundSays(3, 15), "3 of 15 lessons");
});
