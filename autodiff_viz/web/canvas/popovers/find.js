// @ts-check
// Find a node by name, op, group or value: a box over the canvas that lists the matches and shows one of them.

import { html } from "../../base/dom.js";
import { dispatch } from "../../base/events.js";
import { icon } from "../../base/icons.js";
import { PHONE } from "../../dock/panels.js";
import { bringIntoView } from "../actions/bring.js";
import { announce, sizeOf } from "../draw/stage.js";
import { entriesOf, matching } from "../state/find_nodes.js";
import { closePopover, whenClosed } from "./popover.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../state/find_nodes.js").Entry} Entry */

const CHUNK = 60; // rows that are made at once; a graph has thousands
const REST_MS = 300; // until a match at which the search rests is selected
const WIDE = 640; // px of the canvas, on which the list stands beside what is found

/** Open the box, or go to its field if it is open. @param {Editor} editor
 * @param {HTMLElement} [from] outside the canvas, which gets the focus back; then no panel opens in its place */
export function openFind(editor, from) {
  const open = /** @type {HTMLInputElement | null} */ (
    editor.stage.host.querySelector(".find-box input")
  );
  if (open) return (open.select(), open.focus());
  closePopover(editor);
  if (matchMedia(PHONE).matches) dispatch("menu", {}); // it needs the canvas's whole height
  new Find(editor, from).open();
}

class Find {
  /** @param {Editor} editor @param {HTMLElement | undefined} from */
  constructor(editor, from) {
    this.editor = editor;
    this.from = from;
    /** @type {Entry[]} */
    this.entries = [];
    /** @type {Entry[]} */
    this.matches = [];
    this.at = -1; // the match on view; none of an empty text, until a key asks for one
    this.made = 0; // rows so far
    this.timer = 0;
    this.nodes = editor.shown.nodes;
    this.field = /** @type {HTMLInputElement} */ (
      html("input", {
        type: "text",
        placeholder: "Name, op, group or value",
        "aria-label": "Find a node by name, op, group or value",
        role: "combobox",
        "aria-expanded": "true",
        "aria-controls": "found",
        "aria-autocomplete": "list",
        autocomplete: "off",
        spellcheck: "false",
        enterkeyhint: "search",
      })
    );
    this.count = html("span", { class: "find-count" });
    this.list = html("div", {
      class: "found",
      id: "found",
      role: "listbox",
      "aria-label": "Nodes",
    });
    const steps = [
      ["before", "Previous match  (Shift+Enter)", () => this.step(-1)],
      ["after", "Next match  (Enter)", () => this.step(1)],
      ["close", "Close  (Esc)", () => this.close()],
    ].map(([picture, title, click]) =>
      html(
        "button",
        {
          type: "button",
          class: `tool find-${picture}`,
          title,
          "aria-label": String(title).split("  ")[0],
          click,
        },
        icon(String(picture), 16),
      ),
    );
    this.root = html(
      "div",
      { class: "popover find-box", role: "dialog", "aria-label": "Find a node", tabindex: -1 },
      html("div", { class: "find-row" }, this.field, this.count, ...steps),
      this.list,
    );
  }

  open() {
    const { editor, root, field, list } = this;
    const unfold = () => this.cover(true);
    field.addEventListener("input", () => (unfold(), this.search()));
    for (const kind of ["focus", "click"]) field.addEventListener(kind, unfold);
    root.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener(
      "scroll",
      () => list.scrollTop + 2 * list.clientHeight > list.scrollHeight && this.more(),
    );
    list.addEventListener(
      "pointerdown",
      (event) => event.pointerType === "mouse" && event.preventDefault(),
    ); // the field keeps the focus
    const watch = () => this.follow();
    editor.watchers = [...editor.watchers, watch];
    whenClosed(root, () => {
      editor.watchers = editor.watchers.filter((other) => other !== watch);
      this.settle();
      editor.pointed.show([]);
    });
    editor.stage.host.append(root);
    this.collect();
    this.search(false);
    const byFinger = matchMedia("(pointer: coarse)").matches; // the on-screen keyboard would hide the canvas
    (byFinger ? root : field).focus({ preventScroll: true });
  }

  collect() {
    this.nodes = this.editor.shown.nodes;
    this.entries = entriesOf(this.editor.shown, this.editor.ops);
  }

  /** Search again if the nodes have changed, or their numbers; what was on view stays. */
  follow() {
    if (this.editor.shown.nodes === this.nodes) return;
    const name = this.matches[this.at]?.name;
    this.collect();
    this.matches = matching(this.entries, this.field.value);
    this.at = this.matches.findIndex((one) => one.name === name);
    this.fill();
  }

  /** @param {boolean} [says] announce how many there are */
  search(says = true) {
    this.matches = matching(this.entries, this.field.value);
    this.at = this.field.value.trim() && this.matches.length ? 0 : -1;
    this.fill();
    const { length } = this.matches;
    if (says)
      announce(
        this.editor.stage,
        length ? `${length} ${length === 1 ? "node matches" : "nodes match"}` : "No node matches",
      );
    this.show();
  }

