// @ts-check
// Store fields that are too long for an address, under the digest that the address carries instead.

import { BROWSER, readList, TAB, writeList } from "../../../web/store.js";

/** @typedef {{ digest: string, fields: Record<string, string> }} Large as ui/session.py makes it */

const NAME = "large";
const KEPT = 2; // entries; each may have some hundred thousand characters

/** @param {Large} large @returns {boolean} whether there was room */
export function keepLarge(large) {
  for (const place of [TAB, BROWSER]) {
    const others = readList(place, NAME).filter(({ digest }) => digest !== large.digest);
    writeList(place, NAME, [large, ...others].slice(0, KEPT));
  }
  return Boolean(findLarge(large.digest));
}

/** @param {string} wanted @returns {Large | undefined} */
export const findLarge = (wanted) =>
  [TAB, BROWSER].flatMap((place) => readList(place, NAME)).find(({ digest }) => digest === wanted);

/** The digest in an address, if there is one. @param {string} search @returns {string | null} */
export const wantedBy = (search) => new URLSearchParams(search).get("kept");

/** The edits that restore in a new session the fields that the address has no room for.
 * @param {string} search
 * @returns {import("../../../web/outbox.js").NewEdit[]} */
export function restoring(search) {
  const wanted = wantedBy(search);
  const large = wanted && findLarge(wanted);
  return large ? [{ kind: "restored", query: { ...Object.fromEntries(new URLSearchParams(search)), ...large.fields } }] : [];
}
