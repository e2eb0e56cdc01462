// @ts-check
// Edits on their way to Python: numbered, kept in the tab, posted, and posted again until they are confirmed.

import { moment } from "./moment.js";
import { isConnected, watchNetwork } from "./network.js";
import { adopt, AT_ONCE, begin, confirm, MOST_MS, push, RESEND_MS } from "./outbox.js";
import { readList, TAB, writeList } from "./store.js";

/** @typedef {import("./outbox.js").Outbox} Outbox */
/** @typedef {import("./outbox.js").Left} Left */
/** @typedef {(message: { key: string, edits: object[], have?: number | null }) => void} Post */

const KEPT = 4; // sessions whose unconfirmed edits wait for their document to be opened again

export class Mail {
  /** @param {string} name of the component @param {{ isConnected: boolean }} host the editor's element: once it
   * has left the page, the mail is its successor's
   * @param {{ changed?: () => void, leaving?: () => void }} [told] of the connection, and of the page being left */
  constructor(name, host, { changed = () => {}, leaving = () => {} } = {}) {
    this.name = name;
    this.host = host;
    this.outbox = begin("", 0);
    this.document = 0;
    this.timer = 0;
    this.patience = RESEND_MS;
    /** @type {Post} */
    this.post = () => {};
    /** What goes with every message. @type {() => object} */
    this.note = () => ({});
    this.stop = watchNetwork(() => (this.wake(), changed()), () => host.isConnected && leaving());
  }

  /** The newest edit under way. */
  get newest() {
    return this.outbox.pending.at(-1);
  }

  /** Python's word. Under another key the server has restarted, or the page was loaded again: what was left
   * is sent at once. @param {import("./outbox.js").Word} word @param {Post} post
   * @param {import("./outbox.js").NewEdit[]} [first] what a new session is sent before it
   * @returns {boolean} whether the session is new to this mail */
  receive(word, post, first = []) {
    const opening = word.key !== this.outbox.key;
    this.post = post;
    this.document = word.document ?? 0;
    if (!opening) this.keep(confirm(this.outbox, word.ack));
    else {
      const { outbox, rest } = adopt(readList(TAB, this.name), word, location.search, first);
      this.keep(outbox, rest);
      this.wake();
    }
    return opening;
  }

  /** @param {import("./outbox.js").NewEdit} edit */
  send(edit) {
    this.keep(push(this.outbox, { ...edit, made: moment() }));
    this.patience = RESEND_MS;
    this.repeat();
  }

  /** Send what waits, if anything does. */
  wake() {
    this.patience = RESEND_MS;
    if (this.newest) this.repeat();
  }

  repeat() {
    if (!this.host.isConnected) return this.close();
    const { key, pending } = this.outbox;
    if (isConnected()) this.post({ key, edits: pending.slice(0, AT_ONCE), ...this.note() });
    this.wait();
  }

  /** Nothing was confirmed for long: the server may be busy, and each message makes it begin anew. */
  again() {
    this.patience = Math.min(2 * this.patience, MOST_MS);
    this.repeat();
  }

  wait() {
    clearTimeout(this.timer);
    if (this.newest) this.timer = window.setTimeout(() => this.again(), this.patience);
  }

  /** @param {Outbox} outbox @param {Left[]} [rest] what waits for other documents */
  keep(outbox, rest) {
    const nothing = !rest && !this.newest && !outbox.pending.length;
    this.outbox = outbox;
    this.wait();
    if (nothing) return;
    const others = rest ?? readList(TAB, this.name).filter(({ key }) => key !== outbox.key);
    const left = { ...outbox, document: this.document, search: location.search };
    writeList(TAB, this.name, [left, ...others.filter(({ pending }) => pending?.length)].slice(0, KEPT));
  }

  close() {
    clearTimeout(this.timer);
    this.stop();
  }
}