  fill() {
    this.list.replaceChildren(
      ...(this.matches.length
        ? []
        : [
            html(
              "div",
              { class: "none" },
              this.entries.length ? "No node matches" : "There are no nodes yet",
            ),
          ]),
    );
    this.made = 0;
    this.more(this.at + 1);
    this.mark();
  }

  /** Make further rows. @param {number} [least] so many in all */
  more(least = 0) {
    const until = Math.max(this.made + CHUNK, least);
    const grouped = !this.field.value.trim();
    const rows = this.matches.slice(this.made, until).flatMap((one, i) => {
      const at = this.made + i;
      const begins = grouped && one.group && one.group !== this.matches[at - 1]?.group;
      return [
        ...(begins ? [html("div", { class: "group", role: "presentation" }, one.group)] : []),
        this.row(one, at, grouped),
      ];
    });
    this.made = Math.min(until, this.matches.length);
    this.list.append(...rows);
  }

  /** @param {Entry} one @param {number} at @param {boolean} grouped */
  row(one, at, grouped) {
    const { name, symbol, op, value, group } = one;
    const where = group && !grouped ? ` \u00b7 ${group}` : "";
    return html(
      "div",
      {
        class: "match",
        role: "option",
        id: `match-${at}`,
        "data-at": at,
        "aria-setsize": this.matches.length,
        "aria-posinset": at + 1,
        "aria-selected": "false",
        click: () => this.go(at, true),
        pointerenter: (/** @type {any} */ event) =>
          event.pointerType === "mouse" && this.editor.pointed.show([name]),
        pointerleave: () => this.show(false),
      },
      html("span", { class: "mark" }, symbol === name ? "" : symbol),
      html("b", {}, name),
      html("small", {}, op === symbol ? where.slice(3) : op + where),
      html("span", { class: "number-text" }, value),
    );
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    event.stopPropagation(); // no key reaches the canvas
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    const isButton = /** @type {Element} */ (event.target).closest("button");
    if (event.key === "Escape") this.close();
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f")
      (this.field.select(), this.field.focus());
    else if (step) this.step(step);
    else if (event.key === "Enter" && !isButton) this.enter(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  }

  /** Go on; where the list covers the canvas, first uncover what was found. @param {number} by */
  enter(by) {
    if (this.covers && this.at >= 0 && !this.root.classList.contains("folded")) this.go(this.at);
    else this.step(by);
  }

  /** Go on by so many matches, from the last one to the first. @param {number} by */
  step(by) {
    const { length } = this.matches;
    if (!length) return;
    const next = this.at < 0 ? (by > 0 ? 0 : length - 1) : this.at + by;
    const far = Math.abs(by) > 1; // a page stops at the ends
    this.go(far ? Math.min(Math.max(next, 0), length - 1) : (next + length) % length);
  }

  /** Show a match. @param {number} at @param {boolean} [chosen] by a press: it is selected at once */
  go(at, chosen = false) {
    this.at = at;
    if (at >= this.made) this.more(at + 1);
    if (this.covers) this.cover(false);
    this.mark();
    this.show();
    if (chosen) this.settle();
  }

  /** Show the list, or uncover the canvas. @param {boolean} on */
  cover(on) {
    this.root.classList.toggle("folded", !on);
    this.field.setAttribute("aria-expanded", String(on));
  }

  /** Whether the canvas is too small for the list beside what is found. */
  get covers() {
    return sizeOf(this.editor.stage).w < WIDE;
  }

  mark() {
    const { length } = this.matches;
    this.count.textContent =
      this.at < 0 ? `${length} ${length === 1 ? "node" : "nodes"}` : `${this.at + 1} of ${length}`;
    this.list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
    const row = this.list.querySelector(`[data-at="${this.at}"]`);
    row?.setAttribute("aria-selected", "true");
    row?.scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", row?.id ?? "");
  }

  /** Highlight the match, and bring it into view; it is selected once the search rests. @param {boolean} [moves] */
  show(moves = true) {
    const name = this.matches[this.at]?.name;
    this.editor.pointed.show(name === undefined ? [] : [name]);
    if (!moves) return;
    clearTimeout(this.timer);
    this.timer = 0;
    if (name === undefined) return;
    const { offsetLeft: x, offsetTop: y, offsetWidth: w, offsetHeight: h } = this.root;
    const uncovered = !this.covers || this.root.classList.contains("folded");
    bringIntoView(this.editor, [name], uncovered ? { x, y, w, h } : undefined);
    this.timer = window.setTimeout(() => this.settle(), REST_MS);
  }

  /** Select the match on view. */
  settle() {
    clearTimeout(this.timer);
    const name = this.timer ? this.matches[this.at]?.name : undefined;
    this.timer = 0;
    if (name !== undefined && this.editor.node(name))
      this.editor.select([name], this.from !== undefined);
  }

  close() {
    closePopover(this.editor);
    (this.from ?? this.editor.stage.surface).focus({ preventScroll: true });
  }
}
