// @ts-check
// Edits on their way to Python: numbered, kept in the tab, posted, and posted again until they are confirmed.

import { isLeaving, watchLinks } from "./leaving.js";
import { isConnected, watchNetwork } from "./network.js";
import { adopt, AT_ONCE, begin, confirm, MOST_MS, push, RESEND_MS } from "./outbox.js";
import { readList, TAB, writeList } from "./store.js";

/** @typedef {import("./outbox.js").Outbox} Outbox */
/** @typedef {import("./outbox.js").Left} Left */
/** @typedef {(message: { key: string, edits: object[], have?: number | null, seen?: boolean, want?: [string, string][], rest?: number }) => void} Post */
/** @typedef {{ send: (edit: object) => void, readonly pending: import("./outbox.js").Edit[] }} Desk edits of one kind */

const KEPT = 4; // sessions whose unconfirmed edits wait for their document to be opened again
const GONE_MS = 30_000; // a page that is still there so long after the browser set out for another one stays

/** @template {{ isConnected: boolean }} [Host={ isConnected: boolean }] */
export class Mail {
  /** @param {string} name of the component @param {Host} host the editor's element: once it
   * has left the page, the mail is its successor's
   * @param {{ changed?: () => void, leaving?: () => void }} [told] of the connection, and of the page being left */
  constructor(name, host, { changed = () => {}, leaving = () => {} } = {}) {
    this.name = name;
    this.host = host;
    this.outbox = begin("", 0);
    this.document = 0;
    this.timer = 0;
    this.patience = RESEND_MS;
    this.going = 0; // timer, while the browser is on its way to another page
    this.search = ""; // the address's as it set out
    /** @type {import("./outbox.js").Edit[]} confirmed since the browser set out for a page whose address lacks them */
    this.late = [];
    /** @type {Post} */
    this.post = () => {};
    /** What goes with every message. @type {() => object} */
    this.note = () => ({});
    const stops = [watchLinks(), watchNetwork(() => (this.wake(), changed()), () => this.setOut(), () => host.isConnected && leaving())];
    this.stop = () => stops.forEach((stop) => stop());
  }

  /** The newest edit under way. */
  get newest() {
    return this.outbox.pending.at(-1);
  }

  get mayPost() {
    return isConnected() && !isLeaving();
  }

  /** Python's word. Under another key the server has restarted, or the page was loaded again: what was left
   * is sent at once. @param {import("./outbox.js").Word} word @param {Post} post
   * @param {import("./outbox.js").NewEdit[]} [first] what a new session is sent before it
   * @returns {boolean} whether the session is new to this mail */
  receive(word, post, first = []) {
    const opening = word.key !== this.outbox.key;
    this.post = post;
    this.document = word.document ?? 0;
    if (!opening) {
      if (this.going) this.late.push(...this.outbox.pending.filter(({ seq }) => seq <= word.ack));
      this.keep(confirm(this.outbox, word.ack));
    } else {
      this.late = [];
      const { outbox, rest } = adopt(readList(TAB, this.name), word, location.search, first);
      this.keep(outbox, rest);
      this.wake();
    }
    return opening;
  }

  /** @param {import("./outbox.js").NewEdit} edit */
  send(edit) {
    this.keep(push(this.outbox, edit));
    this.patience = RESEND_MS;
    this.repeat();
  }

  /** The browser has set out, with the address as it is now. What Python confirms until it arrives, the next page does
   * not find in that address: it stays in the tab. */
  setOut() {
    clearTimeout(this.going);
    this.search = location.search;
    this.going = window.setTimeout(() => {
      [this.going, this.late] = [0, []];
      if (this.host.isConnected) this.keep(this.outbox, this.others());
    }, GONE_MS);
  }

  /** Send what waits, if anything does. */
  wake() {
    this.patience = RESEND_MS;
    if (this.newest) this.repeat();
  }

  repeat() {
    if (!this.host.isConnected) return this.close();
    const { key, pending } = this.outbox;
    if (this.mayPost) this.post({ key, edits: pending.slice(0, AT_ONCE), ...this.note() });
    this.wait();
  }

  /** Where edits of one kind are sent from. @param {string} kind @returns {Desk} */
  desk(kind) {
    const mail = this;
    return {
      send: (edit) => mail.send({ ...edit, kind }),
      get pending() {
        return mail.outbox.pending.filter((edit) => edit.kind === kind);
      },
    };
  }

  /** Ask for what is no edit. @param {{ rest?: number }} question @returns {boolean} whether it was sent */
  ask(question) {
    if (this.newest || !this.mayPost) return false; // the answer to the edits comes first
    this.post({ key: this.outbox.key, edits: [], ...this.note(), ...question });
    return true;
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
    const others = rest ?? this.others();
    const search = this.going ? this.search : location.search;
    const left = { ...outbox, pending: [...this.late, ...outbox.pending], document: this.document, search };
    writeList(TAB, this.name, [left, ...others.filter(({ pending }) => pending?.length)].slice(0, KEPT));
  }

  /** What waits for other documents. @returns {Left[]} */
  others() {
    return readList(TAB, this.name).filter(({ key }) => key !== this.outbox.key);
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.going);
    this.stop();
  }
}
