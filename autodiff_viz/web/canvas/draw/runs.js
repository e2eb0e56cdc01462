// @ts-check
// Describe how often a node or a checkpoint region runs, and what JAX drops of it, in marks and in words.

/** @typedef {{ runs?: string | null, dropped?: number | null }} Runs `runs` as "×2", of those that JAX makes */

/** Text of the mark for runs that JAX drops; "" without any. @param {number | null} [dropped] */
export const droppedText = (dropped) =>
  !dropped ? "" : dropped === 1 ? "dropped" : `${dropped} dropped`;

/** Runs in words, for tooltips and screen readers; "" for one that is alone.
 * @param {Runs} runs */
export const spokenRuns = ({ runs, dropped }) =>
  [
    runs && `runs ${runs.replace(/^[x\u00d7]/, "")} times`,
    dropped &&
      `JAX drops ${dropped === 1 ? "1 run" : `${dropped} runs`} on the way back, which no derivative needs`,
  ]
    .filter(Boolean)
    .join(", ");
