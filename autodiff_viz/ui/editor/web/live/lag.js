// @ts-check
// Mark stale numbers: parts of the page whose numbers are of another state than the canvas's are faded, with
// the reason. Python writes the state of the numbers on each such part (`data-at`); a generated style sheet
// selects the parts with another state, and lab.css draws them by the variables below. The selected node and
// the check, which are sent with the canvas, are faded by their own code.

import { html, setText } from "../../../web/dom.js";
import { hear, tell } from "../../../web/news.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {{ input: string, from: string }} Held the slider that is dragged, and its number before the drag */

const ID = "autodiff-viz-lag";

/**
 * @typedef {{ held?: Held | null, busy?: boolean, live?: boolean }} Why
 * `busy`: the canvas, too, will be of another state soon; `live`: it follows a training
 */

/** Text in place of a check, and over stale numbers; "" for none. Pure.
 * @param {Why} why @returns {{ check: string, says: string }} */
export function lagWords({ held = null, live = false }) {
  if (held) return { check: "Not checked while you drag.", says: `at ${held.input} = ${held.from}, before the drag` };
  return live ? { check: "Checked when the training stops.", says: "of an earlier step" } : { check: "Checking \u2026", says: "" };
}

/** The generated style sheet. Pure. @param {number | undefined} state of the numbers on the canvas @param {Why} why */
export function lagRule(state, why) {
  if (state === undefined) return "";
  const { held = null, busy = false, live = false } = why;
  const other = held || busy ? "[data-at]" : `[data-at]:not([data-at="${state}"])`;
  const { says } = lagWords(why);
  const look = { dim: 0.4, wait: held || live ? "0s" : "0.4s", says: says ? quoted(says) : "none" };
  const variables = Object.entries(look).map(([name, value]) => `--av-lag-${name}: ${value};`).join(" ");
  return `[class*="st-key-part_"]:has(${other}) { ${variables} }`;
}

/** A string literal of a style sheet. @param {string} text */
const quoted = (text) => `"${text.replace(/["\\\n]/g, "")}"`;

/** @param {Editor} editor @param {() => Held | null} heldNow @returns {() => void} to be called when that changes */
export function watchLag(editor, heldNow) {
  document.getElementById(ID)?.remove(); // of a canvas that has been removed
  const sheet = document.head.appendChild(html("style", { id: ID }));
  /** Senders whose values Python has not answered yet. @type {Set<string>} */
  const waiting = new Set();
  const say = () => {
    const { state, live } = editor.drawing;
    const why = { held: heldNow(), busy: waiting.size > 0 || editor.isUnsure, live };
    setText(sheet, lagRule(state, why));
    tell("lag", { on: Boolean(why.held) || why.busy, ...lagWords({ ...why, live: false }) });
  };
  const gone = () => !sheet.isConnected;
  hear("waits", ({ who, on }) => (on ? waiting.add(who) : waiting.delete(who), say()), gone);
  editor.watchers.push(say);
  return say;
}
