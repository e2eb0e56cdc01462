// @ts-check
// Card of a parameter that is folded below its layer: a line with its name, value and arriving cotangent; with less room the
// cotangent alone, with its name or without.

import { RULES } from "../../../web/constants.js";
import { svg } from "../../../web/dom.js";
import { icon } from "./icons.js";
import { isBare } from "./levels.js";
import { shortenedName, textWidth } from "./measure.js";

/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {import("./levels.js").Level} Level */

const SIDE = 10; // px, margin left and right
const NAME = 12.5; // px
const NAMED = 0.4; // of the width, at most for the name
const NUMBER = textWidth("‖0.06‖", 1.06); // width that a number needs, of the font's size
const LETTERS = 1; // least width of a name, of the font's size
const CAPITAL = 0.7; // height of digits and capitals, of the font's size
const MARK = 20; // px of the sign of a rule
export const MOST = 13.5; // px of a number

/** Whether both numbers have room, one below the other. @param {GraphNode} node @param {Level} level */
const hasBoth = ({ h }, { number }) => 2 * CAPITAL * number + 9 <= h;

/** Baselines of value and cotangent; without room for both the value has none. @param {GraphNode} node @param {Level} level
 * @returns {{ value: number | null, cotangent: number }} */
export function tabRows(node, level) {
  const row = CAPITAL * Math.max(level.number, 13);
  if (!hasBoth(node, level)) return { value: null, cotangent: (node.h + CAPITAL * level.number) / 2 };
  const gap = (node.h - 2 * row) / 3;
  return { value: gap + row, cotangent: 2 * (gap + row) };
}

/** @param {GraphNode} node */
const markOf = ({ rule, muted, problem, warning }) => (problem || warning ? "warning" : rule !== "follow" && !muted ? rule : "");

/** Px left of the name: those of the sign of its rule. @param {GraphNode} node */
const startOf = (node) => (markOf(node) ? SIDE + MARK : SIDE);

/** Px for a number. @param {GraphNode} node @param {Level} level */
export function tabRoom(node, level) {
  const room = node.w - SIDE - startOf(node);
  const named = isBare(level) ? 0 : nameRoom(node, level);
  return named ? room - named - 6 : room;
}

/** @param {Level} level */
const nameSize = ({ text }) => Math.max(NAME, text);

/** @param {GraphNode} node @param {Level} level */
function nameRoom(node, level) {
  const [room, size] = [node.w - SIDE - startOf(node), nameSize(level)];
  const most = Math.min(NAMED * room, 1.06 * textWidth(node.id, size), room - NUMBER * Math.max(level.number, 13) - 6);
  return most < LETTERS * size ? 0 : most;
}

/** Name and the sign of a rule. @param {GraphNode} node @param {Level} level @returns {Element[]} */
export function tabParts(node, level) {
  const parts = [];
  const size = nameSize(level);
  if (!isBare(level) && nameRoom(node, level)) parts.push(svg("text", { class: "name fixed tab-name", x: startOf(node), y: node.h / 2 + 0.35 * size }, shortenedName(node.id, nameRoom(node, level) + 0.1, size)));
  const kind = markOf(node);
  if (!kind) return parts;
  const rule = RULES[kind];
  const mark = icon(kind, 12);
  mark.setAttribute("x", String(SIDE - 1));
  mark.setAttribute("y", String(node.h / 2 - 6));
  const colour = rule?.colour ?? (node.problem ? "problem" : "warning");
  return [...parts, svg("g", { class: `chip ${colour}` }, svg("circle", { class: "tab-mark", cx: SIDE + 5, cy: node.h / 2, r: MARK / 2 }), mark)];
}
