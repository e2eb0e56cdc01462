// @ts-check
// Draw the legend of the wires, in one line at the foot of the canvas: what their colours, dashes and
// thickness say.

import { html, svg } from "../../../../web/dom.js";
import { term } from "../../../../web/term.js";

/** @type {[kind: string, says: string][]} */
const KEYS = [["positive", "positive"], ["negative", "negative"], ["mixed", "both signs"], ["zero", "zero"]];

/** @param {string} kind */
const sample = (kind) => svg("svg", { width: 26, height: 10, "aria-hidden": "true", class: `wire ${kind}` },
  svg("path", { class: "line", d: "M1 5h24", "stroke-width": kind === "zero" ? 1.5 : 3.5 }), svg("path", { class: "twin", d: "M1 5h24", "stroke-width": 3.5 }));

/** Thin to thick, as for 1/10 000 to the largest contribution. */
const wedge = () => svg("svg", { width: 34, height: 10, "aria-hidden": "true" }, svg("path", { class: "wedge", d: "M1 4.4L33 1.5v7L1 5.6z" }));

/** @returns {HTMLElement} */
export const legend = () =>
  html("div", { class: "flow-key", role: "note", "aria-label": "Legend of the wires" },
    html("span", { class: "cause-key" }, sample("to-cause"), "to the cause"),
    html("span", { class: "cause-key origin-key" }, sample("to-cause"), "NaN or \u221e begins here"),
    html("span", { class: "lead" }, html("span", { class: "of-cotangents" }, "Wires pass ", term("cotangent", "cotangents"), " back:"), html("span", { class: "of-tangents" }, "Wires pass ", term("tangent", "tangents"), " forward:")), ...KEYS.map(([kind, says]) => html("span", {}, sample(kind), says)),
    html("span", { class: "thick" }, wedge(), html("span", { class: "long" }, "10\u207b\u2074 to the "), "largest"),
    html("span", { class: "parted-key" }, svg("svg", { width: 26, height: 10, "aria-hidden": "true" }, svg("path", { d: "M1 5h24" })), "A and B part here"),
    html("span", { class: "range-key" }, sample("underflows"), "underflow ", sample("overflows"), "overflow"));
