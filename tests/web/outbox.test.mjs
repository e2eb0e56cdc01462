import assert from "node:assert/strict";
import test from "node:test";
import { begin, confirm, push } from "../../autodiff_viz/ui/web/outbox.js";

const edits = (count) => Array.from({ length: count }, (_, i) => ({ kind: "select", node: `n${i}` }));

/** The other side, as the contract says: apply each number once, in order. */
function server() {
  const seen = { ack: 0, applied: [] };
  seen.receive = (pending) => {
    for (const edit of pending) if (edit.seq > seen.ack) (seen.applied.push(edit.node), (seen.ack = edit.seq));
  };
  return seen;
}

test("edits are numbered from the one after the last that Python has", () => {
  assert.deepEqual(edits(2).reduce(push, begin("k", 7)).pending.map((edit) => edit.seq), [8, 9]);
});

test("a confirmation forgets what it covers and nothing else", () => {
  const outbox = confirm(edits(5).reduce(push, begin("k", 0)), "k", 3);
  assert.deepEqual(outbox.pending.map((edit) => edit.seq), [4, 5]);
  assert.equal(push(outbox, { kind: "undo" }).last, 6);
});

test("an old confirmation changes nothing", () => {
  const outbox = confirm(edits(3).reduce(push, begin("k", 0)), "k", 2);
  assert.deepEqual(confirm(outbox, "k", 1), outbox);
});

test("with two messages of three lost and answers late, each edit is applied once and in order", () => {
  const python = server();
  let outbox = begin("k", 0);
  edits(20).forEach((edit, i) => {
    outbox = push(outbox, edit);
    if (i % 3 === 0) python.receive(outbox.pending);
    if (i % 7 === 0) outbox = confirm(outbox, "k", python.ack);
  });
  python.receive(outbox.pending); // the last message, or its repetition
  assert.deepEqual(python.applied, edits(20).map((edit) => edit.node));
});

test("a restarted server gets what was never confirmed, in order and numbered anew", () => {
  const outbox = confirm(confirm(edits(5).reduce(push, begin("old", 0)), "old", 3), "new", 0);
  assert.equal(outbox.key, "new");
  assert.deepEqual(outbox.pending.map((edit) => [edit.seq, edit.node]), [[1, "n3"], [2, "n4"]]);
});

test("no step changes the outbox it was given", () => {
  const before = Object.freeze({ ...begin("k", 0), pending: Object.freeze([]) });
  push(before, { kind: "undo" });
  confirm(before, "k", 5);
  assert.equal(before.last, 0);
});
