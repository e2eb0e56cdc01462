import assert from "node:assert/strict";
import test from "node:test";
import { NewestSender } from "../../../autodiff_viz/web/training/steps.js";
import { heightAt } from "../../../autodiff_viz/web/training/steps.js";

/** A sender whose answers come when the test says so. */
function sending() {
  const sent = [];
  const server = { waits: false };
  const newest = new NewestSender(
    (value) => (sent.push(value), (server.waits = true)),
    () => server.waits,
  );
  const answer = () => ((server.waits = false), newest.answered());
  return { newest, sent, answer };
}

test("while one step is under way only the newest of the others is kept", () => {
  const { newest, sent, answer } = sending();
  for (const step of [1, 2, 3, 4]) newest.give(step);
  assert.deepEqual(sent, [1]);
  answer();
  answer();
  assert.deepEqual(sent, [1, 4]);
});

test("a step that was sent is not sent again, and one that was left before its turn is not sent", () => {
  const { newest, sent, answer } = sending();
  newest.give(5);
  newest.give(6);
  newest.give(5);
  answer();
  assert.deepEqual(sent, [5]);
});

test("another drag may begin with the step that the last one ended with", () => {
  const { newest, sent, answer } = sending();
  newest.give(5);
  answer();
  newest.begin();
  newest.give(5);
  assert.deepEqual(sent, [5, 5]);
});

test("the dot is on the line: at a point of it, and between two", () => {
  const line = [
    [10, 100],
    [20, 60],
    [40, 20],
  ];
  assert.deepEqual(
    [10, 20, 15, 30, 40].map((x) => heightAt(line, x)),
    [100, 60, 80, 40, 20],
  );
});

test("there is no dot beyond the ends of the line, nor where the loss is not finite", () => {
  const line = [
    [10, 100],
    [20, NaN],
    [30, 60],
    [40, 20],
  ];
  assert.deepEqual(
    [9, 41, 20, 15, 25].map((x) => heightAt(line, x)),
    [undefined, undefined, undefined, undefined, undefined],
  );
  assert.deepEqual(
    [10, 30].map((x) => heightAt(line, x)),
    [100, 60],
  );
  assert.equal(heightAt([], 10), undefined);
});
