// @ts-check
// Send signals between a stage and its window of notes: two pages of one browser, without a server.

/**
 * What the stage says of itself, whenever it has changed or a window of notes asks.
 *
 * @typedef {object} StageState
 * @property {string} id of the stage
 * @property {string} title
 * @property {string} caption
 * @property {string} question
 * @property {string} notes
 * @property {string} place such as "2 of 5"
 * @property {string} says the sentence of the step of play, also while it is hidden from the audience
 * @property {string} next title of the next step; "" at the end
 * @property {number} since when the talk began, ms since 1970
 * @property {boolean} hidden
 * @property {boolean} asking
 * @property {boolean} blank
 */
/** @typedef {"next" | "back" | "skip" | "return" | "hide" | "ask" | "blank"} Order what a window of notes can have the stage do */
/** @typedef {{ kind: "state", state: StageState } | { kind: "gone", id: string } | { kind: "hello" } | { kind: "order", id: string, order: Order }} Signal */

const NAME = "autodiff-viz-stage";

/** A line on which all pages of this browser hear each other; a dumb one where the browser has none.
 * @param {(signal: Signal) => void} heard @returns {{ send: (signal: Signal) => void, close: () => void }} */
export function openLine(heard) {
  if (typeof BroadcastChannel === "undefined") return { send: () => {}, close: () => {} };
  const channel = new BroadcastChannel(NAME);
  channel.addEventListener("message", ({ data }) => isSignal(data) && heard(data));
  return { send: (signal) => channel.postMessage(signal), close: () => channel.close() };
}

/** @param {any} data @returns {data is Signal} */
const isSignal = (data) => ["state", "gone", "hello", "order"].includes(data?.kind);
