// @ts-check
// When an edit was made, in milliseconds: later than all before it, in whichever component of the page.

const LAST = "autodiff_viz_moment";

/** @returns {number} */
export function moment() {
  const page = /** @type {any} */ (document); // components have their modules for themselves
  return (page[LAST] = Math.max(Date.now(), (page[LAST] ?? 0) + 1));
}
