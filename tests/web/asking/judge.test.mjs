import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { readAnswer } from "../../../autodiff_viz/web/asking/answers.js";
import { judged } from "../../../autodiff_viz/web/asking/judge.js";

// tests/asking/test_answers.py has Python do the same cases.
const CASES = JSON.parse(
  readFileSync(new URL("../../asking/cases.json", import.meta.url), "utf-8"),
);
const WORDS = { nan: NaN, inf: Infinity, "-inf": -Infinity };
const came = (sent) => (typeof sent === "string" ? WORDS[sent] : sent);

test("an answer is read as it was meant", () => {
  for (const { form, text, ...want } of CASES.answers.filter(({ found }) => found === undefined)) {
    const { answer, unread } = readAnswer(form, text);
    assert.equal(unread, undefined, text);
    assert.deepEqual([answer.choice, answer.readAs], [want.choice ?? "", want.read_as], text);
    assert.deepEqual(answer.numbers, (want.numbers ?? []).map(came), text);
    if (want.unit !== undefined) assert.equal(answer.unit, want.unit, text);
  }
});

test("what cannot be read is asked back", () => {
  for (const { form, text, found, needed } of CASES.answers.filter(
    (each) => each.found !== undefined,
  ))
    assert.deepEqual(readAnswer(form, text).unread, { message: found, hint: needed }, text);
});

test("an answer is judged by its table", () => {
  for (const { table, text, ...want } of CASES.judged) {
    const { judgement } = judged(CASES.tables[table], text);
    for (const [name, each] of Object.entries(want))
      assert.deepEqual(judgement[name], each, `${table}: ${text}: ${name}`);
  }
});
