// @ts-check
// Import the parts of the lab that are used after a click alone: when they are used first, or before that, while the browser has
// nothing to do. Each is a script of its own (`parts` in ui/bundle.py), with its style sheets.

import { html } from "./base/dom.js";
import { hideStatus, showStatus } from "./canvas/draw/stage.js";

/** @typedef {import("./canvas/editor.js").Editor} Editor */

const PARTS = {
  ask: { says: "The form of questions", load: () => import("./asking/ask_form.js") },
  files: { says: "Reading and writing files", load: () => import("./canvas/files/documents.js") },
  find: { says: "The search", load: () => import("./canvas/popovers/find.js") },
  help: { says: "The list of keys", load: () => import("./canvas/actions/cheat_sheet.js") },
  notes: { says: "The notes", load: () => import("./present/notes.js") },
  present: { says: "The stage", load: () => import("./present/prepare.js") },
  share: { says: "Sharing", load: () => import("./share/dialog.js") },
  tour: { says: "The tour", load: () => import("./tour/panel.js") },
};
const IN_LAB = /** @type {Part[]} */ (Object.keys(PARTS).filter((name) => name !== "notes")); // those have a window of their own

/** @typedef {keyof typeof PARTS} Part */
/** @template {Part} P @typedef {Awaited<ReturnType<(typeof PARTS)[P]["load"]>> & { css?: string }} Exports of its module; with its style sheets, if it came as a script */

const SAID_MS = 200; // for which a part may come without a word
const AGAIN_MS = 3000; // after a part could not be loaded

/** Parts that are here. @type {Map<Part, any>} */
const here = new Map();
/** Parts that are on their way. @type {Map<Part, Promise<any>>} */
const coming = new Map();

/** @template {Part} P @param {P} name @returns {Promise<Exports<P>>} */
export function load(name) {
  const way =
    coming.get(name) ??
    PARTS[name]
      .load()
      .then((found) => (here.set(name, found), found))
      .finally(() => coming.delete(name));
  coming.set(name, way);
  return way;
}

/** Load all parts, one after the other, whenever the browser has nothing to do. */
export function loadWhenIdle() {
  const next = IN_LAB.find((name) => !here.has(name));
  const { connection } = /** @type {{ connection?: { saveData: boolean } }} */ (navigator);
  if (!next || connection?.saveData) return;
  const idle = globalThis.requestIdleCallback ?? ((begin) => setTimeout(begin, SAID_MS)); // Safari has none
  idle(() =>
    load(next).then(loadWhenIdle, () => addEventListener("online", loadWhenIdle, { once: true })),
  );
}

/** Use a part: at once if it is here, else as soon as it has come. Without a connection that is said, and tried again.
 * @template {Part} P @template T @param {Editor} editor @param {P} name @param {(part: Exports<P>) => T} use
 * @returns {T | Promise<T | undefined>} nothing if it cannot be used on this page any more */
export function withPart(editor, name, use) {
  const part = here.get(name);
  if (part) return use(dressed(editor, part));
  return arrived(editor, name).then((part) => part && use(dressed(editor, part)));
}

/** Style sheets that a canvas has. @type {WeakMap<Editor, Set<string>>} */
const worn = new WeakMap();

/** Give the canvas the style sheets of a part. @template {{ css?: string }} E @param {Editor} editor @param {E} part */
function dressed(editor, part) {
  const { css } = part;
  const has = worn.get(editor) ?? new Set();
  worn.set(editor, has);
  if (css && !has.has(css)) editor.root.append(html("style", {}, css));
  if (css) has.add(css);
  return part;
}

/** @template {Part} P @param {Editor} editor @param {P} name @returns {Promise<Exports<P> | undefined>} */
async function arrived({ stage }, name) {
  const { says } = PARTS[name];
  const saying = setTimeout(() => showStatus(stage, `${says} \u2026`, 60_000), SAID_MS);
  const free = holdKeys();
  for (;;) {
    try {
      const part = await load(name);
      if (stage.status.textContent?.startsWith(says)) hideStatus(stage);
      return part;
    } catch (error) {
      const isOld = await isGone(/** @type {{ url?: string }} */ (error).url);
      showStatus(
        stage,
        isOld
          ? `${says}: the server has a newer version of this page. Reload it; what you have made is kept.`
          : `${says}: not loaded, since the server cannot be reached. It comes when the connection is back.`,
        60_000,
      );
      if (isOld) return undefined;
    } finally {
      clearTimeout(saying);
      free();
    }
    await mayTryAgain();
  }
}

/** Whether the server answers, and no longer has a script: it has been replaced by a newer version. @param {string} [url] */
async function isGone(url) {
  const address = new URL(url ?? "", location.href);
  if (!url || address.origin !== location.origin) return false;
  return fetch(address, { method: "HEAD" }).then(
    ({ status }) => status === 404,
    () => false,
  );
}

const mayTryAgain = () =>
  new Promise((go) => {
    setTimeout(go, AGAIN_MS);
    addEventListener("online", go, { once: true });
  });

/** Keep letters that are typed for a part that has not come from the canvas, whose shortcuts they are.
 * @returns {() => void} ends it */
function holdKeys() {
  const ending = new AbortController();
  addEventListener(
    "keydown",
    (event) => {
      const [target] = /** @type {Element[]} */ (event.composedPath());
      const types = target.closest?.("input, textarea, select");
      if (types || event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      event.stopImmediatePropagation();
      event.preventDefault();
    },
    { capture: true, signal: ending.signal },
  );
  return () => ending.abort();
}
