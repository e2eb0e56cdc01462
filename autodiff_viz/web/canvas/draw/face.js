// @ts-check
// Place sign, name, numbers and chips on a card at a level of detail, and choose how large they are.

import { RULES } from "../../base/constants.js";
import { svg } from "../../base/dom.js";
import { icon } from "../../base/icons.js";
import { fitting, isNegative, shortened, shortenedName, textWidth } from "../../base/numbers.js";
import { clamp, slotPoint } from "../state/geometry.js";
import { halfOf, THUMB } from "./heat_card.js";
import { isBare } from "./levels.js";
import { droppedText } from "./runs.js";
import { MOST as TAB_MOST, tabRoom, tabRows } from "./tab_card.js";

// Chips on the edge: rule, problem or warning, output, and number of runs.

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("./levels.js").Level} Level */
/**
 * @typedef {object} Chip
 * @property {string} kind
 * @property {string} icon
 * @property {string} text
 * @property {string} [says] under the pointer
 */

export const FONT = 11.5; // px
const PAD = { icon: 20, side: 8 }; // px
const ROW = 10; // px from the card's left and right edge
export const TALL = 20; // px
const CHIP_OVER = 7; // px by which a chip covers the card's edge, at most; its texts are below
const CLEAR = 2; // px between a chip and these texts
const FOOT_OVER = { cells: 2, else: 5 }; // px by which a chip at the foot covers the card's edge; cells reach down to it
const WIDE = 1.2; // of the card's width, a text at its foot without another chip, at most
const CHIP_GAP = 4; // px between chips
const PORT = 8; // px of a port and the edge of its wire, from the middle
const CHIP_BOLD = 1.12; // width of semi-bold letters over its estimate, also where the browser rounds it to whole px
const WORDS = 1.5; // unit up to which a chip has words beside its icon
export const LEAST_TEXT = 24; // px of a chip's text, without which it says nothing
const APART = 3; // px between a chip and the card above
const LEAST = 0.5; // factor of a chip, where the next card is near
export const SMALL = 0.6; // of a level's factor, from which on a chip is small enough to stand elsewhere
const FLAG_OVER = 0.75; // of its width, by which the output's flag may be beside its card
/** Px by which chips extend above the card. */
export const CHIPS_ABOVE = 14;

export const FLAG = { kind: "out-chip", icon: "output", text: "" };
const OUTPUT = { ...FLAG, text: "output" };

/** A chip with its place on the card. @typedef {{ chip: Chip, x: number, y: number, unit: number, w: number }} Placed */

/** The chips above a card and at its foot, as they stand where nothing is near: lanes.js moves those that would cover something.
 * @param {GraphNode} node @param {Level} level @param {number} top px from the card's top to its highest text @returns {Placed[]} */
export function placedChips(node, level, top) {
  const { unit, detail } = level;
  const { isOutput, segment, state, w } = node;
  /** @type {Placed[]} */
  const placed = [];
  const put = (
    /** @type {Chip} */ chip,
    /** @type {number} */ x,
    /** @type {number} */ y,
    of = unit,
  ) => placed.push({ chip, x, y, unit: of, w: of * chipWidth(chip) });
  const size = sizeAbove(node, level, top);
  const bare = size > WORDS || size < unit; // icons alone: words would have no room, or be too small to be read
  const wide = (/** @type {Chip} */ chip) => size * chipWidth(chip);
  const above = aboveCard(top, size);
  const flagged = isOutput && !node.down; // downwards the flag is at the foot: wires come from above
  const end = node.down
    ? topPorts(node)[0] - CLEAR
    : w - ROW - (flagged ? wide(FLAG) + CHIP_GAP : 0);
  let x = ROW;
  for (const named of leftChips(node, (end - ROW) / size)) {
    const chip = bare ? { ...named, text: "" } : named;
    put(chip, x, above, size);
    x += wide(chip) + CHIP_GAP;
  }
  const output = bare || x + wide(OUTPUT) > w - ROW ? FLAG : OUTPUT;
  if (flagged) put(output, w - ROW - wide(output) + flagOver(node, level, top), above, size);
  const px = (/** @type {Chip} */ chip) => unit * chipWidth(chip);
  const low = footTop(node, level);
  const again = runChips(node, (w - 2 * ROW) / unit);
  if (isOutput && node.down) again.unshift(FLAG);
  const taken = again.reduce((sum, chip) => sum + px(chip) + CHIP_GAP, 0);
  const numbered =
    detail === "near" && segment ? segmentChip(segment, (w - 2 * ROW - taken) / unit) : null;
  const next = ROW + (numbered ? px(numbered) + CHIP_GAP : 0);
  if (numbered) put(numbered, ROW, low);
  let right = w - ROW;
  for (const chip of again) {
    right -= px(chip);
    put(chip, right, low);
    right -= CHIP_GAP;
  }
  const room = (w - ROW - next - taken) / unit;
  const said = taken || numbered ? textRoom(room) : (WIDE * w) / unit;
  if (state?.length && unit <= WORDS && said >= LEAST_TEXT)
    put({ kind: "state", icon: "", text: shortened(state[0], said, FONT) }, next, low);
  return placed;
}

