// @ts-check
// Edit the formula: show the user's text and Python's last answer about it.

import { shared } from "../base/constants.js";
import { html } from "../base/dom.js";
import { listen, dispatch } from "../base/events.js";
import { changeLook } from "../dock/layout.js";
import { caretAfter, change, offsetOf, placeOf, unitOf } from "./caret.js";
import { below, Popup } from "./complete.js";
import { foldedRange, offsetInText, foldedLines, withNumber } from "./fold.js";
import { boxOf, withCorrection, lineMap, messageAt, paint, pieces, placeAt } from "./mirror.js";
import { hasCaret, isDraft, rangesOf, showMarked } from "./places.js";

// The footer: mistakes, or help. Its height is fixed, so that nothing below jumps.

/** @typedef {import("../types.js").Mistake} Mistake */
/** @typedef {import("../types.js").Correction} Correction */

const SHOWN = 4; // the first mistakes are the ones to mend; the rest often follow from them

/**
 * What the buttons of the footer do.
 *
 * @typedef {object} FootActions
 * @property {(place: { line?: number, column?: number }) => void} go to a place in the text
 * @property {(correction: Correction) => void} correct apply a correction
 * @property {() => void} asFormula write the code as a formula
 * @property {() => void} again read the code again
 * @property {(text: string) => void} open an example of code
 */

/** @param {Element} foot @param {{ mistakes: Mistake[], readings: string[], code?: import("../types.js").CodeView | null }} data
 * @param {FootActions} actions */
export function list(foot, { mistakes, readings, code }, actions) {
  const { go, correct, again, asFormula, open } = actions;
  const sign = JSON.stringify([mistakes, readings, code]);
  if (signs.get(foot) === sign) return; // announced once
  signs.set(foot, sign);
  const items = mistakes
    .slice(0, SHOWN)
    .map((mistake) => entry(mistake, () => go(mistake), correct, again));
  const more = mistakes.length - SHOWN;
  foot.replaceChildren(
    ...(items.length ? [html("ul", {}, ...items)] : []),
    ...(more > 0 ? [html("p", {}, `And ${more} more.`)] : []),
    ...(code
      ? readAs(code, items.length > 0, { go, asFormula, open })
      : items.length
        ? []
        : [help(readings, open)]),
  );
}

/** What code was read as: its library, the way to a formula, and what became what.
 * @param {import("../types.js").CodeView} code @param {boolean} partly whether some of it could not be read
 * @param {Pick<FootActions, "go" | "asFormula" | "open">} actions */
function readAs({ library, extent, other, changes, more }, partly, { go, asFormula, open }) {
  const lines = changes.map(({ lines: at, says }) =>
    html(
      "li",
      {},
      ...at.flatMap((line, i) => [
        i > 0 && (i === at.length - 1 ? " and " : ", "),
        lineButton(line, () => go({ line }), i > 0),
      ]),
      ` ${says}`,
    ),
  );
  return [
    html(
      "p",
      { class: "library" },
      partly ? `The graph is the rest, read as ${library}. ` : `Read as ${library}, not run. `,
      html("button", { type: "button", class: "as-formula", click: asFormula }, "As formula"),
    ),
    extent && html("p", { class: "extent" }, extent),
    other && html("p", {}, other),
    lines.length > 0 && html("ul", { class: "changes" }, ...lines),
    more > 0 && html("p", {}, `And ${more} more.`),
    ...fromCode("Other code", open),
  ].filter((part) => part instanceof Node);
}

/** @param {number} line @param {() => void} go @param {boolean} [further] one of several lines, after the first */
const lineButton = (line, go, further = false) =>
  html(
    "button",
    { type: "button", class: "place", title: "Go there", "aria-label": `Line ${line}`, click: go },
    further ? `${line}` : `Line ${line}`,
  );

/** The mistakes that a footer shows. @type {WeakMap<Element, string>} */
const signs = new WeakMap();

