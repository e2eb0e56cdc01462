// @ts-check
// What is kept in the browser itself. Storage may be full, forbidden or hold what another version wrote: then
// nothing is kept, and nothing fails.

const PREFIX = "autodiff_viz.1.";

/** @typedef {() => Storage} Place */
/** This tab's: it outlives a reload. @type {Place} */
export const TAB = () => sessionStorage;
/** Shared by all tabs: it outlives the tab. @type {Place} */
export const BROWSER = () => localStorage;

/** @param {Place} place @param {string} name @returns {any[]} */
export function readList(place, name) {
  try {
    const found = JSON.parse(place().getItem(PREFIX + name) ?? "[]");
    return Array.isArray(found) ? found.filter((item) => item && typeof item === "object") : [];
  } catch {
    return [];
  }
}

/** Keep as many as there is room for, the first ones before the others.
 * @param {Place} place @param {string} name @param {any[]} items */
export function writeList(place, name, items) {
  for (let most = items.length; most >= 0; most = most && Math.floor(most / 2)) {
    try {
      place().setItem(PREFIX + name, JSON.stringify(items.slice(0, most)));
      return;
    } catch {
      if (!most) return;
    }
  }
}
