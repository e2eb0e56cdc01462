// @ts-check
// Keep the edits that Python has not acknowledged (outbox). Streamlit keeps only the last of several quick
// messages, so every message carries all pending edits; Python skips the numbers that it has applied. Pure:
// every step returns a new outbox.

import { shared } from "./constants.js";

/** @typedef {{ seq: number, kind: string, [field: string]: any }} Edit */
/** @typedef {{ kind: string, [field: string]: any }} NewEdit an edit without a number */
/** @typedef {{ key: string, last: number, pending: Edit[] }} Outbox `key` names a session of the server */
/** @typedef {Outbox & { document: number, search: string, early?: number }} Left an outbox, the document that its edits are for,
 * and the address bar's query before them; so many of them, the first ones, were acknowledged just before the page was left */
/** @typedef {{ key: string, ack: number, document?: number, from?: [string, number] | null }} Word
 * a message from Python: `from` is the session whose graph this one has opened, and the last edit in that graph */

export const RESEND_MS = 3000; // a run of the script takes well under a second; a lost message is rare
export const MOST_MS = 24000; // longest delay, for a server that is very busy
export const AT_ONCE = shared.limits.edits / 2; // edits in a message; Python refuses a message with more than twice as many

/** @param {string} key @param {number} ack @returns {Outbox} */
export const begin = (key, ack) => ({ key, last: ack, pending: [] });

/** Number `edit` and keep it until it is acknowledged.
 * @param {Outbox} outbox @param {NewEdit} edit @returns {Outbox} */
export function push(outbox, edit) {
  const seq = outbox.last + 1;
  return { ...outbox, last: seq, pending: [...outbox.pending, { ...edit, seq }] };
}

/** Remove the edits that Python has applied.
 * @param {Outbox} outbox @param {number} ack @returns {Outbox} */
export const confirm = (outbox, ack) => ({
  ...outbox, last: Math.max(outbox.last, ack), pending: outbox.pending.filter((edit) => edit.seq > ack),
});

/** The edits of `left` that are still to be applied to the document that Python has open; none for another document.
 * @param {Left} left @param {Word} word @param {string} search the address bar's query now
 * @param {boolean} [reloaded] whether the page was loaded again, maybe by an address that lacks the early edits @returns {Edit[]} */
export function due(left, { key, ack, document = 0, from }, search, reloaded = false) {
  if (left.key === key) return left.document === document ? left.pending.filter(({ seq }) => seq > ack) : [];
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
export function adopt(lefts, word, search, first = [], reloaded = false) {
  const rest = lefts.filter(({ key }) => key !== word.key);
  const own = lefts.find(({ key }) => key === word.key);
  if (own) return { outbox: { ...own, last: Math.max(own.last, word.ack), pending: due(own, word, search) }, rest };
  const left = rest.find((one) => due(one, word, search, reloaded).length);
  const edits = left ? due(left, word, search, reloaded).filter(({ kind }) => !OWN.includes(kind)) : [];
  return { outbox: [...first, ...edits].reduce(push, begin(word.key, word.ack)), rest: rest.filter((one) => one !== left) };
}
