// @ts-check
// Show a graph from a file, without a server: the canvas of the page with what looks and asks, and the file's
// own answers. The entry point of the script in the file.

import { html, setText } from "../base/dom.js";
import { dispatch, listen } from "../base/events.js";
import { host as place, runIn } from "../base/host.js";
import { explainTerms, setExplained } from "../base/term.js";
import { answerKeys, listenToKeys } from "../canvas/actions/keys.js";
import { bar, makeOneTabStop } from "../canvas/actions/toolbar.js";
import { showElementTips } from "../canvas/draw/elements.js";
import { traceLineage } from "../canvas/draw/highlights.js";
import { legend, showReads } from "../canvas/draw/reads.js";
import { keepDescriptions } from "../canvas/draw/screen_reader.js";
import { showStatus } from "../canvas/draw/stage.js";
import { Editor } from "../canvas/editor.js";
import { listenToPointers } from "../canvas/gestures/gestures.js";
import { listenToPanning, listenToWheel } from "../canvas/gestures/pan_zoom.js";
import { listenToSliders } from "../canvas/scrub.js";
import { readDrawing } from "../canvas/state/read_drawing.js";
import { showLook, watchLook } from "../dock/layout.js";
import { lightParting, twinsBar } from "../explain/compare.js";
import { PathHighlight, PathsList } from "../explain/paths.js";
import { openTransport } from "../explain/play_bar.js";
import { WhyZero } from "../explain/zero.js";
import { FILE } from "../hosts/file.js";
import { Inspector } from "../inspector/panel.js";
import { Board } from "../sliders/sliders.js";
import { Source, unpacked } from "./source.js";

/**
 * What a file holds; standalone/data.py writes it.
 *
 * @typedef {object} Held
 * @property {import("./source.js").State} first the first step: its drawing, and what it is about
 * @property {string} packed all steps and their twins, as `unpacked` reads them
 * @property {string} lab address of the lab, "" if it is not known
 */

const NOT_HERE = "needs the lab: this file has only what was computed when it was made.";
const SHOWN_MS = 7000;
const ASKING = new Set(["answer", "reveal", "stop_asking"]); // kinds of edits
const MOVED = -1; // state of the numbers at another position of a slider, of which no pass is in the file

/** @param {Held} held @param {Record<string, string>} css by place */
export default function figure(held, css) {
  new Figure(held, css).begin(held);
}

/** @typedef {import("../messages.js").Edit} Edit */
/**
 * What a figure that asks has besides.
 *
 * @typedef {object} Asks
 * @property {(editor: Editor) => HTMLElement} bar the row with the question
 * @property {(source: Source, edit: Edit) => Promise<import("../types.js").Notice[] | null>} take answers a question: the reasons
 *   why an answer could not be read; null if the edit is none
 */

export class Figure {
  /** @param {Held} held @param {Record<string, string>} css @param {Asks} [asks] */
  constructor({ first, lab }, css, asks) {
    runIn(FILE);
    this.asks = asks;
    this.lab = lab;
    this.source = new Source([first], 1);
    /** The input whose slider stands elsewhere than in the file. @type {string | null} */
    this.moved = null;
    const editor = new Editor();
    editor.isFixed = true;
    this.editor = editor;
    editor.mail.post = (/** @type {any} */ edit) => this.take(edit);
    this.board = new Board(editor.mail.desk("slide"));
    this.inspector = new Inspector({ send: (_edit, refused) => this.refuse("A change", refused) });
    this.cause = new WhyZero(editor);
    const light = new PathHighlight(editor);
    this.paths = new PathsList((path) => light.show(path));
    const { host } = editor.stage;
    listenToPointers(editor);
    listenToKeys(editor);
    listenToPanning(editor);
    listenToWheel(editor);
    traceLineage(editor);
    showElementTips(editor);
    host.append(legend());
    lightParting(editor);
    showReads(editor);
    listenToSliders(editor);
    const bench = openTransport(editor);
    answerKeys(editor, bench);
    const go = (/** @type {string} */ label, /** @type {number} */ by) =>
      /** @type {HTMLButtonElement} */ (
        html("button", { type: "button", class: "tool", click: () => this.go(by) }, label)
      );
    this.back = go("Back", -1);
    this.on = go("Next", 1);
    this.where = html("span", { class: "where", role: "status" });
    this.stepper = html(
      "div",
      { class: "bar steps", hidden: true },
      this.back,
      this.where,
      this.on,
    );
    const tools = html(
      "div",
      { class: "strip" },
      this.stepper,
      bar(editor, "view", "view", "View"),
    );
    answerKeys(editor, tools);
    editor.root = html(
      "div",
      { class: "workspace" },
      tools,
      twinsBar(editor),
      ...(asks ? [asks.bar(editor)] : []),
      host,
      bench,
    );
    for (const part of editor.root.querySelectorAll("[role='toolbar']"))
      makeOneTabStop(/** @type {HTMLElement} */ (part));
    new ResizeObserver(() => editor.resized()).observe(host);
    keepDescriptions(editor);
    editor.watchers.push(() => this.inspector.hintAt(editor.single ? [] : [...editor.selection]));
    this.says = html("p", { class: "away", role: "status", hidden: true });
    place.mount(document, css, {
      editor: editor.root,
      sliders: this.board.host,
      node: this.inspector.host,
      paths: this.paths.host,
    });
    document.body.append(this.says);
    this.listen();
  }