/** Px of text in a chip without an icon that takes `room` px. @param {number} room */
export const textRoom = (room) => (room - 2 * PAD.side) / CHIP_BOLD;

/** Px from the card's top to a chip above it. @param {number} top px from the card's top to its highest text @param {number} unit */
export const aboveCard = (top, unit) => overEdge(top) - TALL * unit;

/** Px from the card's top to the chips at its foot: below its last number, where that stands at its edge.
 * @param {GraphNode} node @param {Level} level */
export function footTop(node, level) {
  const last = node.tab || node.group ? 0 : (baselines(node, level).rows.at(-1) ?? 0);
  const over = node.heat ? FOOT_OVER.cells : FOOT_OVER.else;
  return Math.max(node.h + (node.foot ?? 0) - over, last + BELOW * level.number);
}

/** The place of the chips at the foot of a card, if it has any. @param {GraphNode} node @param {Level} level
 * @returns {import("../../types.js").Box | null} */
export function footBox(node, level) {
  const { runs, dropped, state, segment, x, y, w, down, isOutput } = node;
  const numbered = segment && level.detail === "near";
  const has = runs || dropped || state?.length || numbered || (down && isOutput);
  if (!has || node.tab || node.group) return null;
  return { x: x + ROW, y: y + footTop(node, level), w: w - 2 * ROW, h: TALL * level.unit };
}

/** From the right: how often the node runs, filled, and hollow what JAX drops of it, as in *Runs*. Without room in
 * `room` px for the word it is a number: ×1 where it then runs once, or how many fewer than the mark beside it says.
 * @param {GraphNode} node @param {number} room @returns {Chip[]} */
export function runChips({ runs, dropped }, room) {
  const made = runs ? [{ kind: "runs", icon: "", text: runs.replace(/^x/, "×") }] : [];
  if (!dropped) return made;
  const hollow = { kind: "dropped", icon: "", text: droppedText(dropped) };
  const wide = [...made, hollow].reduce((sum, chip) => sum + chipWidth(chip) + CHIP_GAP, 0);
  return [
    ...made,
    wide - CHIP_GAP > room ? { ...hollow, text: runs ? `−${dropped}` : "×1" } : hollow,
  ];
}

/** @param {number} segment @param {number} room px @returns {Chip} */
function segmentChip(segment, room) {
  const chip = { kind: "segment", icon: "", text: `segment ${segment}` };
  return chipWidth(chip) > room ? { ...chip, text: String(segment) } : chip;
}

/** Px by which chips lie over the card's edge. @param {number} top px from the card's top to its highest text */
const overEdge = (top) => Math.min(CHIP_OVER, top - CLEAR);

/** Px by which the output's flag is moved to the right, where the symbol above the card would not have room beside it.
 * @param {GraphNode} node @param {Level} level @param {number} top px from the card's top to its highest text */
