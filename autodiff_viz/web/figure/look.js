// @ts-check
// Take the place of the page's look in a figure that lives without a server: only the type can be large.

let large = false;
/** Callbacks after a change. @type {Set<() => void>} */
const watchers = new Set();

export const isLarge = () => large;
export function toggleLarge() {
  large = !large;
  showLook();
}

/** @param {() => void} changed */
export const watchLook = (changed) => watchers.add(changed);

export function showLook() {
  document.documentElement.dataset.avType = large ? "large" : "usual";
  for (const changed of watchers) changed();
}

/** What a link says of the look; that of a file says nothing. */
export const fromFragment = () => ({ look: null, place: null });
