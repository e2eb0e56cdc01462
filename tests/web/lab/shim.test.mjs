// The module of a notebook's widget: code comes once for all cells, the ground behind a cell is looked at, and keys go on.

import assert from "node:assert/strict";
import test from "node:test";

const WEB = new URL("../../../autodiff_viz/web/", import.meta.url);
const { isDark, once, pressed } = await import(new URL("notebook/shim.js", WEB));

/** The model of a cell's widget, which notes what is sent and can be told something. */
function model() {
  const listeners = new Set();
  const made = { sent: [], heard: () => listeners.size };
  made.send = (content) => made.sent.push(content);
  made.on = (_name, call) => void listeners.add(call);
  made.off = (_name, call) => void listeners.delete(call);
  made.tell = (content) => [...listeners].forEach((call) => call(content));
  return made;
}

test("what all cells share is asked for once, by the first of them", async () => {
  const [first, second] = [model(), model()];
  const asked = once(first, "code", "version 1");
  assert.equal(once(second, "code", "version 1"), asked);
  assert.deepEqual([first.sent, second.sent], [[{ kind: "code" }], []]);
  first.tell({ kind: "answer", text: "{}" }); // of another question
  first.tell({ kind: "code", text: "let a = 1", html: "<p>" });
  const { url, html } = await asked;
  assert.equal(await (await fetch(url)).text(), "let a = 1");
  assert.deepEqual([html, first.heard()], ["<p>", 0]);
  assert.equal(once(second, "code", "version 1"), asked); // also once it has come
});

test("code of another version is asked for again, as after an update of the package", () => {
  const cell = model();
  once(cell, "code", "version 2");
  once(cell, "code", "version 3");
  once(cell, "plotly", "plotly");
  assert.deepEqual(
    cell.sent.map(({ kind }) => kind),
    ["code", "code", "plotly"],
  );
});

/** An element with a ground, [red, green, blue, opacity], in another one or in a shadow. */
const element = (ground, parentElement = null, root = {}) => ({
  ground,
  parentElement,
  getRootNode: () => root,
});

test("a cell is dark as the next ground behind it that is no glass", (t) => {
  class ShadowRoot {
    constructor(host) {
      this.host = host;
    }
  }
  const pen = { clearRect: () => {}, fillRect: () => {} };
  pen.getImageData = () => ({ data: pen.fillStyle });
  const context = () => pen;
  Object.assign(globalThis, {
    ShadowRoot,
    document: { createElement: () => ({ getContext: context }) },
    getComputedStyle: ({ ground }) => ({ backgroundColor: ground }),
  });
  t.after(() =>
    ["ShadowRoot", "document", "getComputedStyle"].forEach((n) => delete globalThis[n]),
  );
  const [black, white, glass] = [[9, 9, 9, 255], [250, 250, 250, 255], [0, 0, 0, 40]]; // prettier-ignore
  assert.equal(isDark(element(black, element(white))), true);
  assert.equal(isDark(element(glass, element(white, element(black)))), false);
  assert.equal(isDark(element(glass, null, new ShadowRoot(element(black)))), true); // as in marimo
  assert.equal(isDark(element(glass)), false); // nothing is behind it: paper
});

test("keys go on to the notebook, through a shadow too, and can be taken there", (t) => {
  globalThis.KeyboardEvent = class extends Event {
    constructor(name, given) {
      super(name, given);
      Object.assign(this, { key: given.key, ctrlKey: given.ctrlKey });
    }
  };
  t.after(() => delete globalThis.KeyboardEvent);
  const { type, key, ctrlKey, bubbles, cancelable, composed } = pressed({
    key: "s",
    ctrlKey: true,
  });
  assert.deepEqual([type, key, ctrlKey], ["keydown", "s", true]);
  assert.deepEqual([bubbles, cancelable, composed], [true, true, true]);
});
