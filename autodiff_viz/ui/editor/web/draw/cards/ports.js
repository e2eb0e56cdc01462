// @ts-check
// Draw the ports of a node: slots on the left with their constants, and the output on the right.

import { svg } from "../../../../web/dom.js";
import { outputPoint, slotPoint } from "../geometry.js";
import { fitting } from "../text/fitting.js";
import { textWidth } from "../text/measure.js";

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../text/levels.js").Level} Level */

const FONT = 13.5; // px, of a constant
const SMALL = 11.5; // px, of words at an empty slot
const GAP = 9; // px between a constant and its port
const USUAL = 56; // px left of a card in which an enlarged constant has room
const CUT = { at: 9, apart: 6, tall: 13, lean: 4 }; // px right of the port

/** A port and its larger, invisible target. No mark has a transform: every transform makes the browser layer the
 * whole picture more slowly.
 * @param {number} cx @param {number} cy */
const port = (cx, cy) => [svg("circle", { class: "target", r: 15, cx, cy }), svg("circle", { class: "port", r: 5.5, cx, cy })];

/** @param {GraphNode} node @param {number} i @param {Level} level */
export function slotMark(node, i, level) {
  const slot = node.slots[i];
  const y = slotPoint(node, i)[1] - node.y;
  const state = slot.wired ? "wired" : slot.constant === null ? "empty" : "constant";
  const group = svg("g", { class: `slot ${state}`, "data-slot": i }, ...port(0, y));
  if (node.slots.length > 1 && state !== "empty") group.append(svg("text", { class: "slot-label", x: -11, y: y - 7 }, slot.label.replace(/ input$/, "")));
  if (slot.constant !== null) group.append(pill(slot, y, level));
  if (state === "empty") group.append(wanting(slot.label, y, level));
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

/** @param {import("../../types.js").Slot} slot @param {number} y @param {Level} level */
function pill({ constant, constantFull }, y, { number }) {
  const font = Math.max(FONT, number);
  const all = constant ?? "";
  const text = fitting(all, constantFull, Math.max(USUAL, pillWidth(all)) / font - 0.6);
  const [w, h] = [Math.max(textWidth(text, font) + 0.9 * font + 4, 1.6 * font), 1.62 * font];
  return svg("g", { class: "pill" }, svg("rect", { x: -w - GAP, y: y - h / 2, width: w, height: h, rx: h / 2 }),
    svg("text", { x: -w / 2 - GAP, y: y + font / 3 }, text), svg("title", {}, `${constantFull ?? all} - click to change it`));
}

/** The label of an empty slot, which is unfinished and not a mistake.
 * @param {string} label @param {number} y @param {Level} level */
function wanting(label, y, { unit, detail }) {
  const says = `needs ${label}`;
  const text = detail === "near" ? says : "?";
  const w = (textWidth(text, SMALL) + 16) * unit;
  return svg("g", { class: "wanting" }, svg("rect", { x: -w - GAP, y: y - 10 * unit, width: w, height: 20 * unit, rx: 10 * unit }),
    svg("text", { x: -w / 2 - GAP, y: y + 4 * unit }, text), svg("title", {}, `${says}: draw a wire to it, or click and type a number`));
}

/** @param {string} label */
const wantWidth = (label) => textWidth(`needs ${label}`, SMALL) + 16;

/** @param {string} constant */
const pillWidth = (constant) => Math.max(textWidth(constant, FONT) + 16, 26);

/** Px by which the constants of a node extend to its left.
 * @param {GraphNode} node */
export const pillsReach = ({ slots }) =>
  Math.max(0, ...slots.map(({ constant, wired, label }) =>
    wired ? 0 : GAP + (constant === null ? wantWidth(label) : pillWidth(constant))));
