// @ts-check
// All sliders of a graph. What is moved shows at once; Python gets one value at a time, always the newest.

import { html, keep } from "../../web/dom.js";
import { Mail } from "../../web/mail.js";
import { Row } from "./row.js";

/** @typedef {import("./types.js").Data} Data */

export class Board {
  constructor() {
    this.host = html("div", { class: "sliders", role: "group", "aria-label": "Inputs" });
    this.mail = new Mail("sliders", this.host, { leaving: () => this.send() });
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** Values that wait for Python's answer to the ones before. @type {Map<string, { value: number, fresh: boolean }>} */
    this.held = new Map();
    for (const kind of ["keydown", "keyup"]) this.host.addEventListener(kind, (event) => event.stopPropagation());
  }

  /** Python's word, which counts where nothing is under way. @param {Data} data @param {import("../../web/mail.js").Post} post */
  receive(data, post) {
    const { outbox, document } = this.mail;
    if (data.key === outbox.key && data.document !== document) this.held.clear();
    this.mail.receive(data, post);
    const make = (/** @type {import("./types.js").Item} */ [name]) =>
      new Row(name, data.limit, (name, value, fresh) => this.hold(name, value, fresh));
    keep(this.host, this.rows, data.rows, ([name]) => name, make, (row, item) => this.isUnderWay(item[0]) || row.show(item));
    this.flush();
  }

  /** @param {string} name */
  isUnderWay(name) {
    return this.held.has(name) || this.mail.outbox.pending.some((edit) => edit.name === name);
  }

  /** @param {string} name @param {number} value @param {boolean} fresh */
  hold(name, value, fresh) {
    this.held.set(name, { value, fresh: fresh || (this.held.get(name)?.fresh ?? false) });
    this.flush();
  }

  flush() {
    if (!this.mail.newest) this.send();
    this.host.dataset.pending = String(this.held.size + this.mail.outbox.pending.length); // tests wait for 0
  }

  send() {
    for (const [name, { value, fresh }] of this.held) this.mail.send({ kind: "move", name, value, fresh });
    this.held.clear();
  }

  close() {
    this.mail.close();
  }
}
