// @ts-check
// Deliver edits to Python at least once, with acknowledgement: edits are numbered, stored in the tab, sent,
// and sent again until they are acknowledged.

import { shared } from "../base/constants.js";
import { host as place } from "../base/host.js";
import { readList, TAB, writeList } from "../base/store.js";
import { isLeaving, watchLinks } from "./links.js";
import { watchNetwork } from "./network.js";

// Edits that Python has not acknowledged (outbox). Streamlit keeps only the last of several quick messages,
// so every message carries all pending edits; Python skips the numbers that it has applied. Pure: every step
// returns a new outbox.

/** @typedef {import("../messages.js").Edit} Edit */
/** @typedef {import("../messages.js").NewEdit} NewEdit an edit without a number */
/**
 * @typedef {object} Outbox
 * @property {string} key names a session of the server
 * @property {number} last
 * @property {Edit[]} pending
 */
/**
 * @typedef {object} LeftFields
 * @property {number} document that its edits are for
 * @property {string} search the address bar's query before its edits
 * @property {number} [early] how many of `pending`, the first ones, were acknowledged just before the page was
 *   left
 */
/** An outbox that a page has left. @typedef {Outbox & LeftFields} Left */
/**
 * A message from Python.
 *
 * @typedef {object} Word
 * @property {string} key
 * @property {number} ack
 * @property {number} [document]
 * @property {[string, number] | null} [from] the session whose graph this one has opened, and the last
 *   edit in that graph
 * @property {boolean} [early] whether it has come with the page, before there is a session
 */

export const RESEND_MS = 3000; // a run of the script takes well under a second; a lost message is rare
export const MOST_MS = 24000; // longest delay, for a server that is very busy
export const AT_ONCE = shared.limits.edits / 2; // edits in a message; Python refuses a message with more than twice as many

/** @param {string} key @param {number} ack @returns {Outbox} */
export const newOutbox = (key, ack) => ({ key, last: ack, pending: [] });

/** Number `edit` and keep it until it is acknowledged.
 * @param {Outbox} outbox @param {NewEdit} edit @returns {Outbox} */
export function enqueue(outbox, edit) {
  const seq = outbox.last + 1;
  return { ...outbox, last: seq, pending: [...outbox.pending, { ...edit, seq }] };
}

/** Remove the edits that Python has applied.
 * @param {Outbox} outbox @param {number} ack @returns {Outbox} */
export const acknowledge = (outbox, ack) => ({
  ...outbox,
  last: Math.max(outbox.last, ack),
  pending: outbox.pending.filter((edit) => edit.seq > ack),
});

/** The edits of `left` that are still to be applied to the document that Python has open; none for another document.
 * @param {Left} left @param {Word} word @param {string} search the address bar's query now
 * @param {boolean} [reloaded] whether the page was loaded again, maybe by an address that lacks the early edits @returns {Edit[]} */
export function stillToApply(left, { key, ack, document = 0, from }, search, reloaded = false) {
  if (left.key === key)
    return left.document === document ? left.pending.filter(({ seq }) => seq > ack) : [];
  if (from?.[0] === left.key) return left.pending.filter(({ seq }) => seq > from[1]);
  return left.search === search ? left.pending.slice(reloaded ? 0 : (left.early ?? 0)) : [];
}

/** Kinds of edits that are valid in one session only. */
const OWN = ["kept", "restored", "resync"];

/** An outbox for Python's session with the pending edits of the session before, and the edits that wait for other
 * documents.
 * @param {Left[]} lefts newest first @param {Word} word @param {string} search
 * @param {NewEdit[]} [first] what a new session is sent before them @param {boolean} [reloaded]
 * @returns {{ outbox: Outbox, rest: Left[] }} */
export function adoptOutbox(lefts, word, search, first = [], reloaded = false) {
  const rest = lefts.filter(({ key }) => key !== word.key);
  const own = lefts.find(({ key }) => key === word.key);
  if (own)
    return {
      outbox: {
        ...own,
        last: Math.max(own.last, word.ack),
        pending: stillToApply(own, word, search),
      },
      rest,
    };
  const left = rest.find((one) => stillToApply(one, word, search, reloaded).length);
  const edits = left
    ? stillToApply(left, word, search, reloaded).filter(({ kind }) => !OWN.includes(kind))
    : [];
  return {
    outbox: [...first, ...edits].reduce(enqueue, newOutbox(word.key, word.ack)),
    rest: rest.filter((one) => one !== left),
  };
}

