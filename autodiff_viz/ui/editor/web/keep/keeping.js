// @ts-check
// Store the history, the view and the selection in the browser, and restore them in a new session.

import { BROWSER, readList, TAB, writeList } from "../../../web/store.js";
import { keepLarge, restoring } from "./large.js";
import { found, handed, shelved } from "./shelf.js";
import { say } from "../draw/stage.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("./shelf.js").Kept} Kept */

const NAME = "shelf";
const TAKEN_UP = ["kept", "restored"]; // edits that restore a new session
const LATER = 300; // ms between a change and its storage; a page that is left is stored at once

export class Keeping {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.timer = 0;
    this.search = ""; // of the address at the last drawing
    /** @type {Kept | null} */
    this.kept = null;
    /** The fields stored last for which the address has no room. @type {import("./large.js").Large | undefined} */
    this.large = undefined;
    editor.watchers.push(() => (this.timer ||= window.setTimeout(() => this.keep(), LATER)));
  }

  /** The edits that restore a new session of Python's. @param {{ key: string, from: [string, number] | null }} word */
  open(word) {
    this.keep();
    const { search } = location;
    const places = search ? [TAB, BROWSER] : [TAB]; // a bare address is not specific to a session
    this.kept = places.reduce((/** @type {Kept | null} */ one, place) => one ?? found(readList(place, NAME), word, search), null);
    return this.kept?.key === word.key ? [] : [...restoring(search), ...handed(this.kept, word.key)];
  }

  /** Restore the view and the selection, once the graph has arrived. @returns {boolean} whether a view was restored */
  resume() {
    const { editor, kept } = this;
    if (!kept || editor.outbox.pending.some(({ kind }) => kind === "restored")) return false;
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
    const { drawing, mail, outbox, stage, choice, selection, wire } = this.editor;
    if (mail.going) return; // the address from which the next page opens does not hold what came since
    // Until Python has answered the restoring edits, the stored state stays valid.
    if (drawing.rev < 0 || outbox.pending.some(({ kind }) => TAKEN_UP.includes(kind))) return;
    this.keepLarge(drawing.large);
    const view = choice === "own" ? stage.view : null;
    const kept = { key: outbox.key, search: this.search, trail: drawing.trail, view, selected: [...selection], wire };
    for (const place of leaving ? [TAB, BROWSER] : [TAB]) writeList(place, NAME, shelved(readList(place, NAME), kept));
  }

  /** @param {import("./large.js").Large | undefined} large */
  keepLarge(large) {
    if (large && large !== this.large && !keepLarge(large)) say(this.editor.stage, "This browser has no room for the graph: take it as JSON.");
    this.large = large;
  }

  close() {
    clearTimeout(this.timer);
  }
}
