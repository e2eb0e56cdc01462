// @ts-check
// Draw the card of a parameter that is folded below its layer: its name, and value and arriving cotangent one
// below the other; with less room the two side by side, without the name.

import { RULES } from "../../base/constants.js";
import { svg } from "../../base/dom.js";
import { icon } from "../../base/icons.js";
import { fitting, shortenedName, textWidth } from "../../base/numbers.js";
import { isBare } from "./levels.js";

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("./levels.js").Level} Level */

const SIDE = 10; // px, margin left and right
const EDGE = 5; // px, where the two numbers need the width
const APART = 8; // px between two numbers side by side
const ROWS = 8; // px around and between two rows
const NAME = 12.5; // px
const NAMED = 0.4; // of the width, at most for the name
const NUMBER = textWidth("‖0.06‖", 1.06); // width that a number needs, of the font's size
const LETTERS = 1; // least width of a name, of the font's size
const CAPITAL = 0.7; // height of digits and capitals, of the font's size
const BOLD = 1.06; // width of semi-bold letters
const MARK = 20; // px of the sign of a rule
export const MOST = 13.5; // px of a number

/** Whether the two numbers stand side by side. @param {GraphNode} node @param {Level} level */
export const isInLine = ({ tab, h }, { number }) => Boolean(tab) && 2 * CAPITAL * number + ROWS > h;

/** Baselines of value and cotangent. @param {GraphNode} node @param {Level} level @returns {[number, number]} */
export function tabRows(node, level) {
  if (isInLine(node, level))
    return [(node.h + CAPITAL * level.number) / 2, (node.h + CAPITAL * level.number) / 2];
  const row = CAPITAL * Math.max(level.number, 13);
  const gap = (node.h - 2 * row) / 3;
  return [gap + row, 2 * (gap + row)];
}

/** @param {GraphNode} node */
const markOf = ({ rule, muted, problem, warning }) =>
  problem || warning ? "warning" : rule !== "follow" && !muted ? rule : "";

/** Px left of the name: those of the sign of its rule. @param {GraphNode} node */
const startOf = (node) => (markOf(node) ? SIDE + MARK : SIDE);

/** Px for either number, and the right ends of the two; in forward mode the tangent stands in place of the value.
 * @param {GraphNode} node @param {Level} level @returns {{ value: number, cotangent: number, ends: [number, number] }} */
export function tabRoom(node, level) {
  if (isInLine(node, level)) return roomInLine(node, level);
  const room = node.w - SIDE - startOf(node);
  const named = isBare(level) ? 0 : nameRoom(node, level);
  const own = named ? room - named - 6 : room;
  return { value: own, cotangent: own, ends: [node.w - SIDE, node.w - SIDE] };
}

/** Shares of the line for the value, tried in turn until both numbers fit with fewer digits. */
const SHARES = [0.5, 0.55, 0.45, 0.6, 0.4, 0.66, 0.34, 0.72, 0.28];

/** @param {GraphNode} node @param {Level} level */
function roomInLine(node, level) {
  const { w, value, tangent, cotangent, numbers } = node;
  const left = markOf(node) ? EDGE + MARK : EDGE;
  const room = w - EDGE - left - APART;
  const texts = [tangent ?? value, cotangent].map((text) => text.replaceAll("\u2016", ""));
  const nums = [tangent === undefined ? numbers?.value : numbers?.tangent, numbers?.cotangent];
  const [forth, back] = texts.map((text) => textWidth(text, BOLD) * level.number + 1);
  const fits = (/** @type {number} */ share) =>
    [share, 1 - share].every(
      (part, i) =>
        !fitting(texts[i], nums[i], (part * room) / level.number / BOLD).endsWith("\u2026"),
    );
  const own = forth + back <= room ? room - back : room * (SHARES.find(fits) ?? 0.5);
  return {
    value: own,
    cotangent: room - own,
    ends: /** @type {[number, number]} */ ([
      left + Math.min(own, Math.max(forth, room / 2)),
      w - EDGE,
    ]),
  };
}

/** @param {Level} level */
const nameSize = ({ text }) => Math.max(NAME, text);

/** @param {GraphNode} node @param {Level} level */
function nameRoom(node, level) {
  if (isInLine(node, level)) return 0;
  const [room, size] = [node.w - SIDE - startOf(node), nameSize(level)];
  const most = Math.min(
    NAMED * room,
    1.06 * textWidth(node.id, size),
    room - NUMBER * Math.max(level.number, 13) - 6,
  );
  return most < LETTERS * size ? 0 : most;
}

/** Name and the sign of a rule. @param {GraphNode} node @param {Level} level @returns {Element[]} */
export function tabParts(node, level) {
  const parts = [];
  const size = nameSize(level);
  if (!isBare(level) && nameRoom(node, level))
    parts.push(
      svg(
        "text",
        { class: "name fixed tab-name", x: startOf(node), y: node.h / 2 + 0.35 * size },
        shortenedName(node.id, nameRoom(node, level) + 0.1, size),
      ),
    );
  const kind = markOf(node);
  if (!kind) return parts;
  const rule = RULES[kind];
  const mark = icon(kind, 12);
  mark.setAttribute("x", String(SIDE - 1));
  mark.setAttribute("y", String(node.h / 2 - 6));
  const colour = rule?.colour ?? (node.problem ? "problem" : "warning");
  return [
    ...parts,
    svg(
      "g",
      { class: `chip ${colour}` },
      svg("circle", { class: "tab-mark", cx: SIDE + 5, cy: node.h / 2, r: MARK / 2 }),
      mark,
    ),
  ];
}
