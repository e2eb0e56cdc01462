// @ts-check
// What the browser keeps of a session beside its address: the history as text, the view and the selection. A
// reload, a new tab and a restarted server then find them again. Pure.

/** @typedef {import("../../../web/outbox.js").NewEdit} NewEdit */
/** @typedef {import("../types.js").Viewport} Viewport */
/** @typedef {{ at: number, graph: string, text: string, steps: Record<string, string>, documents?: Record<string, string> }} Trail
 * as views/trail.py and views/documents.py make it */
/**
 * @typedef {{
 *   key: string, search: string, trail?: Trail, view?: Viewport | null, selected?: string[], wire?: string | null,
 * }} Kept  of session `key`, while the address bar said `search`
 */

const MOST = 4; // sessions that are kept

/** The newest first, and one for each address and session. @param {Kept[]} shelf @param {Kept} kept @returns {Kept[]} */
export const shelved = (shelf, kept) =>
  [kept, ...shelf.filter(({ key, search }) => key !== kept.key && search !== kept.search)].slice(0, MOST);

/** What belongs to the graph that Python has opened: of the same address, else of the session which wrote it.
 * @param {Kept[]} shelf @param {{ key: string, from: [string, number] | null }} word @param {string} search @returns {Kept | null} */
export const found = (shelf, { key, from }, search) =>
  shelf.find((kept) => kept.key === key) ?? shelf.find((kept) => kept.search === search) ?? shelf.find((kept) => kept.key === from?.[0]) ?? null;

/** What brings a new session's history back. @param {Kept | null} kept @param {string} key of the session @returns {NewEdit[]} */
export function handed(kept, key) {
  if (!kept?.trail || kept.key === key || Object.keys(kept.trail.steps).length < 2) return [];
  return [{ kind: "kept", trail: kept.trail, link: new URLSearchParams(kept.search).get("g") }];
}
