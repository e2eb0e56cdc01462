// @ts-check
// Run in a document of its own in the cell of a notebook: messages to and from the kernel by the widget's channel, the
// theme of the notebook, and nothing kept but in the kernel.

import { html, setText } from "../base/dom.js";
import { dispatch } from "../base/events.js";
import { BARE } from "../base/host.js";
import { Places } from "../places.js";

/**
 * The way to the kernel and to the notebook around the cell (notebook/shim.js).
 *
 * @typedef {object} Peer
 * @property {(content: object) => void} send
 * @property {(heard: (content: any) => void) => () => void} listen calls `heard` with what the kernel sends, until its result is called
 * @property {(keys: Keys) => void} press presses keys in the notebook
 * @property {() => boolean} isDark whether the notebook is
 * @property {(changed: () => void) => void} watch calls `changed` when its theme has changed
 */

/** Of a KeyboardEvent. @typedef {{ key: string, code: string, keyCode: number, ctrlKey: boolean, metaKey: boolean, shiftKey: boolean }} Keys */

/** What takes a server, an address or the page's own widgets. */
const ON_THE_PAGE = new Set(
  "answered ask figure handout json link marimo notebook open openText python report share stage torch tour twins welcome".split(
    " ",
  ),
);
export const LATE_MS = 5000; // without an answer to an edit: it takes milliseconds, but a kernel may answer between two cells only

export const GONE =
  "The kernel has stopped; run the cell again. To keep this graph, copy its formula first.";

/** A storage in memory: what is made here is the kernel's to keep. @returns {any} */
function memory() {
  /** @type {Map<string, string>} */
  const held = new Map();
  return {
    getItem: (/** @type {string} */ key) => held.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void held.set(key, value),
  };
}

/** Have the notebook saved, as it is when the focus is not in a cell's own document: the browser would save this document.
 * @param {EventTarget} page @param {Pick<Peer, "press">} peer */
export function saveWith(page, peer) {
  const heard = (/** @type {any} */ event) => {
    const { key, code, keyCode, ctrlKey, metaKey, shiftKey, altKey } = event;
    if (key.toLowerCase() !== "s" || altKey || !(ctrlKey || metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    peer.press({ key, code, keyCode, ctrlKey, metaKey, shiftKey });
  };
  page.addEventListener("keydown", heard, true); // before the canvas and the formula, which keep keys to themselves
}

/** All that can be done once the kernel has ended. */
function copyButton() {
  const copy = () => setText(button, copyFormula() ? "Copied" : "Copy it from its panel");
  const button = html("button", { type: "button", click: copy }, "Copy formula");
  return button;
}

/** Copy in the click itself, which a page without https may do too. @returns {boolean} whether it was copied */
function copyFormula() {
  const field = /** @type {HTMLTextAreaElement} */ (html("textarea"));
  field.value = dispatch("formula", { text: "" }).text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}

/** @param {Peer} peer @returns {import("../base/host.js").Host} */
export function notebookOf(peer) {
  const [tab, browser] = [memory(), memory()];
  /** @type {Set<() => void>} */
  const watchers = new Set();
  let away = false;
  let gone = false; // whether the kernel has ended: another one knows nothing of this lab
  let timer = 0;
  let theme = "auto"; // that of the notebook
  const setAway = (/** @type {boolean} */ on) => {
    clearTimeout(timer);
    timer = 0;
    if (on === away) return;
    away = on;
    for (const changed of watchers) changed();
  };
  const paint = () =>
    /** @type {any} */ (globalThis).autodiff_viz_theme?.set(
      theme === "auto" ? (peer.isDark() ? "dark" : "light") : theme,
    );
  peer.watch?.(paint);
  return {
    ...BARE,
    name: "notebook",
    mount: (own, css, parts) => (paint(), saveWith(document, peer), new Places(own, css, parts)),
    openChannel: (heard) => {
      const close = peer.listen((content) => {
        if (content.kind === "cut") return void ((gone = true), setAway(true));
        if (content.kind !== "answer") return;
        gone = false; // the notebook has found its kernel again
        heard(JSON.parse(content.text));
        setAway(false); // and so what has waited is sent
      });
      return {
        open: () => {},
        send: (message) => {
          peer.send({ kind: "message", message });
          if (message.edits?.length) timer ||= Number(setTimeout(() => setAway(true), LATE_MS));
          return true;
        },
        close,
      };
    },
    offers: (name) => !ON_THE_PAGE.has(name),
    setTheme: (name) => ((theme = name), paint()),
    storage: { tab: () => tab, browser: () => browser },
    size: { ...BARE.size, scrolls: () => true },
    reach: {
      ...BARE.reach,
      isConnected: () => !away,
      isOffline: () => away,
      watch: (changed) => (watchers.add(changed), () => void watchers.delete(changed)),
      says: "The kernel does not answer: it is busy, or it has stopped (then run the cell again).",
      over: () => (gone ? GONE : ""),
      told: (element) => gone && element.querySelector(".offline")?.append(copyButton()),
    },
  };
}
