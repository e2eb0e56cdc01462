// @ts-check
// Show whether an independent computation gives the same numbers, and a table of the differences.

import { Mend } from "../base/cure.js";
import { html, setText } from "../base/dom.js";
import { icon } from "../base/icons.js";
import { LintsPanel } from "./lints.js";

/** @typedef {import("../types.js").CheckData} CheckData */

/** The icons of the states that Details say more of: "part" is a result over what is left of a text that was refused, and
 * "failed" is none. @type {Record<string, string>} */
const ANSWERS = { agrees: "agrees", differs: "differs", part: "warning", failed: "warning" };
const FORWARD = {
  agrees: "jax.jvp agrees",
  differs: "jax.jvp differs",
  blocked: "jax.jvp is blocked",
  failed: "jax.jvp cannot run",
};
const HEADS = ["input", "gradient", "central differences", "equal"];

export class VerificationLine {
  /** @param {{ ask: (on: boolean) => void, look: () => void, mend: import("../base/cure.js").Send, select: (name: string) => void, light: import("./lints.js").Does["light"] }} does `ask` for a check, or for its end; `look`: the table is opened or closed; `mend` sends a cure; `select` a node, `light` nodes */
  constructor({ ask, look, mend, select, light }) {
    /** @type {CheckData} */
    this.data = {};
    /** @type {string | null} why nothing can be said of the numbers on view */
    this.lag = null;
    this.open = false;
    this.reveals = false; // the table is to be brought into view as soon as it has its rows
    this.origin = new Mend(mend);
    this.said = html("div", { class: "said" });
    this.notes = html("div", { class: "checks notes" }, this.origin.root, this.said); // in a place of its own
    this.sign = html("span", { class: "sign" });
    this.says = html("p", { class: "says" });
    this.forward = html("span", { class: "forward", role: "status" });
    this.ask = html("button", { type: "button", click: () => ask(true) });
    this.cancel = html("button", { type: "button", click: () => ask(false) }, "Cancel");
    this.details = html(
      "button",
      {
        type: "button",
        class: "details",
        "aria-expanded": "false",
        click: () => (this.toggle(), look()),
      },
      "Details",
    );
    this.table = html("div", { class: "table" });
    this.hints = new LintsPanel({
      send: mend,
      select,
      light,
      opened: () => ((this.open = false), this.draw()),
    });
    this.row = html(
      "div",
      { class: "verdict" },
      this.sign,
      this.says,
      this.forward,
      this.ask,
      this.cancel,
      this.hints.button,
      this.details,
    );
    this.host = html(
      "div",
      { class: "checks", role: "group", "aria-label": "Check" },
      this.row,
      this.table,
      this.hints.panel,
    );
    this.draw();
  }

  /** @param {CheckData} data */
  receive(data) {
    this.data = data;
    this.draw();
  }

  /** Show `says` in place of the answer, since the numbers are not those that were checked.
   * @param {string | null} says what stands in place of the answer; null when they are */
  wait(says) {
    if (this.lag === says) return;
    this.lag = says;
    this.draw();
  }

  toggle() {
    this.open = this.reveals = !this.open;
    if (this.open) this.hints.toggle(false); // they are in one place
    this.draw();
  }

  /** The table or the hints, whichever is open. */
  get opened() {
    return [this.table, this.hints.panel].find((panel) => !panel.hidden) ?? null;
  }

  /** Close what is open. */
  fold() {
    this.hints.toggle((this.open = false));
    this.draw();
  }

  draw() {
    const { notes = [], origin, state, says = "", short = says, lints = [] } = this.data;
    if (notes.join("\n") !== [...this.said.children].map((note) => note.textContent).join("\n"))
      this.said.replaceChildren(...notes.map((note) => html("p", {}, note)));
    this.origin.show(origin);
    this.notes.hidden = !notes.length && !origin;
    const now = this.lag === null ? state : "waits";
    this.row.hidden = state === undefined;
    this.row.dataset.state = now;
    this.row.title = says;
    setText(this.says, this.lag ?? short); // in the bar; the whole sentence is in Details
    const sign = ANSWERS[now ?? ""] ?? "";
    if ((this.sign.dataset.sign ?? "") !== sign)
      this.sign.replaceChildren(...(sign ? [icon(sign, 18)] : []));
    this.sign.dataset.sign = sign;
    this.drawForward();
    const again = now === "failed" && this.data.again;
    this.ask.hidden = now !== "asks" && !again;
    setText(this.ask, again ? "Check again" : "Check with jax.vjp");
    this.cancel.hidden = now !== "checking" || !this.data.cancel;
    const answered = state !== undefined && state in ANSWERS;
    this.details.hidden = !answered;
    this.details.setAttribute("aria-expanded", String(this.open));
    this.hints.receive(answered && this.lag === null ? lints : []);
    this.table.hidden = !answered || !this.open;
    if (!this.table.hidden) this.fill();
  }

  /** Show whether jax.jvp has the same tangents, while forward mode is on. */
  drawForward() {
    const { forward } = this.data;
    const said = this.lag === null && forward ? FORWARD[forward.state] : "";
    this.forward.hidden = !said;
    if (!forward || !said || this.forward.title === forward.says) return;
    this.forward.title = forward.says;
    this.forward.dataset.state = forward.state;
    this.forward.replaceChildren(
      icon(ANSWERS[forward.state] ?? "warning", 16),
      html("span", {}, said),
    );
  }

  fill() {
    const { state, says = "", forward, rows, why = [] } = this.data;
    if (state === "failed") return this.table.replaceChildren(html("p", {}, says));
    if (!rows?.length) return this.table.replaceChildren();
    const head = html("tr", {}, ...HEADS.map((name) => html("th", { scope: "col" }, name)));
    const lines = rows.map(([name, ...cells]) =>
      html(
        "tr",
        {},
        html("th", { scope: "row" }, name),
        ...cells.map((cell) => html("td", {}, cell)),
      ),
    );
    const table = html("table", {}, html("thead", {}, head), html("tbody", {}, ...lines));
    this.table.replaceChildren(
      html("p", {}, says),
      ...(forward ? [html("p", { class: "of-forward" }, forward.says)] : []),
      table,
      ...why.map((sentence) => html("p", { class: "why" }, sentence)),
    );
    if (this.reveals) this.table.scrollIntoView({ block: "nearest" });
    this.reveals = false;
  }
}