function flagOver(node, level, top) {
  if (!node.isOutput || node.down || level.detail !== "few") return 0;
  const wide = sizeAbove(node, level, top) * chipWidth(FLAG);
  const sign = textWidth(node.symbol, Math.max(NAME, level.text)) * BOLD;
  const short = chipsReach(node, level, top) + sign + wide + ROW + CHIP_GAP - node.w;
  return clamp(short, 0, FLAG_OVER * wide);
}

/** Factor of the chips above a card: that of the level, or less where they would touch the next card above, or one another.
 * @param {GraphNode} node @param {Level} level @param {number} top px from the card's top to its highest text */
function sizeAbove(node, { unit }, top) {
  const { above, down, isOutput, w } = node;
  const fits = above === undefined ? unit : (above - APART + overEdge(top)) / TALL;
  const count = leftChips(node, 0).length + (isOutput && !down ? 1 : 0);
  const end = down ? topPorts(node)[0] - CLEAR : w - ROW;
  const beside = count ? (end - ROW - count * CHIP_GAP) / (count * chipWidth(FLAG)) : unit;
  return Math.min(unit, Math.max(Math.min(fits, beside), LEAST));
}

/** Px from the card's left edge to the first and the last port of its upper edge, in a drawing that runs downwards.
 * @param {GraphNode} node @returns {[number, number]} */
function topPorts(node) {
  const ports = node.slots.flatMap(({ wired }, i) =>
    wired ? [slotPoint(node, i)[0] - node.x] : [],
  );
  return ports.length ? [ports[0] - PORT, ports[ports.length - 1] + PORT] : [node.w - ROW, 0];
}

/** Px from the card's left edge to the end of the icons above it. @param {GraphNode} node @param {Level} level @param {number} top */
export function chipsReach(node, level, top) {
  const icons = leftChips(node, 0).length;
  return icons ? ROW + icons * (sizeAbove(node, level, top) * chipWidth(FLAG) + CHIP_GAP) : 0;
}

/** The place of the chips above a card. @param {GraphNode} node @param {Level} level @param {number} top @returns {import("../../types.js").Box} */
export function chipsBox(node, level, top) {
  const tall = TALL * sizeAbove(node, level, top);
  const row = chipsReach(node, level, top) - ROW;
  const w = node.down
    ? Math.max(row, 0)
    : Math.max(node.w - 2 * ROW + flagOver(node, level, top), row);
  return { x: node.x + ROW, y: node.y + overEdge(top) - tall, w, h: tall };
}

/** The rule and the problem or warning, in at most `room` px: of a problem or warning without room the icon alone. Beside
 * one, only the rule's icon is shown.
 * @param {GraphNode} node @param {number} room @returns {Chip[]} */
function leftChips({ rule, ruleText, problem, warning, muted }, room) {
  if (muted && !problem) return [{ kind: "missing", icon: "mute", text: "muted" }];
  // A warning is named by what stands before its colon, if that is short, else by its first word.
  const named = /^[^:.]{1,12}(?=:)/.exec(warning ?? "")?.[0] ?? warning?.split(" ")[0] ?? "";
  const trouble = problem ? "problem" : named;
  const row = [];
  if (trouble) {
    const chip = { kind: problem ? "problem" : "warning", icon: "warning", text: trouble };
    const ofRule = rule === "follow" ? 0 : chipWidth({ ...chip, text: "" }) + CHIP_GAP;
    row.push(ofRule + chipWidth(chip) > room + CHIP_GAP ? { ...chip, text: "" } : chip);
  }
  const beside = row.length ? chipWidth(row[0]) + CHIP_GAP : 0;
  const left = (room - beside - PAD.icon - PAD.side) / CHIP_BOLD;
  const text = ruleText || RULES[rule]?.label;
  if (rule !== "follow")
    row.unshift({
      kind: rule,
      icon: rule,
      text: left < LEAST_TEXT ? "" : shortened(text, left, FONT),
    });
  return row;
}