/** @typedef {(message: import("../messages.js").Message) => void} Post */
/**
 * A sender for edits of one kind.
 *
 * @template {Edit["kind"]} K
 * @typedef {object} Desk
 * @property {(edit: Omit<Extract<NewEdit, { kind: K }>, "kind">) => void} send
 * @property {Extract<Edit, { kind: K }>[]} pending those that Python has not acknowledged
 */

const KEPT = 4; // sessions whose unacknowledged edits wait for their document to be opened again
const EARLY_MS = 300; // in which the browser may begin to load a page again by the address from before an edit
const GONE_MS = 30_000; // a page that is still there so long after the browser began to leave it stays

/** @template {{ isConnected: boolean }} [Host={ isConnected: boolean }] */
export class EditSender {
  /** @param {string} name of the component @param {Host} host the editor's element: once it
   * has left the page, the mail is its successor's
   * @param {{ changed?: () => void, going?: () => void, leaving?: () => void }} [told] of the connection and each edit; of the
   * browser setting out for another page, with the state that its address holds; and of the page being left */
  constructor(name, host, { changed = () => {}, going = () => {}, leaving = () => {} } = {}) {
    this.name = name;
    this.host = host;
    this.changed = changed;
    this.toldGoing = going;
    this.outbox = newOutbox("", 0);
    this.isEarly = false; // whether there is no session yet: what another one has left waits for it
    this.document = 0;
    this.timer = 0;
    this.patience = RESEND_MS;
    this.going = 0; // timer, while the browser is leaving the page
    this.search = ""; // of the address when the browser began to leave
    /** @type {Edit[]} confirmed since the browser set out for a page whose address lacks them */
    this.late = [];
    /** Confirmed a moment ago, and when. @type {{ edit: Edit, at: number }[]} */
    this.recent = [];
    this.early = 0; // so many of `late` were confirmed before the browser said that it leaves
    this.address = ""; // at Python's last message
    this.before = ""; // the address before the recent edits
    /** @type {Post} */
    this.post = () => {};
    /** Whether an edit is sent; a frame does not send what it lets nobody change. @type {(edit: NewEdit) => boolean} */
    this.allows = () => true;
    /** Fields that are added to every message. @type {() => object} */
    this.note = () => ({});
    const forget = () => void (this.recent = []); // an address of the history was meant as it is
    addEventListener("popstate", forget);
    const stops = [
      watchLinks(),
      () => removeEventListener("popstate", forget),
      watchNetwork(
        () => (this.wake(), changed()),
        () => this.setOut(),
        () => host.isConnected && leaving(),
      ),
    ];
    this.stop = () => stops.forEach((stop) => stop());
  }

  /** The newest pending edit. */
  get newest() {
    return this.outbox.pending.at(-1);
  }

  get mayPost() {
    return place.reach.isConnected() && !isLeaving();
  }

  /** Take a message from Python. Another key means that the server has restarted or the page was loaded again:
   * pending edits are sent at once.
   * @param {Word} word @param {Post} post
   * @param {NewEdit[]} [first] what a new session is sent before it
   * @returns {boolean} whether the session is new to this mail */
  receive(word, post, first = []) {
    const opening = word.key !== this.outbox.key;
    this.post = post;
    this.document = word.document ?? 0;
    if (!opening) {
      this.noteConfirmed(this.outbox.pending.filter(({ seq }) => seq <= word.ack));
      this.keep(acknowledge(this.outbox, word.ack));
    } else {
      [this.late, this.recent, this.early] = [[], [], 0];
      if (word.early) {
        [this.outbox, this.isEarly, this.address] = [newOutbox(word.key, 0), true, location.search];
        return opening;
      }
      const own = this.isEarly ? this.outbox : null;
      this.isEarly = false;
      // Whether the browser has loaded this page again.
      const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (
        performance.getEntriesByType("navigation")
      );
      const { outbox, rest } = adoptOutbox(
        this.kept().filter(({ key }) => key !== own?.key),
        word,
        location.search,
        first,
        navigation?.type === "reload",
      );
      // What was done before there was a session comes after what another page has left.
      const early = (own?.pending ?? []).map(({ seq, ...edit }) => /** @type {NewEdit} */ (edit));
      this.keep(early.reduce(enqueue, outbox), rest);
      this.wake();
    }
    this.address = location.search;
    return opening;
  }

