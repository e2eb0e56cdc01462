// @ts-check
// Keeps the history, the view and the selection in the browser, and takes them up again in a new session.

import { BROWSER, readList, TAB, writeList } from "../../web/store.js";
import { found, handed, shelved } from "./shelf.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./shelf.js").Kept} Kept */

const NAME = "shelf";
const LATER = 300; // ms after a change until it is kept; a page that is left is kept at once

export class Keeping {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.timer = 0;
    this.search = ""; // of the address as the last drawing came
    /** @type {Kept | null} */
    this.kept = null;
    editor.watchers.push(() => (this.timer ||= window.setTimeout(() => this.keep(), LATER)));
  }

  /** A new session of Python's: what brings it where this one was. @param {{ key: string, from: [string, number] | null }} word */
  open(word) {
    this.keep();
    this.kept = [TAB, BROWSER].reduce((/** @type {Kept | null} */ one, place) => one ?? found(readList(place, NAME), word, location.search), null);
    return handed(this.kept, word.key);
  }

  /** The view and the selection as they were. */
  resume() {
    const { editor, kept } = this;
    this.kept = null;
    if (!kept) return;
    const { view, selected = [], wire = null } = kept;
    if (selected.length > 1) editor.selection = new Set(selected);
    if (!editor.selection.size) editor.wire = wire;
    editor.refresh();
    if (!view) return;
    editor.fitted = true;
    editor.look(view);
  }

  /** @param {boolean} [leaving] the page: another tab may then open its graph */
  keep(leaving = false) {
    clearTimeout(this.timer);
    this.timer = 0;
    const { drawing, outbox, stage, choice, selection, wire } = this.editor;
    // Python has not yet said what became of what was kept: until then that counts.
    if (drawing.rev < 0 || outbox.pending.some(({ kind }) => kind === "kept")) return;
    const view = choice === "own" ? stage.view : null;
    const kept = { key: outbox.key, search: this.search, trail: drawing.trail, view, selected: [...selection], wire };
    for (const place of leaving ? [TAB, BROWSER] : [TAB]) writeList(place, NAME, shelved(readList(place, NAME), kept));
  }

  close() {
    clearTimeout(this.timer);
  }
}
