// @ts-check
// Show an explanation with its cure: a sentence, a button that sends the edit, and what that changes.

import { html, setText } from "./dom.js";

/** @typedef {import("../connection/edit_sender.js").NewEdit} NewEdit */
/**
 * @typedef {object} Explanation
 * @property {string} says
 * @property {string} [label]
 * @property {string} [changes]
 * @property {NewEdit} [edit]
 * @property {string[]} [at] of a node also its causes
 * @property {string[]} [wires] those that lead to the causes
 */
/** @typedef {(edit: NewEdit, refused: (reason: string) => void) => number} Send */

export class Mend {
  /** @param {Send} send */
  constructor(send) {
    this.send = send;
    this.says = html("p", { class: "why-says" });
    this.button = /** @type {HTMLButtonElement} */ (
      html("button", { type: "button", click: () => this.mend() })
    );
    this.changes = html("span", { class: "why-changes" });
    this.row = html("div", { class: "why-mend" }, this.button, this.changes);
    this.root = html("div", { class: "explained" }, this.says, this.row);
    /** @type {NewEdit | undefined} */
    this.edit = undefined;
    this.sent = ""; // the edit that Python has not answered, or that it has applied
    this.show(null);
  }

  /** @param {Explanation | null | undefined} explanation none where there is nothing to explain */
  show(explanation) {
    this.root.hidden = !explanation;
    this.edit = explanation?.edit;
    setText(this.says, explanation?.says ?? "");
    setText(this.button, explanation?.label ?? "");
    setText(this.changes, explanation?.changes ?? "");
    this.row.hidden = !this.edit;
    if (this.sent !== JSON.stringify(this.edit)) this.sent = "";
    this.button.disabled = this.sent !== "";
  }

  /** Send the edit once: until Python has answered, a second press does nothing. */
  mend() {
    if (!this.edit) return;
    this.sent = JSON.stringify(this.edit);
    this.button.disabled = true;
    this.send(this.edit, () => {
      this.sent = "";
      this.button.disabled = false;
    });
  }
}