/** @param {Mistake} mistake @param {() => void} go @param {(correction: Correction) => void} correct @param {() => void} again */
function entry({ line, message, hint, correction, again: mayAgain }, go, correct, again) {
  const where = line ? lineButton(line, go) : null;
  const mend =
    correction &&
    html(
      "button",
      { type: "button", class: "correct", click: () => correct(correction) },
      correction.label,
    );
  const read =
    mayAgain && html("button", { type: "button", class: "correct", click: again }, "Read it again");
  const repeats = correction && hint === `${correction.label}.`; // the button says it
  return html(
    "li",
    { class: "mistake" },
    html("p", {}, where, where && " ", message),
    hint && !repeats && html("p", { class: "hint" }, hint),
    mend || read || null,
  );
}

/** How the formula is read, if not as Python would, or else how one is written.
 * @param {string[]} readings @param {FootActions["open"]} open */
function help(readings, open) {
  const [button, examples] = fromCode("From code", open);
  const says = readings.length
    ? readings.map((reading) => `${reading} `)
    : ["One value a line: ", html("code", {}, "y = sin(x) * 2.0"), ". A number gets a slider. "];
  return html("div", { class: "hint" }, html("p", {}, ...says, button), examples);
}

/** A button, and code that can be tried, which it shows. The button stays where it is.
 * @param {string} title @param {FootActions["open"]} open */
function fromCode(title, open) {
  const examples = shared.code_examples.map(({ title, text }) =>
    html(
      "li",
      {},
      html("button", { type: "button", class: "example", click: () => choose(text) }, title),
    ),
  );
  const says =
    "Paste code of PyTorch, JAX, TensorFlow or NumPy into the field above, in place of its text. It is read, never run. Or try:";
  const shown = html(
    "div",
    { class: "code-examples", hidden: true },
    html("p", {}, says),
    html("ul", {}, ...examples),
  );
  const button = html(
    "button",
    { type: "button", class: "from-code", click: () => show(Boolean(shown.hidden)) },
    title,
  );
  const show = (/** @type {boolean} */ on) => {
    shown.hidden = !on;
    button.setAttribute("aria-expanded", String(on));
  };
  const choose = (/** @type {string} */ text) => (show(false), open(text));
  show(false);
  return [button, shown];
}

/** @typedef {import("../types.js").FormulaData} Data */
/** @typedef {import("../types.js").Range} Range */

const IMPORTS = /^(import|from) /m; // in code
const PAUSE_MS = 350; // ms after the last key; a run of the script takes less

/** @type {Data} */
const NOTHING = {
  ack: 0,
  text: "",
  mistakes: [],
  marks: [],
  notes: [],
  readings: [],
  places: "",
  heads: "",
};

