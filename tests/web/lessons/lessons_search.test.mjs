// Test the search of the page of lessons, by the cases that the server's words are tested by.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { foundSays, isFound, wordsIn } from "../../../autodiff_viz/web/lessons_page/search.js";

const cases = JSON.parse(
  readFileSync(new URL("../../lessons/search_cases.json", import.meta.url), "utf8"),
);

test("words are those of the server", () => {
  for (const [text, words] of cases) assert.deepEqual(wordsIn(text), words, text);
});

test("each word of a query begins a word of the card", () => {
  const words = ["stop", "gradient", "detach", "why", "nan"];
  for (const query of ["", "NaN", "stop_gradient", "det nan", "Why?"])
    assert.equal(isFound(query, words), true, query);
  for (const query of ["an", "remat", "stop remat"])
    assert.equal(isFound(query, words), false, query);
});

test("what is found is counted", () => {
  assert.equal(foundSays(15, 15), "15 lessons");
  assert.equal(foundSays(3, 15), "3 of 15 lessons");
});
