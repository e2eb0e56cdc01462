// @ts-check
// Draw the footer of the formula editor: mistakes, or help. Its height is fixed, so that nothing below jumps.

import { html } from "../../web/dom.js";

/** @typedef {import("./types.js").Mistake} Mistake */

const SHOWN = 4; // the first mistakes are the ones to mend; the rest often follow from them

/** @param {Element} foot @param {Mistake[]} mistakes @param {(mistake: Mistake) => void} go to its place */
export function list(foot, mistakes, go) {
  const sign = JSON.stringify(mistakes);
  if (signs.get(foot) === sign) return; // announced once
  signs.set(foot, sign);
  const items = mistakes.slice(0, SHOWN).map((mistake) => entry(mistake, () => go(mistake)));
  const more = mistakes.length - SHOWN;
  foot.replaceChildren(...(items.length ? [html("ul", {}, ...items)] : [help()]));
  if (more > 0) foot.append(html("p", {}, `And ${more} more.`));
}

/** The mistakes that a footer shows. @type {WeakMap<Element, string>} */
const signs = new WeakMap();

/** @param {Mistake} mistake @param {() => void} go */
function entry({ line, message, hint }, go) {
  const where = line ? html("button", { type: "button", title: "Go there", click: go }, `Line ${line}`) : null;
  return html("li", { class: "mistake" }, html("p", {}, where, where && " ", message), hint && html("p", { class: "hint" }, hint));
}

const help = () => html("p", { class: "hint" }, "One value a line, such as ", html("code", {}, "y = sin(x) * 2.0"),
  ". A number alone gets a slider.");
