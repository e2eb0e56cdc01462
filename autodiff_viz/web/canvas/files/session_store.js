// @ts-check
// Store the history, the view and the selection in the browser, and restore them in a new session.

import { BROWSER, readList, TAB, writeList } from "../../base/store.js";
import { showStatus } from "../draw/stage.js";

// Fields too long for an address, under the digest that the address carries instead.

/** @typedef {{ digest: string, fields: Record<string, string> }} Large as ui/session.py makes it */

const LARGE = "large";
const KEPT = 2; // entries; each may have some hundred thousand characters

/** @param {Large} large @returns {boolean} whether there was room */
export function keepLarge(large) {
  for (const place of [TAB, BROWSER]) {
    const others = readList(place, LARGE).filter(({ digest }) => digest !== large.digest);
    writeList(place, LARGE, [large, ...others].slice(0, KEPT));
  }
  return Boolean(findLarge(large.digest));
}

/** @param {string} wanted @returns {Large | undefined} */
export const findLarge = (wanted) =>
  [TAB, BROWSER].flatMap((place) => readList(place, LARGE)).find(({ digest }) => digest === wanted);

/** The digest in an address, if there is one. @param {string} search @returns {string | null} */
export const digestOf = (search) => new URLSearchParams(search).get("kept");

/** The edits that restore in a new session the fields that the address has no room for.
 * @param {string} search
 * @returns {import("../../connection/edit_sender.js").NewEdit[]} */
export function restoreEdits(search) {
  const wanted = digestOf(search);
  const large = wanted && findLarge(wanted);
  return large
    ? [
        {
          kind: "restored",
          query: { ...Object.fromEntries(new URLSearchParams(search)), ...large.fields },
        },
      ]
    : [];
}

// What is stored besides the address: the history as text, the view and the selection, for a reload, a new
// tab or a restarted server. Pure.

/** @typedef {import("../../connection/edit_sender.js").NewEdit} NewEdit */
/** @typedef {import("../../types.js").Viewport} Viewport */
/**
 * The history as lab/persistence/history.py and lab/persistence/address.py make it.
 *
 * @typedef {object} Trail
 * @property {number} at
 * @property {string} graph
 * @property {string} text
 * @property {Record<string, string>} steps
 * @property {Record<string, string>} [documents]
 */
/**
 * @typedef {object} Kept
 * @property {string} key of the session
 * @property {string} search what the address bar said meanwhile
 * @property {Trail} [trail]
 * @property {Viewport | null} [view]
 * @property {string[]} [selected]
 * @property {string | null} [wire]
 */

const MOST = 4; // sessions that are stored

/** Records with a new one first, and one for each address and session.
 * @param {Kept[]} shelf @param {Kept} kept @returns {Kept[]} */
export const withRecord = (shelf, kept) =>
  [kept, ...shelf.filter(({ key, search }) => key !== kept.key && search !== kept.search)].slice(
    0,
    MOST,
  );

/** The record for the graph that Python has opened: of this session, else of the same address, else of the session
 * that wrote the address.
 * @param {Kept[]} shelf @param {{ key: string, from: [string, number] | null }} word @param {string} search @returns {Kept | null} */
export const recordFor = (shelf, { key, from }, search) =>
  shelf.find((kept) => kept.key === key) ??
  shelf.find((kept) => kept.search === search) ??
  shelf.find((kept) => kept.key === from?.[0]) ??
  null;

/** The edits that restore a new session's history.
 * @param {Kept | null} kept @param {string} key of the session @returns {NewEdit[]} */
export function historyEdits(kept, key) {
  if (!kept?.trail || kept.key === key || Object.keys(kept.trail.steps).length < 2) return [];
  return [{ kind: "kept", trail: kept.trail, link: new URLSearchParams(kept.search).get("g") }];
}

/** @typedef {import("../editor.js").Editor} Editor */

const SHELF = "shelf";
const TAKEN_UP = ["kept", "restored"]; // edits that restore a new session
const LATER = 300; // ms between a change and its storage; a page that is left is stored at once

export class SessionStore {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.timer = 0;
    this.search = ""; // of the address at the last drawing
    /** @type {Kept | null} */
    this.kept = null;
    /** The fields stored last for which the address has no room. @type {Large | undefined} */
    this.large = undefined;
    editor.watchers.push(() => (this.timer ||= window.setTimeout(() => this.keep(), LATER)));
  }

  /** The edits that restore a new session of Python's. @param {{ key: string, from: [string, number] | null }} word */
  open(word) {
    this.keep();
    const { search } = location;
    const places = search ? [TAB, BROWSER] : [TAB]; // a bare address is not specific to a session
    this.kept = places.reduce(
      (/** @type {Kept | null} */ one, place) =>
        one ?? recordFor(readList(place, SHELF), word, search),
      null,
    );
    return this.kept?.key === word.key
      ? []
      : [...restoreEdits(search), ...historyEdits(this.kept, word.key)];
  }

  /** Restore the view and the selection, once the graph has arrived. @returns {boolean} whether a view was restored */
  resume() {
    const { editor, kept } = this;
    if (!kept || editor.pending.some(({ kind }) => kind === "restored")) return false;
    this.kept = null;
    const { view, selected = [], wire = null } = kept;
    if (selected.length > 1) editor.selection = new Set(selected);
    if (!editor.selection.size) editor.wire = wire;
    editor.refresh();
    if (!view) return false;
    [editor.fitted, editor.linked] = [true, null]; // the user has moved on from the view of the link
    editor.look(view);
    return true;
  }

  /** Store the state; `leaving` also for other tabs, which may then open its graph.
   * @param {boolean} [leaving] the page: another tab may then open its graph */
  keep(leaving = false) {
    clearTimeout(this.timer);
    this.timer = 0;
    const { drawing, mail, pending, stage, choice, selection, wire } = this.editor;
    if (mail.isEarly) return; // what is stored is of the session before
    if (mail.going) return; // the address from which the next page opens does not hold what came since
    // Until Python has answered the restoring edits, the stored state stays valid.
    if (drawing.rev < 0 || pending.some(({ kind }) => TAKEN_UP.includes(kind))) return;
    this.keepLarge(drawing.large);
    const view = choice === "own" ? stage.view : null;
    const kept = {
      key: mail.outbox.key,
      search: this.search,
      trail: drawing.trail,
      view,
      selected: [...selection],
      wire,
    };
    for (const place of leaving ? [TAB, BROWSER] : [TAB])
      writeList(place, SHELF, withRecord(readList(place, SHELF), kept));
  }

  /** @param {Large | undefined} large */
  keepLarge(large) {
    if (large && large !== this.large && !keepLarge(large))
      showStatus(this.editor.stage, "This browser has no room for the graph: take it as JSON.");
    this.large = large;
  }

  close() {
    clearTimeout(this.timer);
  }
}
