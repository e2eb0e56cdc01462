// @ts-check
// Send events between canvas, formula and sliders (event bus): events on the document, by name, with a detail
// object. A listener may answer by changing the detail.

const NAME = "autodiff-viz-";

/**
 * Every event with its detail; the check of types refuses another name and another detail.
 *
 * @typedef {{
 *   "bring-back": { done: boolean },
 *   formula: { text: string },
 *   lag: { on: boolean, check: string, says: string },
 *   menu: Nothing,
 *   near: { inputs: string[] },
 *   "needs-lab": { what: string },
 *   numbers: { numbers: import("../canvas/scrub.js").Row["numbers"] | null },
 *   panel: { name: import("../dock/panels.js").Panel },
 *   play: { isComputed: ((place: string) => boolean) | null },
 *   played: import("../explain/play.js").Sent,
 *   plot: { name: string },
 *   runs: { node: string | null },
 *   scrub: { input: string, value: number, position?: number },
 *   selected: { name: string | null },
 *   settled: Nothing,
 *   shared: { of: string, shared: import("../share/links.js").Shared },
 *   slid: { input: string, position: number, number: string },
 *   stepped: { state: number },
 *   sweep: import("../canvas/scrub.js").Sent,
 *   tour: Nothing,
 *   waits: { who: string, on: boolean },
 *   want: { inputs: [input: string, key: string][] },
 *   "wants-play": { state: number },
 *   "wants-share": { of: string, parameters: Record<string, string> },
 * }} Events
 * - `bring-back`: a figure's slider goes back to the file's value; answered by whether one stood elsewhere
 * - `formula`: answered by the text of the formula
 * - `lag`: whether numbers outside the canvas are stale, and what the check and those numbers say then
 * - `menu`: a phone's sheet closes, since the canvas needs its height
 * - `near`: these sliders may be dragged soon
 * - `needs-lab`: a figure without a server cannot do it
 * - `numbers`: those of a dragged slider's position, or null when Python's own are on view again
 * - `panel`, `plot`: it is to be shown
 * - `play`: which places a played pass has computed; null when it has ended
 * - `played`: the steps of the pass have come
 * - `runs`: the node whose step is on view
 * - `scrub`: a slider is dragged to `value`; answered by the position whose numbers are shown, if there are any
 * - `selected`: by the user, the single node if it is one
 * - `settled`: no slider is dragged, and Python has answered all
 * - `shared`, `wants-share`: links, and the wish for them; `of` is who waits
 * - `slid`: a slider stands at a position of its table
 * - `stepped`: the pass has been played in both ways
 * - `sweep`: a table has come
 * - `tour`: the tour is to be edited
 * - `waits`: whether a sender's values are not answered yet
 * - `want`: tables that are missing
 * - `wants-play`: the steps of the pass of these numbers are missing
 */
/** @typedef {Record<string, never>} Nothing */

/** Dispatch an event and return its detail, which listeners may have changed.
 * @template {keyof Events} Name @param {Name} name @param {Events[Name]} about @returns {Events[Name]} */
export function dispatch(name, about) {
  document.dispatchEvent(new CustomEvent(NAME + name, { detail: about }));
  return about;
}

/** Listen until `gone()` returns true.
 * @template {keyof Events} Name @param {Name} name @param {(about: Events[Name]) => void} listener @param {() => boolean} gone */
export function listen(name, listener, gone) {
  const onEvent = (/** @type {Event} */ event) => {
    if (gone()) document.removeEventListener(NAME + name, onEvent);
    else listener(/** @type {CustomEvent<Events[Name]>} */ (event).detail);
  };
  document.addEventListener(NAME + name, onEvent);
}
