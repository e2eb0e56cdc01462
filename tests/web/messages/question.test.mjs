import assert from "node:assert/strict";
import test from "node:test";

/** The little of a browser that a question needs: timers that the test fires, and events. */
const page = { timers: new Map(), last: 0, listeners: {} };
Object.assign(globalThis, {
  window: { setTimeout: (run, ms) => (page.timers.set((page.last += 1), { run, ms }), page.last) },
  clearTimeout: (id) => page.timers.delete(id),
  addEventListener: (kind, run) => (page.listeners[kind] = run),
  removeEventListener: (kind) => delete page.listeners[kind],
});
const { IdleRefresh, STILL_MS } =
  await import("../../../autodiff_viz/web/connection/idle_refresh.js");

/** A question with a mail that takes it, or does not while edits are under way. */
function asking() {
  page.timers.clear();
  const posted = [];
  const mail = {
    host: { isConnected: true, dataset: {} },
    busy: false,
    ask: ({ rest }) => !mail.busy && posted.push(rest) > 0,
  };
  return { question: new IdleRefresh(mail), mail, posted };
}

/** Fire the one timer that waits; how long it would have waited. */
function wait() {
  const [[id, { run, ms }], ...others] = page.timers;
  assert.deepEqual(others, []);
  page.timers.delete(id);
  run();
  return ms;
}

test("it is asked once the hands are still, with the number of the word", () => {
  const { question, posted } = asking();
  question.answered({ turn: 7, due: true, rest: 0, seen: false });
  assert.equal(wait(), STILL_MS);
  assert.deepEqual(posted, [7]);
});

test("nothing is asked where nothing is due", () => {
  const { question } = asking();
  question.answered({ turn: 7, due: true, rest: 0, seen: false });
  question.answered({ turn: 8, due: false, rest: null, seen: false });
  assert.equal(page.timers.size, 0);
});

test("what has to be looked at again is asked for as late as Python says", () => {
  const { question, posted } = asking();
  question.answered({ turn: 3, due: false, rest: 400, seen: false });
  assert.equal(wait(), 400);
  assert.deepEqual(posted, [3]);
});

test("whoever holds something, or has edits under way, is not held up", () => {
  const { question, mail, posted } = asking();
  question.answered({ turn: 1, due: true, rest: 0, seen: false });
  page.listeners.pointerdown();
  wait();
  assert.deepEqual(posted, []);
  page.listeners.pointerup();
  mail.busy = true;
  wait();
  assert.deepEqual(posted, []);
  mail.busy = false;
  wait();
  assert.deepEqual(posted, [1]);
});

test("a question that has no answer is asked again, less and less often, and not after the page was left", () => {
  const { question, mail, posted } = asking();
  question.answered({ turn: 1, due: true, rest: 0, seen: false });
  const waits = [wait(), wait(), wait(), wait(), wait(), wait()];
  assert.deepEqual(waits, [STILL_MS, 3000, 6000, 12000, 24000, 24000]);
  assert.equal(posted.length, 6);
  mail.host.isConnected = false;
  wait();
  assert.equal(page.timers.size, 0);
});

test("tests can see whether parts are due", () => {
  const { question, mail } = asking();
  question.answered({ turn: 1, due: true, rest: 0, seen: false });
  assert.equal(mail.host.dataset.due, "true");
});

test("what comes into view while edits are under way is asked for once they are answered", () => {
  const { question, mail, posted } = asking();
  mail.busy = true;
  question.ask(); // as the figure comes into view
  question.answered({ turn: 5, due: false, rest: null, seen: false }, true); // of an edit that was sent before
  assert.equal(mail.host.dataset.due, "true");
  mail.busy = false;
  assert.equal(wait(), STILL_MS);
  assert.deepEqual(posted, [5]);
  question.answered({ turn: 6, due: false, rest: null, seen: true }, true);
  assert.equal(page.timers.size, 0);
});
