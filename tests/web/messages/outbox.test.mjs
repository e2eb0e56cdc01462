import assert from "node:assert/strict";
import test from "node:test";
import {
  adoptOutbox,
  newOutbox,
  acknowledge,
  stillToApply,
  enqueue,
} from "../../../autodiff_viz/web/connection/edit_sender.js";

const edits = (count) =>
  Array.from({ length: count }, (_, i) => ({ kind: "select", node: `n${i}` }));

/** The other side, as the contract says: apply each number once, in order. */
function server() {
  const seen = { ack: 0, applied: [] };
  seen.receive = (pending) => {
    for (const edit of pending)
      if (edit.seq > seen.ack) (seen.applied.push(edit.node), (seen.ack = edit.seq));
  };
  return seen;
}

test("edits are numbered from the one after the last that Python has", () => {
  assert.deepEqual(
    edits(2)
      .reduce(enqueue, newOutbox("k", 7))
      .pending.map((edit) => edit.seq),
    [8, 9],
  );
});

test("a confirmation forgets what it covers and nothing else", () => {
  const outbox = acknowledge(edits(5).reduce(enqueue, newOutbox("k", 0)), 3);
  assert.deepEqual(
    outbox.pending.map((edit) => edit.seq),
    [4, 5],
  );
  assert.equal(enqueue(outbox, { kind: "undo" }).last, 6);
});

test("an old confirmation changes nothing", () => {
  const outbox = acknowledge(edits(3).reduce(enqueue, newOutbox("k", 0)), 2);
  assert.deepEqual(acknowledge(outbox, 1), outbox);
});

test("with two messages of three lost and answers late, each edit is applied once and in order", () => {
  const python = server();
  let outbox = newOutbox("k", 0);
  edits(20).forEach((edit, i) => {
    outbox = enqueue(outbox, edit);
    if (i % 3 === 0) python.receive(outbox.pending);
    if (i % 7 === 0) outbox = acknowledge(outbox, python.ack);
  });
  python.receive(outbox.pending); // the last message, or its repetition
  assert.deepEqual(
    python.applied,
    edits(20).map((edit) => edit.node),
  );
});

/** Five edits under way in session "old", of which Python has confirmed the first `ack`. */
const left = (ack, more = {}) => ({
  ...acknowledge(edits(5).reduce(enqueue, newOutbox("old", 0)), ack),
  document: 0,
  search: "?g=1",
  ...more,
});
const nodes = (outbox) => outbox.pending.map((edit) => [edit.seq, edit.node]);

test("a new session gets what its graph has not, in order and numbered anew", () => {
  const { outbox, rest } = adoptOutbox([left(0)], { key: "new", ack: 0, from: ["old", 3] }, "?g=2");
  assert.deepEqual(
    [outbox.key, nodes(outbox), rest],
    [
      "new",
      [
        [1, "n3"],
        [2, "n4"],
      ],
      [],
    ],
  );
});

test("what the graph has already is not done twice, though Python's word of it never came", () => {
  assert.deepEqual(stillToApply(left(0), { key: "new", ack: 0, from: ["old", 5] }, "?g=2"), []);
});

test("an address that is still the same has none of what was under way", () => {
  const { outbox } = adoptOutbox([left(3)], { key: "new", ack: 0, from: null }, "?g=1");
  assert.deepEqual(nodes(outbox), [
    [1, "n3"],
    [2, "n4"],
  ]);
});

test("edits confirmed just before a reload are sent again if the page came by the address from before, and only then", () => {
  const just = left(0, { early: 2, search: "" });
  const opened = (from, search, reloaded) =>
    nodes(adoptOutbox([just], { key: "new", ack: 0, from }, search, [], reloaded).outbox).map(
      ([, node]) => node,
    );
  assert.deepEqual(opened(null, "", true), ["n0", "n1", "n2", "n3", "n4"]); // a bare address
  assert.deepEqual(opened(null, "", false), ["n2", "n3", "n4"]); // the bare address was asked for
  assert.deepEqual(opened(["old", 2], "?g=2", true), ["n2", "n3", "n4"]); // the new address came through
  assert.deepEqual(opened(["old", 1], "?g=1", true), ["n1", "n2", "n3", "n4"]);
});

test("another document gets no edit, and they wait for their own", () => {
  const waiting = left(3);
  const { outbox, rest } = adoptOutbox(
    [waiting],
    { key: "new", ack: 0, from: ["other", 3] },
    "?g=other",
  );
  assert.deepEqual([outbox, rest], [newOutbox("new", 0), [waiting]]);
  assert.deepEqual(
    nodes(adoptOutbox(rest, { key: "newer", ack: 0, from: ["old", 4] }, "?g=1").outbox),
    [[1, "n4"]],
  );
});

test("a page entered again goes on where it was left, unless another document has been opened meanwhile", () => {
  const word = { key: "old", ack: 4, document: 0 };
  assert.deepEqual(nodes(adoptOutbox([left(3)], word, "?").outbox), [[5, "n4"]]);
  const { outbox } = adoptOutbox([left(3, { document: 1 })], word, "?g=1");
  assert.deepEqual([outbox.last, outbox.pending], [5, []]);
});

test("no step changes the outbox it was given", () => {
  const before = Object.freeze({ ...newOutbox("k", 0), pending: Object.freeze([]) });
  enqueue(before, { kind: "undo" });
  acknowledge(before, 5);
  assert.equal(before.last, 0);
});
