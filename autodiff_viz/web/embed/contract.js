// @ts-check
// Read what a frame's address says of it, by the table that embedding/contract.py has written. Pure.

import { shared } from "../base/constants.js";

/**
 * @typedef {object} Embed
 * @property {string[]} show
 * @property {string[]} hide
 * @property {string} edit
 * @property {string} reveal
 * @property {string} theme
 * @property {string} type
 * @property {string} wheel
 * @property {string} start
 * @property {string} step
 * @property {string} node
 */

/** What an address says of its frame; null for the whole lab. @param {string} search @returns {Embed | null} */
export function readEmbed(search) {
  const query = new URLSearchParams(search);
  if (query.get("embed") !== "1" || query.get("v") !== shared.frames.version) return null;
  const read = shared.frames.parameters.map((parameter) => [
    parameter.name,
    valueOf(parameter, query.get(parameter.name)),
  ]);
  return Object.fromEntries(read);
}

/** @param {import("../types.js").FrameParameter} parameter @param {string | null} text */
function valueOf({ values, pattern, otherwise, many }, text) {
  const open = pattern ? new RegExp(`^(?:${pattern})$`, "u") : null;
  const isOne = (/** @type {string} */ word) => values.includes(word) || Boolean(open?.test(word));
  if (!many) return text !== null && isOne(text) ? text : otherwise;
  const words = [...new Set((text ?? "").split(",").map((word) => word.trim()))].filter(isOne);
  return words.length ? words : otherwise.split(",").filter(Boolean);
}

/** Whether a control is shown; of sliders and plots, whether any is. @param {Embed} embed @param {string} control */
export function shows({ show, hide }, control) {
  const one = { sliders: "slider:", plot: "plot:" }[control];
  const named = show.includes(control) || Boolean(one && show.some((name) => name.startsWith(one)));
  return named && !hide.includes(control);
}

/** Whether the slider of an input is shown. @param {Embed} embed @param {string} input */
export const showsSlider = ({ show, hide }, input) =>
  (show.includes("sliders") || show.includes(`slider:${input}`)) &&
  !hide.includes("sliders") &&
  !hide.includes(`slider:${input}`);

/** Whether an edit is one that the frame may send; a constant is decided by the server. @param {Embed} embed @param {string} kind */
export const allows = ({ edit }, kind) =>
  shared.frames.kinds[edit].includes(kind) || (kind === "constant" && edit !== "none");

/** The query of the same state in the whole lab. @param {string} search */
export function wholeLab(search) {
  const beside = shared.frames.parameters.map(({ name }) => name);
  const own = ["embed", "embed_options", "v", ...beside].filter(
    (name) => name !== "step" && name !== "node",
  );
  const query = [...new URLSearchParams(search)].filter(([name]) => !own.includes(name));
  return query.length ? `?${new URLSearchParams(query)}` : "";
}
