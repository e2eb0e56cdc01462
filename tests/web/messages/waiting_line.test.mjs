import assert from "node:assert/strict";
import test from "node:test";
import { runIn } from "../../../autodiff_viz/web/base/host.js";
import { WAITING } from "../../../autodiff_viz/web/canvas/draw/highlights.js";
import { Editor } from "../../../autodiff_viz/web/canvas/editor.js";
import { PAGE } from "../../../autodiff_viz/web/hosts/page.js";

runIn(PAGE);

/** An element of a page, as far as the editor makes and asks it. */
class Part {
  constructor(tag) {
    Object.assign(this, {
      tag,
      attributes: {},
      children: [],
      dataset: {},
      isConnected: true,
      textContent: "",
    });
    const names = new Set();
    this.classList = {
      add: (name) => names.add(name),
      remove: (name) => names.delete(name),
      toggle: (name, on) => (on ? names.add(name) : names.delete(name)),
      contains: (name) => names.has(name),
    };
    this.style = { setProperty() {} };
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  getAttribute(name) {
    return this.attributes[name] ?? null;
  }
  toggleAttribute() {}
  addEventListener() {}
  animate() {
    return {
      effect: { setKeyframes() {}, updateTiming() {} },
      pause() {},
      cancel() {},
      play() {},
      finished: Promise.resolve(),
    };
  }
  append(...parts) {
    for (const part of parts) this.appendChild(part);
  }
  appendChild(part) {
    this.children.push(part);
    if (part instanceof Part)
      part.remove = () => this.children.splice(this.children.indexOf(part), 1);
    return part;
  }
  querySelector(selector) {
    return this.children.find((part) => part.attributes?.class === selector.slice(1)) ?? null;
  }
}

const page = { state: "CONNECTED" };
const app = { getAttribute: () => page.state };
const stored = new Map();
const storage = {
  getItem: (name) => stored.get(name) ?? null,
  setItem: (name, text) => stored.set(name, text),
};
const listens = { addEventListener() {}, removeEventListener() {} };
const browser = {
  ...listens,
  sessionStorage: storage,
  localStorage: storage,
  location: { search: "?g=1", hash: "" },
  window: globalThis,
  document: {
    ...listens,
    querySelector: () => app,
    createElement: (tag) => new Part(tag),
    createElementNS: (_, tag) => new Part(tag),
    body: new Part("body"),
    documentElement: new Part("html"),
    visibilityState: "visible",
  },
  MutationObserver: class {
    observe() {}
    disconnect() {}
  },
  navigator: { onLine: true },
};

/** Have this browser for one test: other tests of this process have theirs. */
function browse(context) {
  const before = Object.keys(browser).map((name) => [
    name,
    Object.getOwnPropertyDescriptor(globalThis, name),
  ]);
  for (const [name, value] of Object.entries(browser))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  context.after(() =>
    before.forEach(([name, had]) =>
      had ? Object.defineProperty(globalThis, name, had) : delete globalThis[name],
    ),
  );
}

const WORD = { key: "python", ack: 0, from: null };

/** An editor whose mail Python takes and answers when told to, and the lines over its canvas. */
function opened(context) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  browse(context);
  stored.clear();
  page.state = "CONNECTED";
  const editor = new Editor();
  editor.refresh = editor.fitOnce = () => {}; // drawing is tested elsewhere
  editor.mail.receive(WORD, () => {});
  const answer = () => {
    const ack = editor.mail.newest.seq;
    editor.mail.receive({ ...WORD, ack }, () => {});
    editor.receive({ ...editor.drawing, ack, rev: ack });
  };
  const lines = () =>
    editor.stage.host.children
      .filter((part) => part.attributes?.class?.includes("waits"))
      .map((part) => part.children[0]);
  return { editor, answer, lines };
}

test("an edit that Python has not answered for a second says so on the canvas until it has", (context) => {
  const { editor, answer, lines } = opened(context);
  editor.send({ kind: "rule" });
  context.mock.timers.tick(900);
  assert.deepEqual(lines(), []);
  context.mock.timers.tick(200);
  assert.deepEqual(lines(), [WAITING]);
  answer();
  assert.deepEqual(lines(), []);
});

test("an answer within a second leaves no line behind", (context) => {
  const { editor, answer, lines } = opened(context);
  editor.send({ kind: "rule" });
  context.mock.timers.tick(500);
  answer();
  context.mock.timers.tick(5000);
  assert.deepEqual(lines(), []);
});

test("a formula that is typed is awaited too", (context) => {
  const { editor, lines } = opened(context);
  editor.mail.desk("type").send({ text: "x = 1.0" });
  context.mock.timers.tick(1100);
  assert.deepEqual(lines(), [WAITING]);
});

test("what is said of an answer is awaited too, though it changes no number", (context) => {
  const { editor, answer, lines } = opened(context);
  editor.send({ kind: "answer", at: 0, text: "1.5" });
  context.mock.timers.tick(1100);
  assert.deepEqual(lines(), [WAITING]);
  answer();
  assert.deepEqual(lines(), []);
});

test("edits that change no number, and sliders, which move their numbers themselves, are not", (context) => {
  const { editor, lines } = opened(context);
  for (const kind of ["select", "move", "figure"]) editor.send({ kind });
  editor.mail.desk("slide").send({ value: 1 });
  context.mock.timers.tick(5000);
  assert.deepEqual(lines(), []);
});

test("without a connection it is not JAX that is waited for", (context) => {
  const { editor, lines } = opened(context);
  editor.send({ kind: "rule" });
  context.mock.timers.tick(1100);
  assert.deepEqual(lines(), [WAITING]);
  page.state = "DISCONNECTED";
  editor.mail.changed(); // as `watchNetwork` does
  assert.deepEqual(lines(), []);
});

test("without a connection numbers are those from before an edit, until it is answered", (context) => {
  const { editor, answer } = opened(context);
  const isBehind = () => editor.stage.host.classList.contains("behind");
  editor.send({ kind: "rule" });
  assert.equal(isBehind(), false); // it is being computed
  page.state = "DISCONNECTED";
  editor.mail.changed();
  assert.equal(isBehind(), true);
  answer();
  assert.equal(isBehind(), false);
  editor.send({ kind: "select" });
  assert.equal(isBehind(), false); // it changes none
});

test("nor do they follow a slider of which there is no table, or another one than that", (context) => {
  const { editor } = opened(context);
  const isBehind = () => editor.stage.host.classList.contains("behind");
  page.state = "DISCONNECTED";
  editor.row = { input: "x" }; // the numbers on view are of its position
  editor.mail.desk("slide").send({ name: "x", value: 1 });
  assert.equal(isBehind(), false);
  editor.mail.desk("slide").send({ name: "y", value: 1 });
  assert.equal(isBehind(), true);
  editor.row = null;
  editor.mail.changed();
  assert.equal(isBehind(), true);
});
