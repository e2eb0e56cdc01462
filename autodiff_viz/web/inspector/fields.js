// @ts-check
// Edit the selected node in the panel: fields, each change of which is one edit, and a row of buttons for its
// rules.

import { RULES } from "../base/constants.js";
import { ACCEPTED, dataIn, isTable } from "../base/data.js";
import { html, setText } from "../base/dom.js";
import { icon, ICONS } from "../base/icons.js";

// A field. A text that is being typed, or that Python has not answered yet, is not overwritten; a refused
// text stays, with the reason below it.

/** @typedef {import("../types.js").FieldData} FieldData */
/** @typedef {{ send: (edit: import("../connection/edit_sender.js").NewEdit, refused?: (reason: string) => void) => number }} Sender
 * sends an edit and gives back its number; `refused` is called with the reason if it is; without it the canvas shows the reason */

export class Field {
  /** @param {FieldData} data @param {Sender} sender */
  constructor(data, sender) {
    this.data = data;
    this.sender = sender;
    this.sent = 0; // number of the last edit
    this.typed = ""; // the text that was refused
    this.kept = ""; // the value that Python sent with the refusal
    this.reason = html("p", { class: "reason", role: "alert" });
    this.control = this.make();
    this.root = this.frame();
    this.root.dataset.field = data.id;
  }

  /** @returns {HTMLElement} */
  make() {
    const { type, label, help, placeholder, choices = [] } = this.data;
    const named = { "aria-label": label, title: help };
    if (type === "note") return html("span", { class: "note" }, label);
    if (type === "button")
      return html("button", { type: "button", title: help, click: () => this.commit(true) }, label);
    if (type === "file")
      return html(
        "button",
        { type: "button", title: help, click: () => this.choose() },
        `${label} \u2026`,
      );
    if (type === "check")
      return html("input", {
        ...named,
        type: "checkbox",
        role: "switch",
        change: () => this.commit(this.input.checked),
      });
    if (type === "choice")
      return html(
        "select",
        { ...named, change: () => this.commit(this.input.value) },
        ...choices.map(([value, says]) => html("option", { value }, says)),
      );
    if (type === "several")
      return html(
        "div",
        { role: "group", "aria-label": label },
        ...choices.map(([value, says]) => this.option(value, says)),
      );
    const field = html("input", {
      ...named,
      type: "text",
      placeholder,
      spellcheck: "false",
      autocomplete: "off",
      role: type === "number" && "spinbutton",
      inputmode: type === "number" && "decimal",
    });
    field.addEventListener("change", () => this.commitText());
    if (this.data.table)
      field.addEventListener("paste", (event) => this.paste(/** @type {ClipboardEvent} */ (event)));
    field.addEventListener("keydown", (event) => this.key(/** @type {KeyboardEvent} */ (event)));
    return field;
  }

  /** @param {string} value @param {string} says */
  option(value, says) {
    const box = html("input", { type: "checkbox", value, change: () => this.commit(this.chosen) });
    return html("label", { class: "option" }, box, says);
  }

  frame() {
    const { type, label } = this.data;
    if (type === "file") return html("div", { class: "field button" }, this.control, this.reason);
    if (type === "note" || type === "button")
      return html("div", { class: `field ${type}` }, this.control);
    if (type === "several")
      return html(
        "div",
        { class: `field ${type}` },
        html("span", { class: "label" }, label),
        this.control,
      );
    return html(
      "label",
      { class: `field ${type}` },
      html("span", { class: "label" }, label),
      this.control,
      this.reason,
    );
  }

  get input() {
    return /** @type {HTMLInputElement} */ (this.control);
  }

  /** The marked options. */
  get chosen() {
    return [...this.control.querySelectorAll("input")]
      .filter(({ checked }) => checked)
      .map(({ value }) => value);
  }

  /** Show Python's value, which is after edit number `ack`. @param {FieldData} data @param {number} ack */
  show(data, ack) {
    const before = this.data;
    this.data = data;
    if (ack < this.sent || this.isTyping(String(before.value ?? ""))) return;
    const { type, value } = data;
    if (type === "check") this.input.checked = value === true;
    else if (type === "several")
      for (const box of this.control.querySelectorAll("input"))
        box.checked = (value ?? []).includes(box.value);
    else if (type === "choice") this.input.value = value ?? "";
    else if (type === "text" || type === "number") this.write(String(value ?? ""));
  }

  /** Show the number of a dragged slider. @param {string | null} text null: Python's value again */
  follow(text) {
    const shown = text ?? String(this.data.value ?? "");
    if (!this.isTyping(shown)) this.write(shown);
  }

  /** Write a value; a refused text stays until the value changes. @param {string} value */
  write(value) {
    if (this.typed && value === this.kept) return;
    this.complain("", "");
    if (this.input.value !== value) this.input.value = value;
    this.input.title = this.data.help || value;
  }

