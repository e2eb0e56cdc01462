// @ts-check
// Edits that Python has not yet confirmed. Streamlit keeps only the last of several quick messages, so
// every message carries all of them; Python skips the numbers it has seen. Pure: every step returns a new outbox.

/** @typedef {{ seq: number, kind: string, [field: string]: any }} Edit */
/** @typedef {{ kind: string, [field: string]: any }} NewEdit an edit that has no number yet */
/** @typedef {{ key: string, last: number, pending: Edit[] }} Outbox */

export const RESEND_MS = 3000; // a run of the script takes well under a second; a lost message is rare

/** @param {string} key @param {number} ack @returns {Outbox} */
export const begin = (key, ack) => ({ key, last: ack, pending: [] });

/** Number `edit` and keep it until it is confirmed.
 * @param {Outbox} outbox @param {NewEdit} edit @returns {Outbox} */
export function push(outbox, edit) {
  const seq = outbox.last + 1;
  return { ...outbox, last: seq, pending: [...outbox.pending, { ...edit, seq }] };
}

/** Forget what Python has applied. Under another key Python has restarted and counts from `ack`: what it
 * never confirmed is numbered anew, in order.
 * @param {Outbox} outbox @param {string} key @param {number} ack @returns {Outbox} */
export function confirm(outbox, key, ack) {
  if (key !== outbox.key) return outbox.pending.reduce(push, begin(key, ack));
  return { ...outbox, last: Math.max(outbox.last, ack), pending: outbox.pending.filter((edit) => edit.seq > ack) };
}