  /** Keep for a while what has been confirmed: a page that is being loaded again may have been requested with the
   * address from before. @param {Edit[]} edits */
  noteConfirmed(edits) {
    if (this.going) return void this.late.push(...edits);
    const now = performance.now();
    this.recent = this.recent.filter(({ at }) => now - at < EARLY_MS);
    if (!this.recent.length) this.before = this.address;
    this.recent.push(...edits.map((edit) => ({ edit, at: now })));
  }

  /** @param {NewEdit} edit */
  send(edit) {
    if (!this.allows(edit)) return;
    this.keep(enqueue(this.outbox, edit));
    this.patience = RESEND_MS;
    this.repeat();
    this.changed();
  }

  /** Note that the browser leaves the page, with the present address. Edits that Python acknowledges until the next
   * page opens are not in that address: they stay in the tab. */
  setOut() {
    clearTimeout(this.going);
    const now = performance.now();
    const early = this.recent.filter(({ at }) => now - at < EARLY_MS).map(({ edit }) => edit);
    [this.late, this.early, this.recent] = [[...early, ...this.late], early.length, []];
    this.search = early.length ? this.before : location.search;
    this.toldGoing();
    this.going = window.setTimeout(() => {
      [this.going, this.late, this.early] = [0, [], 0];
      if (this.host.isConnected) this.keep(this.outbox, this.others());
    }, GONE_MS);
    if (this.early) this.keep(this.outbox);
  }

  /** Send pending edits, if there are any. */
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

  /** @template {Edit["kind"]} K @param {K} kind @returns {Desk<K>} */
  desk(kind) {
    const mail = this;
    return {
      send: (edit) => mail.send(/** @type {NewEdit} */ ({ ...edit, kind })),
      get pending() {
        const own = mail.outbox.pending.filter((edit) => edit.kind === kind);
        return /** @type {Extract<Edit, { kind: K }>[]} */ (own);
      },
    };
  }

  /** Send a request that is not an edit. @param {{ rest?: number }} question @returns {boolean} whether it was sent */
  ask(question) {
    if (this.newest || !this.mayPost) return false; // the answer to the edits comes first
    this.post({ key: this.outbox.key, edits: [], ...this.note(), ...question });
    return true;
  }

  /** Send a request at once, with the edits that Python has not answered: it is about these.
   * @param {{ stop: boolean }} question */
  tell(question) {
    const { key, pending } = this.outbox;
    if (this.mayPost)
      this.post({ key, edits: pending.slice(0, AT_ONCE), ...this.note(), ...question });
  }

  /** Send again with exponential backoff: the server may be busy, and each message makes its run start over. */
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
    const nothing = !rest && !this.newest && !outbox.pending.length && !this.early;
    this.outbox = outbox;
    this.wait();
    if (nothing) return;
    const others = rest ?? this.others();
    const search = this.going ? this.search : location.search;
    const left = {
      ...outbox,
      pending: [...this.late, ...outbox.pending],
      document: this.document,
      search,
      early: this.early,
    };
    writeList(
      TAB,
      this.name,
      [left, ...others.filter(({ pending }) => pending.length)].slice(0, KEPT),
    );
  }

  /** Edits that wait, as this tab keeps them; what something else wrote there is none. @returns {Left[]} */
  kept() {
    return readList(TAB, this.name).filter(({ pending }) => Array.isArray(pending));
  }

  /** Edits that wait for other documents. @returns {Left[]} */
  others() {
    return this.kept().filter(({ key }) => key !== this.outbox.key);
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.going);
    this.stop();
  }
}