  /** Whether the user is typing. @param {string} before what Python sent */
  isTyping(before) {
    const root = /** @type {ShadowRoot | Document} */ (this.control.getRootNode());
    return (
      root.activeElement === this.control &&
      ["text", "number"].includes(this.data.type) &&
      this.input.value !== before &&
      this.input.value !== String(this.data.value ?? "")
    );
  }

  commitText() {
    const { value } = this.input;
    if (value === String(this.data.value ?? "")) return this.complain("", "");
    this.commit(value);
  }

  /** @param {any} value */
  commit(value) {
    const { edit, as = "value", type } = this.data;
    if (!edit) return;
    this.complain("", "");
    const typed = typeof value === "string" ? value : "";
    const sent = this.sender.send(
      type === "button" ? edit : { ...edit, [as]: value },
      (reason) => this.sent === sent && this.complain(typed, reason),
    );
    this.sent = sent;
  }

  /** Send a pasted table, of which a field of one line would lose the lines. @param {ClipboardEvent} event */
  paste(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!isTable(text)) return;
    event.preventDefault();
    this.take(this.data.table, { text });
  }

  /** Let the user choose a file, and send its data. */
  choose() {
    const chooser = /** @type {HTMLInputElement} */ (
      html("input", { type: "file", accept: ACCEPTED })
    );
    chooser.addEventListener("change", async () => {
      const held = chooser.files?.[0] && (await dataIn(chooser.files[0]));
      if (typeof held === "string") this.complain("", held);
      else if (held) this.take(this.data.edit, held);
    });
    chooser.click();
  }

  /** @param {import("../connection/edit_sender.js").NewEdit | undefined} edit @param {import("../base/data.js").Held} held */
  take(edit, held) {
    if (!edit) return;
    this.complain("", "");
    this.sent = this.sender.send({ ...edit, ...held });
  }

  /** Keep a refused text and show the reason; "" for none.
   * @param {string} typed @param {string} reason */
  complain(typed, reason) {
    this.typed = typed;
    this.kept = String(this.data.value ?? "");
    setText(this.reason, reason);
    if (reason) this.control.setAttribute("aria-invalid", "true");
    else this.control.removeAttribute("aria-invalid");
    if (typed) this.input.value = typed;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    event.stopPropagation();
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const number = Number(this.input.value);
    if (event.key === "Escape") {
      this.complain("", "");
      this.input.value = String(this.data.value ?? "");
    } else if (
      step &&
      this.data.type === "number" &&
      this.input.value.trim() &&
      Number.isFinite(number)
    ) {
      event.preventDefault();
      const stepped = String(number + step);
      this.input.value =
        this.input.value.includes(".") && !stepped.includes(".") ? `${stepped}.0` : stepped;
      this.commitText();
    }
  }
}

/** The rule that a press on a button asks for: a rule that is on is taken off. Pure.
 * @param {string} pressed @param {string} now */
export const ruleAfter = (pressed, now) => (pressed === now ? "follow" : pressed);

export class Rules {
  /** @param {(kind: string) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.root = html("div", { class: "rules", role: "toolbar", "aria-label": "Rule" });
    this.root.addEventListener("keydown", (event) => this.key(event));
    /** @type {HTMLElement[]} */
    this.buttons = [];
    this.kinds = "";
    this.chosen = "";
  }

  /** @param {string[]} kinds @param {string} chosen */
  show(kinds, chosen) {
    if (this.kinds !== String(kinds)) {
      this.kinds = String(kinds);
      this.buttons = kinds.map((kind) => this.button(kind));
      this.root.replaceChildren(...this.buttons);
    }
    this.mark(chosen);
  }

  /** @param {string} chosen */
  mark(chosen) {
    this.chosen = chosen;
    // By Tab one button is reached: also where a document has a rule that does not fit.
    const isThere = this.buttons.some((button) => button.dataset.kind === chosen);
    const reached = isThere ? chosen : this.buttons[0]?.dataset.kind;
    for (const button of this.buttons) {
      const { kind } = button.dataset;
      button.setAttribute("aria-pressed", String(kind === chosen));
      button.tabIndex = kind === reached ? 0 : -1;
    }
  }

  /** Ask for a rule, and show it at once: a second press may come before Python has answered.
   * @param {string} kind */
  press(kind) {
    this.mark(ruleAfter(kind, this.chosen));
    this.choose(this.chosen);
  }

  /** @param {string} kind */
  button(kind) {
    const sign = ICONS[kind] ? icon(kind, 14) : null;
    return html(
      "button",
      { type: "button", "data-kind": kind, click: () => this.press(kind) },
      sign,
      RULES[kind]?.label ?? kind,
    );
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = this.buttons.findIndex((button) => button === event.target);
    this.buttons[(at + step + this.buttons.length) % this.buttons.length]?.focus();
    event.preventDefault();
  }
}
