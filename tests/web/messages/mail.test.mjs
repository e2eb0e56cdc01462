import assert from "node:assert/strict";
import test from "node:test";

/** The little of a browser that the mail needs. */
function browser() {
  const stored = new Map();
  const page = { state: "CONNECTED", search: "?g=1", timers: new Map(), listeners: {} };
  const listen = (kind, run) => (page.listeners[kind] = [...(page.listeners[kind] ?? []), run]);
  Object.assign(globalThis, {
    sessionStorage: {
      getItem: (name) => stored.get(name) ?? null,
      setItem: (name, text) => stored.set(name, text),
    },
    location: {
      get search() {
        return page.search;
      },
    },
    document: {
      querySelector: () => ({ getAttribute: () => page.state }),
      addEventListener: listen,
      removeEventListener: () => {},
      get visibilityState() {
        return page.hidden ? "hidden" : "visible";
      },
    },
    MutationObserver: class {
      constructor(changed) {
        listen("state", changed);
      }
      observe() {}
      disconnect() {}
    },
    window: { setTimeout: (run) => (page.timers.set(page.timers.size + 1, run), page.timers.size) },
    clearTimeout: (id) => page.timers.delete(id),
    addEventListener: listen,
    removeEventListener: () => {},
  });
  page.fire = (kind) => (page.listeners[kind] ?? []).forEach((run) => run());
  page.wait = () => [...page.timers.values()].forEach((run) => run());
  return page;
}

const page = browser();
const { runIn } = await import("../../../autodiff_viz/web/base/host.js");
const { PAGE } = await import("../../../autodiff_viz/web/hosts/page.js");
const { EditSender } = await import("../../../autodiff_viz/web/connection/edit_sender.js");
runIn(PAGE);

/** An editor on the page, and what it posted. */
function editor(name, word) {
  const host = { isConnected: true },
    posted = [];
  const mail = new EditSender(name, host);
  mail.receive(word, (message) => posted.push(message.edits.map((edit) => [edit.seq, edit.kind])));
  return { host, posted, mail };
}

const OLD = { key: "old", ack: 0, from: null };
const NEW = { key: "new", ack: 0, from: null };

test("an edit under way as the server restarts is adopted by the next editor and posted at once", () => {
  const before = editor("a", OLD);
  before.mail.send({ kind: "rule" });
  before.mail.send({ kind: "undo" });
  const after = editor("a", NEW);
  assert.deepEqual(after.posted, [
    [
      [1, "rule"],
      [2, "undo"],
    ],
  ]);
  assert.deepEqual(editor("a", { key: "third", ack: 0, from: ["new", 2] }).posted, []);
});

test("what another page has left waits for the session, and what was done before there was one comes after it", () => {
  const before = editor("early", OLD);
  before.mail.send({ kind: "rule" });
  const { posted, mail } = editor("early", { key: "opening 1", ack: 0, early: true });
  assert.deepEqual(posted, []); // there is no session to send it to
  mail.send({ kind: "undo" });
  const sent = [];
  mail.receive(NEW, ({ edits }) => sent.push(edits.map((edit) => [edit.seq, edit.kind])));
  assert.deepEqual(sent, [
    [
      [1, "rule"],
      [2, "undo"],
    ],
  ]);
  mail.receive({ ...NEW, ack: 2 }, () => {});
  assert.deepEqual(editor("early", { key: "third", ack: 0, from: null }).posted, []); // nor twice
});

test("an editor that has left the page never posts again", () => {
  const { host, posted, mail } = editor("b", OLD);
  mail.send({ kind: "rule" });
  host.isConnected = false;
  const { length } = posted;
  page.wait();
  page.fire("online");
  assert.equal(posted.length, length);
});

test("what is confirmed is neither posted nor adopted again", () => {
  const before = editor("c", OLD);
  before.mail.send({ kind: "rule" });
  before.mail.receive({ ...OLD, ack: 1 }, () => assert.fail("nothing is left to post"));
  assert.deepEqual(editor("c", NEW).posted, []);
});

test("without a connection nothing is posted, and all of it as soon as there is one", () => {
  const { posted, mail } = editor("d", OLD);
  page.state = "DISCONNECTED";
  mail.send({ kind: "rule" });
  mail.send({ kind: "output" });
  page.wait();
  assert.deepEqual(posted, []);
  page.state = "CONNECTED";
  page.fire("state");
  assert.deepEqual(posted.at(-1), [
    [1, "rule"],
    [2, "output"],
  ]);
});

