// @ts-check
// Edits on their way to Python: numbered, posted, and posted again until they are confirmed.

import { begin, confirm, push, RESEND_MS } from "./outbox.js";

/** @typedef {import("./outbox.js").Outbox} Outbox */
/** @typedef {(message: { key: string, edits: object[] }) => void} Post */

/** By session, so that a page left and entered again counts on. Streamlit loses what is sent as the page is
 * left; it is sent again on return, unless another document has been opened meanwhile.
 * @type {Map<string, { outbox: Outbox, document: number }>} */
const kept = new Map();

export class Mail {
  constructor() {
    this.outbox = begin("", 0);
    this.document = 0;
    this.timer = 0;
    /** @type {Post} */
    this.post = () => {};
  }

  /** The newest edit under way. */
  get newest() {
    return this.outbox.pending.at(-1);
  }

  /** Python's word. @param {{ key: string, ack: number, document: number }} word @param {Post} post */
  receive({ key, ack, document }, post) {
    const opening = !this.outbox.key;
    this.post = post;
    this.document = document;
    this.keep(confirm(opening ? found(key, ack, document) : this.outbox, key, ack));
    if (opening && this.newest) this.repeat();
  }

  /** @param {import("./outbox.js").NewEdit} edit */
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
    kept.set(outbox.key, { outbox, document: this.document });
    clearTimeout(this.timer);
    if (this.newest) this.timer = window.setTimeout(() => this.repeat(), RESEND_MS);
  }

  close() {
    clearTimeout(this.timer);
  }
}

/** What was left when the page was. @param {string} key @param {number} ack @param {number} document @returns {Outbox} */
function found(key, ack, document) {
  const last = kept.get(key);
  if (!last) return begin(key, ack);
  return last.document === document ? last.outbox : { ...last.outbox, pending: [] };
}
