// @ts-check
// Read the messages of the page around a frame, which come from outside. Pure.

import { shared } from "../base/constants.js";

const MOST = 200; // inputs in one message
const LONGEST = 64; // characters of a name

/**
 * @typedef {object} Wish
 * @property {Record<string, number>} values by input
 * @property {string | null} step a number, or "last"
 * @property {string | null} reveal
 * @property {string | null} theme
 */
/** @typedef {{ type: "set", wish: Wish } | { type: "slide", on: boolean }} Heard */

/** What a message says; null for all that is none of ours. @param {unknown} data @returns {Heard | null} */
export function readMessage(data) {
  if (data === "slide:start" || data === "slide:stop")
    return { type: "slide", on: data === "slide:start" }; // reveal.js
  if (typeof data !== "object" || data === null) return null;
  const { type, v, ...rest } = /** @type {Record<string, unknown>} */ (data);
  if (v !== undefined && String(v) !== shared.frames.version) return null;
  return type === "autodiff:set" ? { type: "set", wish: wishOf(rest) } : null;
}

/** @param {Record<string, unknown>} fields @returns {Wish} */
function wishOf({ values, step, reveal, theme }) {
  const entries = typeof values === "object" && values !== null ? Object.entries(values) : [];
  const numbers = entries
    .slice(0, MOST)
    .filter(
      ([name, value]) =>
        name.length <= LONGEST &&
        typeof value === "number" &&
        Math.abs(value) <= shared.frames.number,
    );
  const text = typeof step === "number" ? String(step) : step;
  return {
    values: Object.fromEntries(numbers),
    step: typeof text === "string" && /^([0-9]{1,9}|last)$/.test(text) ? text : null,
    reveal: wordOf("reveal", reveal),
    theme: wordOf("theme", theme),
  };
}

/** @param {string} name @param {unknown} value */
function wordOf(name, value) {
  const parameter = shared.frames.parameters.find((one) => one.name === name);
  return typeof value === "string" && parameter?.values.includes(value) ? value : null;
}

/** The height in px that a frame of this width needs: for the graph at its own size at most, and for the rows below it.
 * @param {{ w: number, h: number } | null} graph @param {number} width @param {number} rows px */
export function heightFor(graph, width, rows) {
  const [margin, least, most] = [48, 150, 640];
  const scale = graph ? Math.min(1, Math.max(width - margin, 1) / graph.w) : 1;
  const picture = graph ? graph.h * scale + margin + 24 : least;
  return Math.round(Math.min(most, Math.max(least, picture)) + rows);
}
