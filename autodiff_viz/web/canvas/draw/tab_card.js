// @ts-check
// Draw the card of a parameter that is folded below its layer: its name, and value and arriving cotangent one
// below the other; with less room the two side by side, with the name where both keep two digits; on a phone the name alone.

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
const SHORT = textWidth(".06", 1.06); // the same, beside a name in the line
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
  const named = nameInLine(node, level);
  const left = lineStart(node) + named.px;
  const room = node.w - EDGE - left - APART;
  const own = named.own ?? ownOf(node, level, room, 0) ?? room / 2;
  const forth = textWidth(bare(node.tangent ?? node.value), BOLD) * level.number + 1;
  const least = named.px ? forth : Math.max(forth, room / 2);
  return {
    value: own,
    cotangent: room - own,
    ends: /** @type {[number, number]} */ ([left + Math.min(own, least), node.w - EDGE]),
  };
}

/** @param {string} text */
const bare = (text) => text.replaceAll("\u2016", "");

/** Px of a line for the value, so that both numbers fit, perhaps with fewer digits; undefined where they do not.
 * @param {GraphNode} node @param {Level} level @param {number} room of both @param {number} least px of either that needs more */
function ownOf({ value, tangent, cotangent, numbers }, { number }, room, least) {
  const texts = [tangent ?? value, cotangent].map(bare);
  const nums = [tangent === undefined ? numbers?.value : numbers?.tangent, numbers?.cotangent];
  const [forth, back] = texts.map((text) => textWidth(text, BOLD) * number + 1);
  if (forth + back <= room) return room - back;
  const share = SHARES.find((part) =>
    [part * room, room - part * room].every(
      (px, i) =>
        px >= Math.min([forth, back][i], least) &&
        !fitting(texts[i], nums[i], px / number / BOLD).endsWith("\u2026"),
    ),
  );
  return share && share * room;
}

/** Px left of a line, without its name. @param {GraphNode} node */
const lineStart = (node) => (markOf(node) ? EDGE + MARK : EDGE);

/** The name before the numbers of a line, where both keep two digits; with its px, and those of the value beside it.
 * @param {GraphNode} node @param {Level} level @returns {{ name: string, px: number, own?: number }} */
export function nameInLine(node, level) {
  const name = shortName(node, NAMED, level);
  const px = BOLD * textWidth(name, nameSize(level)) + APART;
  const room = node.w - EDGE - lineStart(node) - APART - px;
  const own = name && room > 0 ? ownOf(node, level, room, SHORT * level.number) : undefined;
  return own === undefined ? { name: "", px: 0 } : { name, px, own };
}

/** The name in a part of the width; "" where that has room for less than three letters of it.
 * @param {GraphNode} node @param {number} part @param {Level} level */
function shortName({ id, w }, part, level) {
  const name = shortenedName(id, (part * (w - 2 * EDGE)) / BOLD, nameSize(level));
  return name === id || name.length > 2 ? name : "";
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

/** The arrow of the number at the edge without a wire, which tells the two in a line apart without colour.
 * @param {GraphNode} node @param {Level} level */
function arrowAside({ w, h, beside }, { number }) {
  const half = 0.3 * number;
  const [x, to] = beside ? [-2 * half, half] : [w + 2 * half, -half];
  return svg("path", {
    class: beside ? "forth" : "back",
    d: `M${x} ${h / 2 - half}l${to} ${half} ${-to} ${half}z`,
  });
}

/** Name and the sign of a rule. @param {GraphNode} node @param {Level} level @returns {Element[]} */
export function tabParts(node, level) {
  const size = nameSize(level);
  const y = node.h / 2 + 0.35 * size;
  const written = (/** @type {number} */ x, /** @type {string} */ name) =>
    name ? [svg("text", { class: "name fixed tab-name", x, y }, name)] : [];
  /** @type {Element[]} */
  const parts = [];
  if (level.detail === "one") {
    if (CAPITAL * size <= node.h) parts.push(...written(EDGE, shortName(node, 1, level)));
  } else if (isInLine(node, level)) {
    parts.push(...written(lineStart(node), nameInLine(node, level).name), arrowAside(node, level));
  } else if (!isBare(level) && nameRoom(node, level))
    parts.push(
      ...written(startOf(node), shortenedName(node.id, nameRoom(node, level) + 0.1, size)),
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