test("a phone that wakes up sends what was under way", () => {
  const { posted, mail } = editor("e", OLD);
  mail.send({ kind: "rule" });
  page.fire("visibilitychange");
  assert.deepEqual(posted, [[[1, "rule"]], [[1, "rule"]]]);
});

test("storage that refuses does not stop the mail", () => {
  const { setItem } = sessionStorage;
  sessionStorage.setItem = () => {
    throw new Error("QuotaExceededError");
  };
  const { posted, mail } = editor("f", OLD);
  mail.send({ kind: "rule" });
  sessionStorage.setItem = setItem;
  assert.deepEqual(posted, [[[1, "rule"]]]);
});

test("what is confirmed on the way to the next page is done there, unless its address has it", () => {
  const before = editor("k", OLD);
  before.mail.send({ kind: "rule" });
  page.fire("beforeunload");
  before.mail.receive({ ...OLD, ack: 1 }, before.mail.post);
  before.mail.send({ kind: "undo" });
  page.search = "?g=2"; // the address that the page had no time to be left with
  before.mail.receive({ ...OLD, ack: 2 }, before.mail.post);
  assert.deepEqual(before.mail.outbox.pending, []);
  page.search = "?g=1";
  assert.deepEqual(editor("k", { key: "new", ack: 0, from: ["old", 1] }).posted, [[[1, "undo"]]]);
});

test("on the way from an address of nobody's, all that is confirmed is done again", () => {
  page.search = "";
  const before = editor("l", OLD);
  before.mail.send({ kind: "rule" });
  page.fire("beforeunload");
  page.search = "?g=2";
  before.mail.receive({ ...OLD, ack: 1 }, before.mail.post);
  page.search = "";
  assert.deepEqual(editor("l", NEW).posted, [[[1, "rule"]]]);
});

test("a page that stays, although the browser had set out, forgets what is confirmed", () => {
  const { mail } = editor("m", OLD);
  mail.send({ kind: "rule" });
  page.fire("beforeunload");
  mail.receive({ ...OLD, ack: 1 }, mail.post);
  page.wait();
  assert.deepEqual(editor("m", { key: "new", ack: 0, from: ["old", 0] }).posted, []);
});

test("what was confirmed just before a reload began is done there if the address is the one from before", (t) => {
  t.mock.method(performance, "getEntriesByType", () => [{ type: "reload" }]);
  for (const [name, kind, done] of [
    ["n", "beforeunload", [[[1, "rule"]]]],
    ["o", "popstate", []],
  ]) {
    page.search = "";
    const { mail } = editor(name, OLD);
    mail.send({ kind: "rule" });
    page.search = "?g=2"; // Python's message changes the address, and the browser has read the old one already
    mail.receive({ ...OLD, ack: 1 }, mail.post);
    page.fire(kind);
    if (kind === "popstate") page.fire("beforeunload"); // back to the address from before, as was wanted
    page.search = "";
    assert.deepEqual(editor(name, NEW).posted, done);
  }
});

test("what something else wrote in their place are no edits", () => {
  sessionStorage.setItem("autodiff_viz.1.junk", '[{"key":"old"},{"key":"odd","pending":"x"},{}]');
  const { posted, mail } = editor("junk", OLD);
  assert.deepEqual(posted, []);
  mail.send({ kind: "rule" });
  assert.deepEqual(posted, [[[1, "rule"]]]);
});

test("a request about edits that wait goes with them at once, and other requests wait for their answer", () => {
  const posted = [];
  const mail = new EditSender("f", { isConnected: true });
  mail.receive(OLD, (message) => posted.push(message));
  mail.send({ kind: "import", text: "import torch" });
  assert.equal(mail.ask({}), false);
  mail.tell({ stop: true });
  assert.deepEqual(
    posted.map(({ stop, edits }) => [stop, edits.map(({ seq, kind }) => [seq, kind])]),
    [
      [undefined, [[1, "import"]]],
      [true, [[1, "import"]]],
    ],
  );
  page.state = "DISCONNECTED";
  mail.tell({ stop: true });
  page.state = "CONNECTED";
  assert.equal(posted.length, 2);
});