export class Formula {
  /** @param {import("../types.js").Word[]} words of the language @param {import("../connection/edit_sender.js").Desk<"type">} desk */
  constructor(words, desk) {
    this.area = /** @type {HTMLTextAreaElement} */ (
      html("textarea", {
        "aria-label": "Formula",
        "aria-describedby": "foot",
        "aria-autocomplete": "list",
        "aria-haspopup": "listbox",
        spellcheck: "false",
        autocomplete: "off",
        autocapitalize: "off",
        autocorrect: "off",
        rows: 1,
      })
    );
    this.mirror = html("div", { class: "mirror", "aria-hidden": "true" });
    this.foot = html("div", { class: "foot", id: "foot", role: "status" });
    this.bubble = html("div", { class: "bubble", popover: "manual" });
    this.popup = new Popup(this.area, ({ start, end }, word) =>
      this.replace({ start, end, insert: word }),
    );
    this.box = html(
      "div",
      { class: "box" },
      html("div", { class: "sheet" }, this.mirror, this.area),
    );
    this.host = html(
      "div",
      { class: "formula" },
      this.box,
      this.foot,
      this.popup.root,
      this.bubble,
    );
    this.desk = desk;
    this.data = NOTHING;
    this.words = words;
    this.kinds = new Map(words.map(({ word, kind }) => [word, kind]));
    this.begun = false; // the user has typed: Tab indents
    this.reads = true; // long literals are folded, until the text gets the focus
    this.fresh = true; // the next text sent begins a new step of undo
    this.unsent = false;
    this.pasted = false; // the output is to be shown as soon as the graph is drawn
    /** The number of a slider that is being dragged. @type {{ input: string, number: string } | null} */
    this.slid = null;
    /** Where the selected nodes are made, and those that are pointed at on the canvas. Lines are those
     * of the text `known`. @type {Record<"chosen" | "lit", import("./places.js").Made[]> & { known: string[] }} */
    this.nodes = { chosen: [], lit: [], known: [] };
    this.unseen = false; // the chosen place came while the text was not on view
    /** Give the focus to what comes after the text. */
    this.leave = () => this.area.blur();
    /** Write the graph of code as a formula. */
    this.asFormula = () => {};
    /** Read code again that was not read to its end. */
    this.again = () => {};
    /** Search a node on the canvas. */
    this.find = () => {};
    this.timer = 0;
    this.frame = 0;
    this.closed = false;
    this.listen();
  }

  listen() {
    const { area, box } = this;
    area.addEventListener("input", (event) => {
      // Undo takes back what was pasted alone, and not what was typed before it.
      if (/** @type {InputEvent} */ (event).inputType === "insertFromPaste")
        this.pasted = this.fresh = true;
      this.typed();
    });
    area.addEventListener("focus", () => ((this.begun = false), this.unfold()));
    area.addEventListener("blur", () => (this.confirm(), this.fold()));
    area.addEventListener("mousedown", (event) => this.enter(event)); // also follows a tap
    for (const kind of ["blur", "pointerdown"])
      area.addEventListener(kind, () => this.popup.close());
    // The browser's own handle writes the height on the element.
    new ResizeObserver(() => {
      if (box.style.height) changeLook({ formula: parseInt(box.style.height, 10) });
      if (this.unseen) this.unseen = !showMarked(this, "chosen");
    }).observe(box);
    box.addEventListener("scroll", () => (this.popup.close(), this.explain(null)));
    area.addEventListener("pointermove", (event) =>
      this.explain(messageAt(this.mirror, event.clientX, event.clientY)),
    );
    area.addEventListener("pointerleave", () => this.explain(null));
    const gone = () => this.closed; // rather than when its place on the page has not come yet
    listen("slid", (slid) => this.follow(slid), gone);
    listen("settled", () => this.follow(null), gone);
  }

  /** Follow a slider that is dragged, until Python has its number; null ends it.
   * @param {{ input: string, number: string } | null} slid */
  follow(slid) {
    if (!slid && !this.slid) return;
    this.slid = slid;
    if (this.unsent) return;
    this.adopt(this.known);
    this.refresh();
  }

  /** The text that was sent last, else Python's, with the number of the slider that is dragged. */
  get known() {
    const text = this.desk.pending.at(-1)?.text ?? this.data.text;
    const follows = this.slid && !this.data.code && !this.data.mistakes.length;
    return (follows && this.slid && withNumber(text, this.slid.input, this.slid.number)) || text;
  }

  /** @returns {import("../types.js").Typing} */
  get typing() {
    return { text: this.area.value, start: this.area.selectionStart, end: this.area.selectionEnd };
  }

  /** Take Python's answer. Its text is adopted only if the user has no unsent text.
   * @param {Data} data */
  receive(data) {
    this.data = { ...data, text: data.text.replace(/\r\n?/g, "\n") };
    if (!this.unsent) this.adopt(this.known);
    this.refresh();
    list(this.foot, data, {
      go: (place) => this.go(place),
      correct: (correction) => this.correct(correction),
      asFormula: () => this.asFormula(),
      again: () => this.again(),
      open: (text) => this.open(text),
    });
    this.tell();
  }

