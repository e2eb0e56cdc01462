// @ts-check
// Encode what the browser stores of a session besides its address: the history as text, the view and the
// selection, for a reload, a new tab or a restarted server. Pure.

/** @typedef {import("../../../web/outbox.js").NewEdit} NewEdit */
/** @typedef {import("../types.js").Viewport} Viewport */
/** @typedef {{ at: number, graph: string, text: string, steps: Record<string, string>, documents?: Record<string, string> }} Trail
 * as views/persistence/history_writer.py and views/persistence/history_documents.py make it */
/**
 * @typedef {{
 *   key: string, search: string, trail?: Trail, view?: Viewport | null, selected?: string[], wire?: string | null,
 * }} Kept  of session `key`, while the address bar said `search`
 */

const MOST = 4; // sessions that are stored

/** Records with a new one first, and one for each address and session.
 * @param {Kept[]} shelf @param {Kept} kept @returns {Kept[]} */
export const shelved = (shelf, kept) =>
  [kept, ...shelf.filter(({ key, search }) => key !== kept.key && search !== kept.search)].slice(0, MOST);

/** The record for the graph that Python has opened: of this session, else of the same address, else of the session
 * that wrote the address.
 * @param {Kept[]} shelf @param {{ key: string, from: [string, number] | null }} word @param {string} search @returns {Kept | null} */
export const found = (shelf, { key, from }, search) =>
  shelf.find((kept) => kept.key === key) ?? shelf.find((kept) => kept.search === search) ?? shelf.find((kept) => kept.key === from?.[0]) ?? null;

/** The edits that restore a new session's history.
 * @param {Kept | null} kept @param {string} key of the session @returns {NewEdit[]} */
export function handed(kept, key) {
  if (!kept?.trail || kept.key === key || Object.keys(kept.trail.steps).length < 2) return [];
  return [{ kind: "kept", trail: kept.trail, link: new URLSearchParams(kept.search).get("g") }];
}
