// @ts-check
// List the paths from a node to the output, largest first, and highlight one on the canvas: while the pointer
// or the focus is on it, or after a press until the next one.

import { html } from "../base/dom.js";
import { setExplained } from "../base/term.js";
import { wireId } from "../canvas/draw/wires.js";
import { nodesOf, wiresOf } from "../canvas/state/fold.js";

// The highlight of one path: all but its nodes and wires fade.

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {{ nodes: string[], wires: string[] }} Lit */

export class PathHighlight {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    /** @type {Lit | null} */
    this.path = null;
    editor.watchers.push(() => this.path && this.mark(this.path));
  }

  /** @param {Lit | null} path */
  show(path) {
    if (path === this.path) return;
    this.path = path;
    this.editor.stage.host.classList.toggle("on-paths", path !== null);
    if (path) this.mark(path); // marks may stay, since they are visible only while a path is highlighted
  }

  /** @param {Lit} path */
  mark(path) {
    const [names, wires] = [new Set(path.nodes), new Set(path.wires)];
    const { cards, strands } = this.editor.stage;
    for (const { root, node } of cards.values())
      root.classList.toggle(
        "along",
        nodesOf(node).some((name) => names.has(name)),
      );
    for (const { root, number, wire } of strands.values()) {
      const lit = wiresOf(wire).some((one) => wires.has(wireId(one)));
      for (const part of [root, number]) part.classList.toggle("along", lit);
    }
  }
}

/** @typedef {import("../types.js").PathsData} PathsData */
/** @typedef {import("../types.js").PathRow} PathRow */

/** The row that an arrow key leads to. Pure. @param {string} key @param {number} at @param {number} count @returns {number | null} */
export const rowAfter = (key, at, count) => {
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[key];
  return to === undefined ? null : Math.max(0, Math.min(count - 1, to));
};

export class PathsList {
  /** @param {(row: PathRow | null) => void} light */
  constructor(light) {
    this.light = light;
    this.shown = "";
    this.awaits = false; // other rows
    this.late = false; // whether the canvas shows numbers of another state
    /** @type {PathRow[]} */
    this.rows = [];
    /** The row that stays highlighted. @type {PathRow | null} */
    this.kept = null;
    this.list = html("ol", { "aria-label": "Paths, largest first" });
    this.says = html("div", { class: "says" });
    this.rest = html("p", { class: "rest" });
    this.host = html(
      "div",
      { class: "paths", role: "group", "aria-label": "Paths" },
      this.says,
      this.list,
      this.rest,
    );
    // Streamlit's own shortcuts (r, c) would answer these keys too.
    for (const kind of ["keydown", "keyup", "keypress"])
      this.host.addEventListener(kind, (event) => event.stopPropagation());
    this.list.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["pointerover", "focusin"])
      this.list.addEventListener(kind, ({ target }) => this.over(target));
    for (const kind of ["pointerleave", "focusout"])
      this.list.addEventListener(kind, () => this.light(this.kept));
  }

  /** @param {PathsData | undefined} data none while the figure of the paths is not on view */
  receive(data) {
    document.documentElement.dataset.avPaths = data ? "shown" : "none";
    const shown = data ? JSON.stringify(data) : "";
    this.awaits = Boolean(data && !data.rows && this.rows.length);
    this.mark();
    if (shown === this.shown || this.awaits) return; // old rows stay until the new ones come
    this.shown = shown;
    this.rows = data?.rows ?? [];
    this.kept = null;
    this.light(null);
    const lines = (data?.says ?? []).map((sentence) => {
      const line = html("p");
      setExplained(line, sentence);
      return line;
    });
    this.says.replaceChildren(...lines);
    this.rest.textContent = data?.rest ?? "";
    this.list.hidden = !this.rows.length;
    this.list.replaceChildren(...this.rows.map((row, i) => this.item(row, i)));
  }

  /** Mark the rows as old; null if they are of the numbers on the canvas. @param {string | null} says of which, "" if that is not known */
  lag(says) {
    this.late = says !== null;
    if (says) this.host.dataset.lag = says;
    else delete this.host.dataset.lag;
    this.mark();
  }

  mark() {
    this.host.classList.toggle("stale", this.awaits || this.late);
  }

  /** @param {PathRow} row @param {number} i */
  item(row, i) {
    const said = `${row.nodes.join(", ")}: ${row.sum}${row.note ? `, ${row.note}` : ""}. Its nodes and wires are lit on the canvas.`;
    const button = html(
      "button",
      {
        type: "button",
        "data-row": i,
        tabindex: i ? -1 : 0,
        "aria-pressed": "false",
        "aria-label": said,
        title: row.nodes.join(" → "),
        click: () => this.press(i),
      },
      html("span", { class: "way" }, row.way),
      html("span", { class: row.below ? "sum below" : "sum" }, row.sum),
      row.note && html("span", { class: "note" }, row.note),
    );
    return html("li", {}, button);
  }

  get buttons() {
    return /** @type {HTMLElement[]} */ ([...this.list.querySelectorAll("button")]);
  }

  /** @param {EventTarget | null} target */
  over(target) {
    const button = target instanceof Element ? target.closest("[data-row]") : null;
    this.light(button ? this.rows[Number(button.getAttribute("data-row"))] : this.kept);
  }

  /** @param {number} i */
  press(i) {
    this.kept = this.kept === this.rows[i] ? null : this.rows[i];
    this.buttons.forEach((button, at) =>
      button.setAttribute("aria-pressed", String(this.rows[at] === this.kept)),
    );
    this.light(this.kept ?? this.rows[i]);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { buttons } = this;
    const at = buttons.findIndex((button) => button === event.target);
    const to = at < 0 ? null : rowAfter(event.key, at, buttons.length);
    if (to === null) return;
    buttons.forEach((button, i) => (button.tabIndex = i === to ? 0 : -1));
    buttons[to].focus();
    event.preventDefault();
  }
}
