// @ts-check
// Edits on their way to Python: numbered, posted, and posted again until they are confirmed.

import { begin, confirm, push, RESEND_MS } from "../../editor/web/outbox.js";

/** @typedef {import("../../editor/web/outbox.js").Outbox} Outbox */
/** @typedef {(message: { key: string, edits: object[] }) => void} Post */

/** Outboxes by session, so that a page left and entered again counts on.
 * @type {Map<string, Outbox>} */
const outboxes = new Map();

export class Mail {
  constructor() {
    this.outbox = begin("", 0);
    this.timer = 0;
    /** @type {Post} */
    this.post = () => {};
  }

  /** Whether Python has confirmed all. */
  get settled() {
    return !this.outbox.pending.length;
  }

  /** Python's word. @param {{ key: string, ack: number }} word @param {Post} post */
  receive({ key, ack }, post) {
    this.post = post;
    const known = this.outbox.key ? this.outbox : (outboxes.get(key) ?? begin(key, ack));
    this.keep(confirm(known, key, ack));
  }

  /** @param {import("../../editor/web/types.js").NewEdit} edit */
  send(edit) {
    this.keep(push(this.outbox, edit));
    this.repeat();
  }

  repeat() {
    this.post({ key: this.outbox.key, edits: this.outbox.pending });
    this.keep(this.outbox);
  }

  /** @param {Outbox} outbox */
  keep(outbox) {
    this.outbox = outbox;
    outboxes.set(outbox.key, outbox);
    clearTimeout(this.timer);
    if (!this.settled) this.timer = window.setTimeout(() => this.repeat(), RESEND_MS);
  }

  close() {
    clearTimeout(this.timer);
  }
}