  /** @param {string} text */
  adopt(text) {
    const { value, selectionStart, selectionEnd } = this.area;
    if (text === value) return;
    const changed = change(value, text);
    this.popup.close();
    this.area.value = text;
    this.area.setSelectionRange(
      caretAfter(selectionStart, changed),
      caretAfter(selectionEnd, changed),
    );
  }

  /** Handle a change of the text by the user. */
  typed() {
    this.begun = true;
    this.unsent = true;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(), PAUSE_MS);
    this.refresh();
    this.explain(null);
    // The words offered are those of formulas.
    if (IMPORTS.test(this.area.value)) this.popup.close();
    else this.popup.offer(this.words, (offset) => this.boxAt(offset));
    this.tell();
  }

  send() {
    clearTimeout(this.timer);
    if (!this.unsent) return;
    this.unsent = false;
    this.desk.send({ text: this.area.value, fresh: this.fresh });
    this.fresh = false;
    this.tell();
  }

  /** Send at once; later typing is another step of undo. */
  confirm() {
    this.send();
    this.fresh = true;
  }

  /** Whether a text was pasted that the drawing has now. Asked once. */
  takePasted() {
    const is = this.pasted && !this.unsent && !this.desk.pending.length;
    if (is) this.pasted = false;
    return is && !isDraft(this.data);
  }

  /** Replace a piece of the text as if it were typed, so that the browser can undo the change.
   * @param {import("./caret.js").Change} change */
  replace({ start, end, insert }) {
    this.area.setSelectionRange(start, end);
    const done = document.execCommand(insert ? "insertText" : "delete", false, insert);
    if (done) return;
    this.area.setRangeText(insert, start, end, "end");
    this.typed();
  }

  /** @param {import("../types.js").Typing} typing */
  become({ text, start, end }) {
    if (text !== this.area.value) this.replace(change(this.area.value, text));
    this.area.setSelectionRange(start, end);
  }

  refresh() {
    const lines = this.area.value.split("\n");
    const ranges = this.ranges(lines);
    const shown = this.reads ? foldedLines(lines) : [];
    for (const [at, { folds }] of shown.entries())
      ranges.set(
        at,
        (ranges.get(at) ?? []).map((range) => foldedRange(folds, range)),
      );
    paint(this.mirror, {
      lines: this.reads ? shown.map(({ text }) => text) : lines,
      ranges,
      kinds: this.kinds,
    });
    [...this.mirror.children].forEach((row, at) =>
      row.toggleAttribute("hidden", shown[at]?.hidden ?? false),
    );
    this.host.classList.toggle(
      "folded",
      shown.some(({ folds }) => folds.length),
    );
  }

  /** Fold long literals, for reading. The text of the area stays as it is. */
  fold() {
    this.reads = true;
    this.refresh();
  }

  unfold() {
    if (!this.reads) return;
    this.reads = false;
    this.refresh();
  }

  /** Begin to edit a folded text where it is pressed: the caret goes to that place of the whole text, which stays
   * where it is on the screen.
   * @param {MouseEvent} event */
  enter(event) {
    if (!this.reads || !this.host.classList.contains("folded")) return;
    event.preventDefault();
    const at = placeAt(this.mirror, event.clientX, event.clientY);
    const lines = this.area.value.split("\n");
    const top = () => this.mirror.children[at.line].getBoundingClientRect().top;
    const before = top();
    const { line, unit } = offsetInText(foldedLines(lines), at.line, at.unit);
    const offset = offsetOf(lines, line, Math.min(unit, lines[line].length));
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(offset, offset);
    this.box.scrollTop += top() - before; // what was pressed stays where it is, though lines above it have unfolded
  }

  /** Marked ranges by line; none in lines that have changed since Python read them.
   * @param {string[]} lines
   * @returns {Map<number, Range[]>} */
  ranges(lines) {
    const { mistakes, marks, notes } = this.data;
    const seen = this.data.text.split("\n");
    const [where, known] = [lineMap(seen, lines), lineMap(this.nodes.known, lines)];
    /** @type {Map<number, Range[]>} */
    const byLine = new Map();
    const put = (/** @type {number} */ now, /** @type {Range} */ range) =>
      void (now >= 0 && byLine.set(now, [...(byLine.get(now) ?? []), range]));
    const add = (/** @type {any} */ place, /** @type {Range["kind"]} */ kind) => {
      for (const { line, start, end } of place.line ? pieces(place, seen) : [])
        put(where(line), { start, end, kind, message: place.message });
    };
    for (const kind of /** @type {const} */ (["chosen", "lit"])) {
      for (const { line, start, end } of this.nodes[kind].flatMap((made) =>
        rangesOf(made, this.nodes.known),
      ))
        put(known(line), { start, end, kind });
    }
    for (const place of [...mistakes, ...marks]) add(place, "wrong");
    for (const place of notes) add(place, "noted");
    return byLine;
  }

  /** Mark where nodes are made that are selected, or pointed at, on the canvas. @param {"chosen" | "lit"} kind @param {import("./places.js").Made[]} made
   * @param {string[]} known the lines of the text that makes them */
  mark(kind, made, known) {
    if (!made.length && !this.nodes[kind].length) return;
    this.nodes = { ...this.nodes, [kind]: made, known };
    this.refresh();
    if (kind === "chosen") this.showChosen();
  }

  /** Scroll to what is chosen with the next frame, which lays the page out once: measured now, it would do so twice. */
  showChosen() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      if (!hasCaret(this)) this.unseen = !showMarked(this, "chosen");
    });
  }

  /** @param {{ line?: number, column?: number }} place */
  go({ line = 1, column = 0 }) {
    const lines = this.area.value.split("\n");
    const at = Math.min(line, lines.length) - 1;
    const offset = offsetOf(lines, at, unitOf(lines[at], column));
    this.area.focus();
    this.area.setSelectionRange(offset, offset);
    this.mirror.children[at].scrollIntoView({ block: "nearest" });
  }

  /** Apply the correction of a mistake, unless its lines have changed since Python read them.
   * @param {import("../types.js").Correction} correction */
  correct(correction) {
    const text = withCorrection(this.area.value, this.data.text, correction);
    if (text === null) return;
    this.area.focus({ preventScroll: true });
    this.replace(change(this.area.value, text));
    this.confirm();
  }

  /** Put a whole text in place of this one, as a step of its own. @param {string} text */
  open(text) {
    this.confirm();
    this.area.focus({ preventScroll: true }); // the command that replaces is of the element with the focus
    this.replace({ start: 0, end: this.area.value.length, insert: text });
    this.confirm();
    this.pasted = true;
    this.leave();
  }

  /** @param {number} offset */
  boxAt(offset) {
    const { line, unit } = placeOf(this.area.value, offset);
    return boxOf(this.mirror, line, unit);
  }

  /** Show the message of an underline, or none. @param {{ text: string, box: DOMRect } | null} message */
  explain(message) {
    if (this.bubble.textContent === (message?.text ?? "")) return;
    this.bubble.textContent = message?.text ?? "";
    if (!message) return this.bubble.hidePopover?.();
    this.bubble.showPopover?.();
    below(this.bubble, message.box);
  }

  /** Publish whether anything is pending, for tests. */
  tell() {
    const waiting =
      this.desk.pending.length + Number(this.unsent) + Number(this.data.being_read ?? false);
    this.host.dataset.pending = String(waiting);
    dispatch("waits", { who: "formula", on: waiting > 0 });
    this.host.dataset.ack = String(this.data.ack);
  }

  close() {
    this.send();
    this.closed = true;
  }
}