/** @param {Chip} chip px */
export const chipWidth = ({ icon: mark, text }) =>
  textWidth(text, FONT) * CHIP_BOLD + (mark ? PAD.icon : PAD.side) + (text ? PAD.side : 3);

/** @param {Placed} placed */
export function drawChip({ chip, x, y, unit }) {
  const rule = RULES[chip.kind];
  const group = svg(
    "g",
    { class: `chip ${chip.kind}${rule ? ` ${rule.colour}` : ""}${rule?.asks ? " opens" : ""}` },
    svg("rect", {
      x,
      y,
      width: unit * chipWidth(chip),
      height: TALL * unit,
      rx: (TALL / 2) * unit,
    }),
    svg("text", { x: x + unit * (chip.icon ? PAD.icon : PAD.side), y: y + 14 * unit }, chip.text),
  );
  if (chip.says) group.append(svg("title", {}, chip.says));
  if (!chip.icon) return group;
  const mark = icon(chip.icon, 12 * unit);
  mark.setAttribute("x", String(x + 6 * unit));
  mark.setAttribute("y", String(y + 4 * unit));
  group.append(mark);
  return group;
}

const SIDE = { near: 11, else: 7 }; // px, margin left and right
const HEADER = 33; // px
const TIGHT = 6; // px between and around two numbers without anything else
const OVER = 52; // px by which a number may be wider than its card where the card shows nothing else
const HIGH = 8; // px above the sign of a tall card, at most
const OUT = 20; // px above and below a card, at most, that two numbers take in forward mode
const SPREAD = 13; // px above and below a card, at most, that sign and numbers take, half of what is between two cards
const LEAST_GAP = 2.5; // px between three numbers, at least
const BESIDE = 15; // px of numbers, at most, that leave room for a tangent beside the value
const SMALLER = 0.9; // size of a tangent beside its value
const MARK = 9; // px that the arrows of value and cotangent take
const TIP_GAP = 4; // px from the arrow to a number that is written about its middle
const CAPITAL = 0.7; // height of digits and capitals, of the font's size
const [INK, HIGH_INK] = [0.76, 1.05]; // height of letters, and of exponents, roots, brackets and bars, of the font's size
const RAISED = /[\u00b2\u00b3\u02b0-\u02ff\u1d2c-\u1d6a\u2070-\u207f\u221a]/; // exponents and roots
const LARGER = 1.15; // a symbol over the level's text, at most
const BELOW = 0.2; // of the font's size, what brackets and the bars of a norm have below the line
export const MOST = 16; // px of a number
const NORM = 13.5; // px under a picture
const SYMBOL = { most: 20, sign: 26, beside: 13, far: 40 }; // px; a sign such as + looks smaller than letters
const NAME = 12.5; // px
const LETTERS = 3; // of a name that is shortened, at least
const STUMP = 6; // letters of a name beside its sign, which says more than fewer of them
const GAP = 8; // px between symbol and name
const BETWEEN = 4; // px between them above a card, where the name is not enlarged
const SHAPE = 11.5; // px
const BOLD = 1.06; // width of semi-bold letters
const WIDER = 1.14; // width of a symbol such as "flatten", of narrow letters, over its estimate
export const NAME_GAP = 6; // px from a card to the name above it
const FOLDED = 12; // px, margin of a collapsed group's card

/** @param {Level} level */
const sideOf = ({ detail }) => (detail === "near" ? SIDE.near : SIDE.else);

/** Whether both numbers have room, one below the other. On a phone the sign stands above them, which says what the node does, and
 * they may be higher than the card; in forward mode more so, since both modes are what is looked at. Pure.
 * @param {{ h: number, tangent?: string }} node @param {Level} level */
export const hasBoth = ({ h, tangent }, { detail, text, number }) =>
  detail !== "one" ||
  CAPITAL * (text + 2 * number) + 2 * TIGHT <= h + 2 * (tangent === undefined ? SPREAD : OUT);

