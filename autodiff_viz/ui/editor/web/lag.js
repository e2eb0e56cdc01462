// @ts-check
// What the rest of the page shows of other numbers than the canvas says so. Python writes on each such part which
// state of the numbers it is of (`data-at`); a style sheet finds those of another one, and lab.css draws them as
// the variables below say: faint, with a word on why. A check is not shown at all.

import { html, setText } from "../../web/dom.js";
import { hear } from "../../web/news.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {{ input: string, from: string }} Held a slider in somebody's hand, and the number before that */

const ID = "autodiff-viz-lag";

/** The style sheet. Pure.
 * @param {number | undefined} state of the numbers on the canvas @param {{ held?: Held | null, busy?: boolean, live?: boolean }} why
 * `busy`: the canvas, too, will be of another one soon; `live`: it follows a training */
export function lagRule(state, { held = null, busy = false, live = false }) {
  if (state === undefined) return "";
  const other = held || busy ? "[data-at]" : `[data-at]:not([data-at="${state}"])`;
  const [check, says] = held
    ? ["Not checked while you drag.", `at ${held.input} = ${held.from}, before the drag`]
    : live ? ["Checked when the training stops.", "of an earlier step"] : ["Checking \u2026", null];
  const look = {
    dim: 0.4, seen: "hidden", wait: held || live ? "0s" : "0.4s", check: quoted(check), says: says ? quoted(says) : "none",
  };
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
    const busy = waiting.size > 0 || editor.isUnsure;
    setText(sheet, lagRule(state, { held: heldNow(), busy, live }));
  };
  const gone = () => !sheet.isConnected;
  hear("waits", ({ who, on }) => (on ? waiting.add(who) : waiting.delete(who), say()), gone);
  editor.watchers.push(say);
  return say;
}
