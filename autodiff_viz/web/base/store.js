// @ts-check
// Store lists in the browser. Storage may be full, forbidden or written by another version: then nothing is
// stored, and nothing fails.

import { host } from "./host.js";

const PREFIX = "autodiff_viz.1.";

/** @typedef {() => Storage} Place */
/** Storage of this tab, which survives a reload. @type {Place} */
export const TAB = () => host.storage.tab();
/** Storage shared by all tabs, which survives the tab. @type {Place} */
export const BROWSER = () => host.storage.browser();

/** @param {Place} place @param {string} name @returns {any[]} */
export function readList(place, name) {
  try {
    const stored = JSON.parse(place().getItem(PREFIX + name) ?? "[]");
    return Array.isArray(stored) ? stored.filter((item) => item && typeof item === "object") : [];
  } catch {
    return [];
  }
}

/** Store as many items as there is room for, the first ones first.
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
