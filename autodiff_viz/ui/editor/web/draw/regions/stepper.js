// @ts-check
// Draw the stepper of a group of branches, on the group's tab and card: the number of branches, with a button
// for one less and one more.

import { svg } from "../../../../web/dom.js";
import { textWidth } from "../text/measure.js";

/** @typedef {{ font: number, sign: number, reach: number }} Size px: of the text, and radii of a sign's
 * ring and of its touch target */

/** @type {Size} */
export const ON_TAB = { font: 12.5, sign: 11, reach: 16 };
/** @type {Size} */
export const ON_CARD = { font: 16, sign: 14, reach: 20 };
const GAP = 6; // px

/** Width in px. @param {number} k @param {Size} size */
export const stepperWidth = (k, { font, sign }) => 4 * sign + 2 * GAP + textWidth(saysK(k), font) + 8;

/** @param {number} k */
export const saysK = (k) => `k = ${k}`;

/** @param {string} name of the group @param {number} k @param {number} x of its left edge @param {number} y of its middle
 * @param {Size} size */
export function stepper(name, k, x, y, size) {
  const w = stepperWidth(k, size);
  const { font, reach } = size;
  return svg("g", { class: "stepper", transform: `translate(${x} ${y})`, "data-group": name },
    svg("g", { class: "amount" },
      svg("rect", { class: "target", x: 2 * size.sign, y: -reach, width: w - 4 * size.sign, height: 2 * reach }),
      svg("text", { x: w / 2, y: font * 0.36, "font-size": font }, saysK(k)), svg("title", {}, "Branches: their number, and which are trained")),
    sign("fewer", size.sign, k <= 1, "One branch less  ([)", size), sign("more-of", w - size.sign, false, "One branch more  (])", size));
}

/** @param {string} kind @param {number} x @param {boolean} off @param {string} title @param {Size} size */
const sign = (kind, x, off, title, { sign: radius, reach }) =>
  svg("g", { class: `step ${kind}${off ? " off" : ""}`, "data-step": kind === "fewer" ? -1 : 1, transform: `translate(${x} 0)` },
    svg("circle", { class: "target", r: reach }), svg("circle", { class: "ring", r: radius - 2 }),
    svg("path", { class: "cross", d: kind === "fewer" ? "M-4 0h8" : "M-4 0h8M0-4v8" }), svg("title", {}, title));
