// @ts-check
// Ports of a node: slots on the left with their constants, and the output on the right.

import { svg } from "../../../web/dom.js";
import { outputPoint, slotPoint } from "./geometry.js";
import { textWidth } from "./measure.js";

/** @typedef {import("../types.js").GraphNode} GraphNode */

const FONT = 13.5; // px, of a constant
const GAP = 9; // px between a constant and its port
const CUT = { at: 9, apart: 6, tall: 13, lean: 4 }; // px right of the port

/** A port and its larger, invisible target. No mark has a transform: every transform makes the browser layer the
 * whole picture more slowly.
 * @param {number} cx @param {number} cy */
const port = (cx, cy) => [svg("circle", { class: "target", r: 15, cx, cy }), svg("circle", { class: "port", r: 5.5, cx, cy })];

/** @param {GraphNode} node @param {number} i */
export function slotMark(node, i) {
  const slot = node.slots[i];
  const y = slotPoint(node, i)[1] - node.y;
  const state = slot.wired ? "wired" : slot.constant === null ? "empty" : "constant";
  const group = svg("g", { class: `slot ${state}`, "data-slot": i }, ...port(0, y));
  if (node.slots.length > 1 && state !== "empty") group.append(svg("text", { class: "slot-label", x: -11, y: y - 7 }, slot.label));
  if (slot.constant !== null) group.append(pill(slot.constant, y));
  if (state === "empty") group.append(wanting(slot.label, y));
  return group;
}

/** @param {GraphNode} node */
export function outputMark(node) {
  const [x, y] = outputPoint(node);
  return svg("g", { class: "out" }, ...port(x - node.x, y - node.y));
}

/** The mark of a cut after a node: two bars across all wires that leave the node. @param {GraphNode} node */
export function cutMark(node) {
  const [x, y] = outputPoint(node);
  const bar = (/** @type {number} */ left) => `M${x - node.x + left} ${y - node.y + CUT.tall}l${CUT.lean} ${-2 * CUT.tall}`;
  return svg("g", { class: "cut-mark" }, svg("path", { class: "gap", d: bar(CUT.at + CUT.apart / 2) }), svg("path", { d: bar(CUT.at) + bar(CUT.at + CUT.apart) }),
    svg("title", {}, `Segment ${node.segment ?? ""} ends here: its cotangent is handed across`));
}

/** @param {string} constant @param {number} y */
function pill(constant, y) {
  const w = pillWidth(constant);
  return svg("g", { class: "pill" }, svg("rect", { x: -w - GAP, y: y - 11, width: w, height: 22, rx: 11 }),
    svg("text", { x: -w / 2 - GAP, y: y + 4.5 }, constant), svg("title", {}, `${constant} - click to change it`));
}

/** The label of an empty slot, which is unfinished and not a mistake.
 * @param {string} label @param {number} y */
function wanting(label, y) {
  const text = `needs ${label}`;
  const w = wantWidth(label);
  return svg("g", { class: "wanting" }, svg("rect", { x: -w - GAP, y: y - 10, width: w, height: 20, rx: 10 }),
    svg("text", { x: -w / 2 - GAP, y: y + 4 }, text), svg("title", {}, `${text}: draw a wire to it, or click and type a number`));
}

/** @param {string} label */
const wantWidth = (label) => textWidth(`needs ${label}`, 11.5) + 16;

/** @param {string} constant */
const pillWidth = (constant) => Math.max(textWidth(constant, FONT) + 16, 26);

/** Px by which the constants of a node extend to its left.
 * @param {GraphNode} node */
export const pillsReach = ({ slots }) =>
  Math.max(0, ...slots.map(({ constant, wired, label }) =>
    wired ? 0 : GAP + (constant === null ? wantWidth(label) : pillWidth(constant))));
