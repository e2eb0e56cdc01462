// @ts-check
// What the rest of the page shows of other numbers than the canvas says so. Python writes on each such part which
// state of the numbers it is of (`data-at`); a style sheet finds those of another one, and lab.css draws them as
// the variables below say: faint, with a word on why. The selected node and the check, which come with the canvas,
// are told.

import { html, setText } from "../../../web/dom.js";
import { hear, tell } from "../../../web/news.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {{ input: string, from: string }} Held a slider in somebody's hand, and the number before that */

const ID = "autodiff-viz-lag";

/**
 * @typedef {{ held?: Held | null, busy?: boolean, live?: boolean }} Why
 * `busy`: the canvas, too, will be of another state soon; `live`: it follows a training
 */

/** What is said in place of a check, and over other numbers than the canvas's, "" for nothing. Pure.
 * @param {Why} why @returns {{ check: string, says: string }} */
export function lagWords({ held = null, live = false }) {
  if (held) return { check: "Not checked while you drag.", says: `at ${held.input} = ${held.from}, before the drag` };
  return live ? { check: "Checked when the training stops.", says: "of an earlier step" } : { check: "Checking \u2026", says: "" };
}

/** The style sheet. Pure. @param {number | undefined} state of the numbers on the canvas @param {Why} why */
export function lagRule(state, why) {
  if (state === undefined) return "";
  const { held = null, busy = false, live = false } = why;
  const other = held || busy ? "[data-at]" : `[data-at]:not([data-at="${state}"])`;
  const { says } = lagWords(why);
  const look = { dim: 0.4, wait: held || live ? "0s" : "0.4s", says: says ? quoted(says) : "none" };
  const variables = Object.entries(look).map(([name, value]) => `--av-lag-${name}: ${value};`).join(" ");
  return `[class*="st-key-part_"]:has(${other}) { ${variables} }`;
}

/** A string of a style sheet. @param {string} text */
const quoted = (text) => `"${text.replace(/["\\\n]/g, "")}"`;

/** @param {Editor} editor @param {() => Held | null} heldNow @returns {() => void} to be called when that changes */
export function watchLag(editor, heldNow) {
  document.getElementById(ID)?.remove(); // of a canvas that has gone
  const sheet = document.head.appendChild(html("style", { id: ID }));
  /** Who else has sent what Python has not answered. @type {Set<string>} */
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