  listen() {
    const never = () => false;
    listen("needs-lab", ({ what }) => this.refuse(what), never);
    listen("numbers", ({ numbers }) => this.inspector.follow(numbers), never);
    listen("lag", ({ on, says }) => this.inspector.lag(on ? says : null), never);
    listen("lag", ({ on, says }) => this.paths.lag(on ? says : null), never);
    listen("play", ({ isComputed }) => this.inspector.play(isComputed), never);
    listen("wants-play", () => this.play(), never);
    listen("bring-back", (about) => (about.done = this.leave()), never);
    explainTerms();
    // In a frame the wheel is the page's until the frame has been clicked, or with Ctrl.
    addEventListener(
      "wheel",
      (event) => {
        if (window.parent !== window && !document.hasFocus() && !event.ctrlKey && !event.metaKey)
          event.stopImmediatePropagation();
      },
      { capture: true, passive: true },
    );
    watchLook(() => this.editor.resized());
    showLook();
  }

  /** @param {Held} held */
  async begin({ packed }) {
    this.show(true);
    document.documentElement.dataset.figure = "shown";
    const { states, shown } = await unpacked(packed);
    this.source = new Source(states, shown);
    this.show(true);
    document.documentElement.dataset.figure = "ready";
    this.mark();
  }

  /** Show the step of the source. @param {boolean} [other] whether it is another one than on view
   * @param {import("../types.js").Notice[]} [notice] why an answer could not be read */
  show(other = false, notice = []) {
    const { source, editor, board } = this;
    const { state } = source;
    const drawing = readDrawing({ ...source.drawing(editor.mail.outbox.last), notice });
    if (this.moved !== null) drawing.state = MOVED;
    editor.receive(drawing);
    if (other) {
      board.receive(drawing.sliders ?? { rows: [], limit: 0 }, Number(drawing.graph));
      for (const table of state.tables) this.offer(table);
      this.tell(state);
    }
    this.inspector.receive(drawing.node, drawing.ack);
    this.cause.receive(drawing.node, undefined);
    this.paths.receive(source.paths);
  }

  /** Take a table; its slider goes from position to position. @param {import("../canvas/scrub.js").Sent} table */
  offer(table) {
    dispatch("sweep", table);
    const row = this.board.rows.get(table.input);
    if (!row) return;
    const step = (table.high - table.low) / (table.count - 1);
    row.line.step = String(step);
    row.step = step / 10; // ten of which are a press of an arrow key in the box
  }

  /** Write what the step is about beside the canvas. @param {import("./source.js").State} state */
  tell(state) {
    for (const [name, text] of Object.entries({
      title: state.title,
      text: state.text,
      says: state.says,
    })) {
      const part = document.querySelector(`[data-says="${name}"]`);
      if (part) setExplained(/** @type {HTMLElement} */ (part), text);
    }
    for (const link of document.querySelectorAll("a[data-lab]"))
      if (state.link || this.lab) link.setAttribute("href", state.link || this.lab);
    const { source } = this;
    setText(this.where, `${source.step + 1} of ${source.shown}`);
    this.stepper.hidden = source.shown < 2;
    this.back.disabled = source.step === 0;
    this.on.disabled = source.step === source.shown - 1;
  }

  /** @param {number} by */
  go(by) {
    this.leave();
    this.source.go(this.source.step + by);
    this.show(true);
  }

  /** Answer an edit of the canvas, the panel or a slider. @param {any} edit */
  take(edit) {
    const flips = edit.kind === "flip";
    if (flips) this.leave();
    if (edit.kind === "slide") this.slide(edit);
    else if (this.source.take(edit)) this.show(flips);
    else if (this.asks && ASKING.has(edit.kind)) this.answer(this.asks, edit);
    else this.refuse("Changing the graph");
  }

  /** Judge an answer by what the file holds. @param {Asks} asks @param {Edit} edit */
  async answer(asks, edit) {
    this.show(true, (await asks.take(this.source, edit)) ?? []);
    this.mark();
  }

  /** Let the page around the figure know once every question has been answered: it may tell more then. */
  mark() {
    document.documentElement.toggleAttribute("data-told", this.source.isTold);
  }

  /** Show the numbers at the position of the table that is nearest to a value: all that the file has between its
   * ends. One slider at a time stands elsewhere than in the file. @param {{ name: string, value: number }} edit */
  slide({ name, value }) {
    if (this.moved !== null && this.moved !== name) this.leave();
    const { position } = dispatch("scrub", { input: name, value });
    const row = this.board.rows.get(name);
    if (position === undefined || !row) return void this.refuse(`This value of ${name}`);
    row.paint(position);
    if (this.moved === name) return;
    this.moved = name;
    this.editor.drawing.state = MOVED;
    showStatus(
      this.editor.stage,
      `The numbers along ${name}, computed by JAX. Escape brings back the file's own value.`,
    );
  }

  /** Bring back the numbers of the file. @returns {boolean} whether a slider stood elsewhere */
  leave() {
    if (this.moved === null) return false;
    this.moved = null;
    this.editor.drawing.state = this.source.number;
    dispatch("settled", {});
    const { sliders } = this.source.state.drawing;
    for (const item of sliders?.rows ?? [])
      this.board.rows.get(item.name)?.paint(Number(item.value));
    return true;
  }

  /** Play the pass of the numbers in the file. */
  play() {
    this.leave();
    const { play } = this.source.state;
    dispatch("played", { ...play, state: this.source.number });
  }

  /** Say that something needs the lab, with a link to it. @param {string} what @param {(reason: string) => void} [refused] @returns {number} */
  refuse(what, refused) {
    const link = this.source.state.link || this.lab;
    this.says.replaceChildren(
      `${what} ${NOT_HERE} `,
      ...(link
        ? [html("a", { href: link, target: "_blank", rel: "noopener" }, "Open it in the lab")]
        : []),
    );
    this.says.hidden = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.says.hidden = true), SHOWN_MS);
    refused?.(`${what} ${NOT_HERE}`);
    return this.editor.mail.outbox.last;
  }
}