/** Baselines of sign and numbers, in px from the card's top: of value and cotangent, in forward mode of the tangent and the
 * cotangent, with the value above them where it has room. @param {GraphNode} node @param {Level} level */
export function baselines(node, level) {
  const { h } = node;
  const { detail, text, number } = level;
  if (detail === "near") {
    const middle = (HEADER + h) / 2;
    return { sign: 24, rows: [middle - 4.5, middle + 16] };
  }
  const [head, row] = [isBare(level) ? 0 : CAPITAL * text, CAPITAL * number];
  if (detail === "one")
    return stacked(h, CAPITAL * text, Array(hasBoth(node, level) ? 2 : 1).fill(row));
  const count = hasThree(node, level) ? 3 : 2;
  const below = /^[[\u2016]/.test(node.value) ? BELOW * number : 0;
  const first = head
    ? head + Math.min((h - head - below - count * row) / (below ? 8 : count + 2), HIGH)
    : 0;
  const gap = Math.max((h - first - below - count * row) / (count + 1), below);
  const top = Math.max(first, (first + h - below - count * row - (count - 1) * gap) / 2);
  return {
    sign: first,
    rows: Array.from({ length: count }, (_, i) => top + i * (gap + row) + row),
  };
}

/** Baselines of the sign and the numbers, one below the other about the middle of a card.
 * @param {number} h @param {number} head @param {number[]} numbers px of their heights */
function stacked(h, head, numbers) {
  const heights = [head, ...numbers];
  const total = heights.reduce((sum, height) => sum + height, 0);
  const gap = Math.max((h - total) / (heights.length + 1), TIGHT);
  let at = (h - total - numbers.length * gap) / 2 - gap;
  const [sign, ...rows] = heights.map((height) => (at += gap + height));
  return { sign, rows: [rows[0], rows[rows.length - 1]] };
}

/** Px from the card's top to the top of its highest text, about. @param {GraphNode} node @param {Level} level */
export function inkTop(node, level) {
  const {
    sign,
    rows: [first],
  } = baselines(node, level);
  if (level.detail === "one") return sign - INK * level.text;
  if (isBare(level)) return first - HIGH_INK * Math.max(level.number, MOST);
  const most = level.detail === "near" ? SYMBOL.most : level.text * LARGER;
  return Math.min(
    sign - (RAISED.test(node.symbol) ? HIGH_INK : INK) * most,
    first - HIGH_INK * Math.max(level.number, MOST),
  );
}

/** Baselines of the two numbers. @param {GraphNode} node @param {Level} level */
export const rows = (node, level) =>
  node.tab ? tabRows(node, level) : baselines(node, level).rows;

/** Whether value, tangent and cotangent have a row each, in forward mode. @param {GraphNode} node @param {Level} level */
const hasThree = ({ h, tangent, heat }, level) =>
  tangent !== undefined &&
  !heat &&
  level.detail !== "near" &&
  !isBare(level) &&
  (h - CAPITAL * (level.text + 3 * level.number)) / 5 >= LEAST_GAP;

/** Whether the tangent stands beside the value, in forward mode. @param {GraphNode} node @param {Level} level */
export const isBeside = ({ tangent, heat, group, tab, shape }, level) =>
  tangent !== undefined &&
  level.detail === "near" &&
  level.number <= BESIDE &&
  !heat &&
  !group &&
  !tab &&
  !shape;

/** Whether the value is written; in forward mode it gives way to the tangent where not all three numbers have room.
 * @param {GraphNode} node @param {Level} level */
export const hasValue = (node, level) =>
  node.tangent === undefined ||
  isBeside(node, level) ||
  (!node.group && !node.tab && hasThree(node, level));

/** Px of a tangent beside its value: at least, and at most. @param {Level} level */
export const sizesBeside = ({ number }) => [SMALLER * number, Math.max(SMALLER * MOST, number)];

/** Left end of the numbers, right of the arrows. @param {Level} level */
export const leftOf = (level) => sideOf(level) + MARK + 1;

/** The line below sign and name. @param {GraphNode} node @param {Level} level */
export const divider = ({ w }, level) =>
  level.detail === "near"
    ? [svg("line", { class: "divider", x1: SIDE.near, x2: w - SIDE.near, y1: HEADER, y2: HEADER })]
    : [];

/** Width of the arrows in a smaller card. @param {Level} level */
const smallMark = ({ number }) => 0.4 * number;

/** The box of the arrow beside a number: before it, or, where the numbers take all of the card, right of it; null where a picture
 * stands there, or the sign and the numbers are all that is seen. Pure.
 * @param {{ w: number, heat?: unknown }} node @param {Level} level @returns {{ x: number, w: number, up: number } | null} `up`: from the baseline to its top */
export function arrowBox({ w, heat }, level) {
  const { detail, number } = level;
  if (detail === "near") return { x: SIDE.near, w: 6, up: 10 };
  const wide = smallMark(level);
  const up = (CAPITAL * number + 1.5 * wide) / 2;
  if (detail === "few") return { x: w + 0.4 * wide, w: wide, up };
  return heat || !["middle", "small"].includes(detail) ? null : { x: 2, w: wide, up };
}

/** The outline of the arrow before a number that is written about its middle. Pure.
 * @param {number} middle @param {number} baseline @param {number} wide px of the number @param {boolean} isBack @param {Level} level */
export function arrowBefore(middle, baseline, wide, isBack, level) {
  const [w, half] = [smallMark(level), 0.75 * smallMark(level)];
  const x = middle - wide / 2 - TIP_GAP - w;
  const top = baseline - (CAPITAL * level.number) / 2 - half;
  return isBack
    ? `M${(x + w).toFixed(1)} ${top.toFixed(1)}l-${w} ${half} ${w} ${half}z`
    : `M${x.toFixed(1)} ${top.toFixed(1)}l${w} ${half}-${w} ${half}z`;
}

/** Arrows beside value and cotangent, which tell them apart without colour.
 * @param {number} forth @param {number} back baselines @param {Level} level @param {{ w: number, heat?: unknown }} node */
export function arrows(forth, back, level, node) {
  const box = arrowBox(node, level);
  if (!box) return [];
  const { x, w, up } = box;
  const half = 0.75 * w;
  return [
    svg("path", { class: "forth", d: `M${x} ${forth - up}l${w} ${half}-${w} ${half}z` }),
    svg("path", { class: "back", d: `M${x + w} ${back - up}l-${w} ${half} ${w} ${half}z` }),
  ];
}

/** Px for the two numbers, their largest size and their right end, of the value its `own` if it differs; where the shape
 * stands, if it has room.
 * @param {GraphNode} node @param {Level} level
 * @returns {{ value: number, tangent?: number, cotangent: number, most: number, right: number, own?: number, shape?: number }}  `tangent`: if it is beside the value */
export function numbersRoom(node, level) {
  if (node.tab) {
    const {
      ends: [own, right],
      ...rooms
    } = tabRoom(node, level);
    return { ...rooms, most: Math.max(TAB_MOST, level.number), right, own };
  }
  const { w, shape, heat, group } = node;
  const { detail, number, text } = level;
  if (detail === "one") {
    // Written about the middle, with the arrow before them.
    const before = smallMark(level) + TIP_GAP;
    const room = w + OVER - before;
    return { value: room, cotangent: room, most: number, right: (w + before) / 2 };
  }
  const near = detail === "near";
  const side = group && near ? FOLDED : sideOf(level);
  if (heat && near)
    return {
      value: halfOf(w) - MARK,
      cotangent: halfOf(w) - MARK,
      most: Math.max(NORM, number),
      right: w - side,
    };
  if (heat && !isBare(level)) {
    const room = w - 2 * side - THUMB - 4;
    return { value: room, cotangent: room, most: number, right: w - side };
  }
  const room = w - 2 * side - (near ? MARK + 1 : isBare(level) ? 0 : smallMark(level));
  const size = Math.max(SHAPE, text);
  if (isBeside(node, level))
    return {
      value: 0.51 * room,
      tangent: 0.46 * room,
      cotangent: room,
      most: MOST,
      right: w - side,
    };
  const beside = near && shape && !heat ? textWidth(shape, size) + 4 : 0;
  return {
    value: room - beside,
    cotangent: room,
    most: Math.max(MOST, number),
    right: w - side,
    ...(beside && { shape: side + MARK }),
  };
}

/** Whether the name takes the symbol's place: of a node that is asked about, where not both have room. Pure.
 * @param {GraphNode} node @param {Level} level */
export function titledByName(node, level) {
  const { asked, symbol, id, w } = node;
  if (!asked || symbol === id) return false;
  if (level.detail === "one") return true;
  if (isBare(level)) return titleAbove(node, level).name !== id;
  const size = Math.max(NAME, level.text);
  const least = textWidth(symbol, Math.max(level.text, 10)) * BOLD * WIDER;
  return textWidth(id, size) + GAP + least > w - 2 * sideOf(level);
}

/** Symbol on the left, name on the right, and the symbol alone for the view from far; an input, whose symbol is its
 * name, is labelled as one.
 * @param {GraphNode} given @param {Level} level */
export function header(given, level) {
  const node = titledByName(given, level) ? { ...given, symbol: given.id } : given;
  const across = textWidth(node.symbol, 1) * BOLD;
  return [
    signAlone(node, level, across),
    ...(isBare(level) ? above(node, level) : titled(node, level, across)),
  ];
}

/** The symbol in the middle of the card, without a name: as large as fits where it is all that is seen, else above the numbers.
 * @param {GraphNode} node @param {Level} level @param {number} across width of the symbol, in units of its size */
function signAlone(node, level, across) {
  const { symbol, w, h } = node;
  const one = level.detail === "one";
  const size = one
    ? level.text
    : clamp((w - 24) / across, level.text, Math.max(SYMBOL.far, level.text));
  const y = one ? baselines(node, level).sign : h / 2 + size * 0.34;
  return svg(
    "text",
    { class: "sign", x: w / 2, y, "font-size": size.toFixed(1) },
    node.asked ? symbol : shortenedName(symbol, (one ? w + OVER : w - 8) / BOLD, size),
  );
}

/** What stands above the card where the numbers take all of it, right of its chips: the symbol, then the name where it has
 * room too. Pure.
 * @param {GraphNode} node @param {Level} level @returns {{ left: number, size: number, symbol: string, beside: number, name: string }}
 * `size` of both, px; `beside`: where the name begins, px */
export function titleAbove(node, level) {
  const { symbol, id, w, isOutput } = node;
  const top = inkTop(node, level);
  const chipped = chipsReach(node, level, top);
  const size = Math.max(NAME, level.text);
  // Downwards it stands left of the wires that come from above; beside chips, or where it has no room there, right of them.
  const [first, last] = node.down ? topPorts(node) : [w, 0];
  const after = node.down && (chipped > 0 || textWidth(symbol, size) * BOLD > first);
  const left = after ? Math.max(last, chipped) : chipped;
  const flag =
    isOutput && !node.down
      ? ROW + sizeAbove(node, level, top) * chipWidth(FLAG) + CHIP_GAP - flagOver(node, level, top)
      : 0;
  const room = (after ? w + SPREAD : first) - left - flag;
  const sign = node.asked ? symbol : shortenedName(symbol, room / BOLD, size);
  const beside = left + textWidth(sign, size) * BOLD + (size / NAME) * BETWEEN;
  const name = nameFor(id, left + room - beside, size);
  return {
    left,
    size,
    symbol: sign,
    beside,
    name: symbol === id || (name !== id && name.length < STUMP) ? "" : name,
  };
}

/** The place of what stands above a card. @param {GraphNode} node @param {Level} level @returns {import("../../types.js").Box} */
export function titleBox(node, level) {
  const { left, beside, name, size } = titleAbove(node, level);
  const reach = name ? beside + textWidth(name, size) : beside;
  return { x: node.x + left, y: node.y - NAME_GAP - size, w: reach - left, h: size };
}

/** @param {GraphNode} node @param {Level} level */
function above(node, level) {
  if (level.detail === "one") return [];
  const { left, size, symbol, beside, name } = titleAbove(node, level);
  const sign = svg("text", { class: "symbol above", x: left, y: -NAME_GAP }, symbol);
  sign.style.setProperty("--size", `${size.toFixed(1)}px`);
  return [sign, svg("text", { class: "name above", x: beside, y: -NAME_GAP }, name)];
}

/** @param {GraphNode} node @param {Level} level @param {number} across width of the symbol, in units of its size */
function titled(node, level, across) {
  const { symbol, id, w, isInput, isParameter } = node;
  const [side, near] = [sideOf(level), level.detail === "near"];
  const room = w - 2 * side - (isInput && !near ? 6 : 0);
  const named = Math.max(NAME, level.text);
  const what = isInput && symbol === id ? (isParameter ? "parameter" : "input") : "";
  const beside = room - textWidth(what, named) - GAP;
  const said = near && what && beside >= SYMBOL.beside * WIDER * across; // otherwise the card's form shows it
  const own = what || symbol === id ? "" : id;
  const spare =
    Math.min(textWidth(own, named), textWidth([...own].slice(0, LETTERS).join("") + "…", named)) +
    GAP;
  const given = said ? beside / WIDER : own ? Math.max(room - spare, 0.66 * room) : room;
  const both = WIDER * across * LARGER * level.text + GAP + textWidth(own, named);
  const most = !near
    ? level.text * (own && both > room ? 1 : LARGER) // the name has room beside a smaller sign
    : /^[^\p{L}\p{N}]$/u.test(symbol)
      ? SYMBOL.sign
      : SYMBOL.most;
  const least = node.asked ? 1 : Math.max(level.text, 10); // what is asked about is written out
  const size = clamp(given / across, least, Math.max(most, level.text));
  const y = baselines(node, level).sign;
  const left = side + (isInput ? 3 : 0);
  const big = svg(
    "text",
    { class: "symbol", x: left, y },
    shortenedName(symbol, given / BOLD, size),
  );
  big.style.setProperty("--size", `${size.toFixed(1)}px`);
  const rest = room - Math.min(WIDER * across * size, given) - GAP;
  const name = what ? (said ? what : "") : nameFor(own, rest, named);
  const title = svg(
    "text",
    { class: what ? "name fixed" : "name", x: w - side - (what ? 3 : 0), y: near ? 23 : y },
    name,
  );
  return [big, title];
}

/** The name, shortened to a few letters at least, else none. @param {string} name @param {number} room @param {number} size */
function nameFor(name, room, size) {
  const text = shortenedName(name, room, size);
  return text === name || [...text].length > LETTERS ? text : "";
}

/** The text of a number, with the bars of a norm so light that they are no digits. @param {string} text */
const withLightBars = (text) =>
  text
    .split(/(\u2016)/)
    .map((part) => (part === "\u2016" ? svg("tspan", { class: "bars" }, part) : part));

/** Write a number as large as fits into `room` px, with fewer digits where it would be too small.
 * @param {SVGGraphicsElement} element @param {string} text @param {import("../../base/numbers.js").Num | undefined} num whose text it is @param {number} room
 * @param {number} least @param {number} most px @param {boolean} [bare] a norm without its bars @returns {number} its size */
export function writeNumber(element, text, num, room, least, most, bare = false) {
  const width = textWidth(text, 1) * BOLD || 1;
  const size = clamp(room / width, least, Math.max(least, most));
  const fitted = fitting(text, num, room / BOLD / size + 0.01);
  const fits = bare ? fitted.replaceAll("\u2016", "") : fitted;
  if (element.textContent !== fits) element.replaceChildren(...withLightBars(fits));
  element.classList.toggle("negative", isNegative(text));
  element.style.setProperty("--size", `${size.toFixed(1)}px`);
  return size;
}
