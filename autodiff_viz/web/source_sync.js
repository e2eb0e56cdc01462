// @ts-check
// Highlight on the canvas at once what the caret and the pointer in the formula mean, and select it once the caret
// rests; mark in the formula what is selected, and pointed at, on the canvas.

import { listen } from "./base/events.js";
import { bringIntoView } from "./canvas/actions/bring.js";
import { nodesOf } from "./canvas/state/fold.js";
import {
  hasCaret,
  indexed,
  isDraft,
  nodesBetween,
  nodesUnder,
  placesOf,
  showMarked,
  characterAt,
  spotsOf,
} from "./formula/places.js";
import { listenToPointing } from "./formula/pointing.js";

/** @typedef {import("./canvas/editor.js").Editor} Editor */
/** @typedef {import("./formula/editor.js").Formula} Formula */

const REST_MS = 350; // a caret that is moved by keys passes over lines on its way
const MARKED = 60; // places in the text; with more selected, as by "Select all", nothing is marked

export class SourceSync {
  /** @param {Editor} editor @param {Formula} formula */
  constructor(editor, formula) {
    this.editor = editor;
    this.formula = formula;
    this.pointed = editor.pointed;
    this.index = indexed({ text: "" }, [], []);
    /** What the index was made of. @type {unknown[]} */
    this.made = [];
    /** What is marked in the formula: the selection of which drawing. @type {unknown[]} */
    this.marked = [];
    /** Nodes that the caret means, and the pointer. @type {{ caret: string[], pointer: string[] }} */
    this.means = { caret: [], pointer: [] };
    this.timer = 0;
    editor.watchers.push(() => this.markSelection());
    listenToPointing(formula, { caret: (how) => this.put(how), hover: (at) => this.hover(at) });
    this.listenToCanvas();
    // The line of the node that runs is lit, and stays on view, while the pass is played.
    listen(
      "runs",
      ({ node }) => {
        this.mark("lit", node ? this.few([node]) : []);
        if (node) showMarked(formula, "lit");
      },
      () => formula.closed,
    );
  }

  /** Take Python's new drawing. @param {import("./types.js").Drawing} drawing */
  receive({ formula, nodes, regions, groups }) {
    const names = nodes.map(({ id }) => id);
    const made = [names.join(), formula.text, formula.places, formula.heads];
    if (isDraft(formula) && made[0] === this.made[0]) return; // the graph of the last good text, whose places are known
    if (made.every((part, i) => part === this.made[i])) return;
    this.made = made;
    this.index = indexed(formula, names, [...regions, ...groups]);
    this.markSelection();
    this.light({ pointer: [] }); // it was over a line of the text before
    if (hasCaret(this.formula)) this.lightCaret(); // the line that is being written has its nodes now
  }

  /** Follow the caret. @param {import("./formula/pointing.js").How} how */
  put(how) {
    clearTimeout(this.timer);
    if (how === "left") this.light({ caret: [] });
    else this.lightCaret();
    if (how === "pressed") this.select();
    else if (how === "moved") this.timer = window.setTimeout(() => this.select(), REST_MS);
  }

  lightCaret() {
    const spots = spotsOf(this.formula, this.index.lines);
    this.light({ caret: spots ? nodesBetween(this.index, ...spots) : [] });
  }

  /** Select what the caret means. The panel of the node does not open: it could take the place of the formula. */
  select() {
    const caret = this.means.caret.filter((name) => this.editor.node(name)); // one may just have been deleted
    if (!caret.length || !hasCaret(this.formula)) return;
    bringIntoView(this.editor, caret);
    this.editor.select(caret, true);
  }

  /** Follow the pointer in the formula. @param {{ x: number, y: number } | null} at */
  hover(at) {
    const spot = at && characterAt(this.formula, this.index.lines, at.x, at.y);
    this.light({ pointer: spot ? nodesUnder(this.index, spot) : [] });
  }

  /** Highlight what the pointer means on the canvas, else what the caret means. @param {Partial<typeof this.means>} means */
  light(means) {
    Object.assign(this.means, means);
    const { caret, pointer } = this.means;
    this.pointed.show(pointer.length ? pointer : caret);
  }

  /** Mark the selected nodes in the formula. */
  markSelection() {
    const { selection } = this.editor;
    const now = [this.made, selection, selection.size];
    if (now.every((part, i) => part === this.marked[i])) return;
    this.marked = now;
    this.mark("chosen", this.few(selection));
  }

  /** @param {"chosen" | "lit"} kind @param {import("./formula/places.js").Made[]} made */
  mark(kind, made) {
    this.formula.mark(kind, made, this.index.lines);
  }

  /** Mark in the formula what the pointer, or the focus, is on in the canvas. */
  listenToCanvas() {
    const { surface, cards } = this.editor.stage;
    const show = (/** @type {Event} */ { target }) => {
      const id = /** @type {Element} */ (target).closest("[data-id]")?.getAttribute("data-id");
      this.mark("lit", this.few(nodesOf(cards.get(id ?? "")?.node)));
    };
    surface.addEventListener(
      "pointerover",
      (event) => event.pointerType !== "touch" && !event.buttons && show(event),
    );
    surface.addEventListener("focusin", show);
    for (const kind of ["pointerleave", "focusout"])
      surface.addEventListener(kind, () => this.mark("lit", []));
  }

  /** Where the text makes these nodes; nothing of very many. @param {Iterable<string>} names */
  few(names) {
    const places = placesOf(this.index, names);
    return places.length > MARKED ? [] : places;
  }
}
