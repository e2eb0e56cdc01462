// @ts-check
// Draw the footer of the formula editor: mistakes, or help. Its height is fixed, so that nothing below jumps.

import { html } from "../../web/dom.js";

/** @typedef {import("./types.js").Mistake} Mistake */
/** @typedef {import("./types.js").Correction} Correction */

const SHOWN = 4; // the first mistakes are the ones to mend; the rest often follow from them

/** @param {Element} foot @param {{ mistakes: Mistake[], readings: string[] }} data @param {(mistake: Mistake) => void} go to its place
 * @param {(correction: Correction) => void} correct apply it */
export function list(foot, { mistakes, readings }, go, correct) {
  const sign = JSON.stringify([mistakes, readings]);
  if (signs.get(foot) === sign) return; // announced once
  signs.set(foot, sign);
  const items = mistakes.slice(0, SHOWN).map((mistake) => entry(mistake, () => go(mistake), correct));
  const more = mistakes.length - SHOWN;
  const read = readings.map((says) => html("p", { class: "reading" }, says));
  foot.replaceChildren(...(items.length ? [html("ul", {}, ...items)] : read.length ? read : [help()]));
  if (more > 0) foot.append(html("p", {}, `And ${more} more.`));
}

/** The mistakes that a footer shows. @type {WeakMap<Element, string>} */
const signs = new WeakMap();

/** @param {Mistake} mistake @param {() => void} go @param {(correction: Correction) => void} correct */
function entry({ line, message, hint, correction }, go, correct) {
  const where = line ? html("button", { type: "button", class: "place", title: "Go there", click: go }, `Line ${line}`) : null;
  const mend = correction && html("button", { type: "button", class: "correct", click: () => correct(correction) }, correction.label);
  const repeats = correction && hint === `${correction.label}.`; // the button says it
  return html("li", { class: "mistake" }, html("p", {}, where, where && " ", message), hint && !repeats && html("p", { class: "hint" }, hint), mend);
}

const help = () => html("p", { class: "hint" }, "One value a line, such as ", html("code", {}, "y = sin(x) * 2.0"),
  ". A number alone gets a slider.");
