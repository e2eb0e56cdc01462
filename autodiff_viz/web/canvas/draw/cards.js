// @ts-check
// Draw the card of a node: symbol and name above, then the value and the arriving cotangent; ports on the
// edges, and chips above for what changes the gradient.

import { RULES } from "../../base/constants.js";
import { keep, setText, svg } from "../../base/dom.js";
import { fitting, literal, numberText, textWidth } from "../../base/numbers.js";
import { outputPoint, slotPoint } from "../state/geometry.js";
import { HIDDEN } from "../state/read_drawing.js";
import { cellParts, isWritten, makeCells, writeBlock, writeCells } from "./cell_card.js";
import {
  arrowBefore,
  arrows,
  baselines as baselinesOf,
  divider,
  drawChip,
  hasBoth,
  hasValue,
  header,
  inkTop,
  isBeside,
  leftOf,
  MOST,
  numbersRoom,
  placedChips,
  rows,
  sizesBeside,
  writeNumber,
} from "./face.js";
import { groupChips, groupParts, groupRows, spokenGroup, writeGroupTitle } from "./group_card.js";
import { heatParts, makePictures, normAt, paintPictures, scaleSays, shownAt } from "./heat_card.js";
import { isBare, NEAR, readableLevel } from "./levels.js";
import { spokenRuns } from "./runs.js";
import { isInLine, nameInLine, tabParts } from "./tab_card.js";

// Ports: slots on the left with their constants, and the output on the right.

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("./levels.js").Level} Level */

const FONT = 13.5; // px, of a constant
const SMALL = 11.5; // px, of words at an empty slot
const GAP = 9; // px between a constant and its port
const SEMIBOLD = 1.06; // width of semi-bold letters over its estimate
const USUAL = 56; // px left of a card in which an enlarged constant has room
const CUT = { at: 9, apart: 6, tall: 13, lean: 4 }; // px right of the port

/** A port and its larger, invisible target. No mark has a transform: every transform makes the browser layer the
 * whole picture more slowly.
 * @param {number} cx @param {number} cy */
const port = (cx, cy) => [
  svg("circle", { class: "target", r: 15, cx, cy }),
  svg("circle", { class: "port", r: 5.5, cx, cy }),
];

/** @param {GraphNode} node @param {number} i @param {Level} level */
export function slotMark(node, i, level) {
  const slot = node.slots[i];
  const [x, y] = [slotPoint(node, i)[0] - node.x, slotPoint(node, i)[1] - node.y];
  const state = slot.wired ? "wired" : slot.constant === null ? "empty" : "constant";
  const group = svg("g", { class: `slot ${state}`, "data-slot": i }, ...port(x, y));
  if (node.slots.length > 1 && state !== "empty")
    group.append(
      svg("text", { class: "slot-label", x: x - 11, y: y - 7 }, slot.label.replace(/ input$/, "")),
    );
  if (slot.constant !== null) group.append(pill(slot, pillMiddles(node, level)[i] - node.y, level));
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
  const [across, low] = [x - node.x, y - node.y];
  const bar = (/** @type {number} */ off) =>
    node.down
      ? `M${across - CUT.tall} ${low + off + CUT.lean}l${2 * CUT.tall} ${-CUT.lean}`
      : `M${across + off} ${low + CUT.tall}l${CUT.lean} ${-2 * CUT.tall}`;
  return svg(
    "g",
    { class: "cut-mark" },
    svg("path", { class: "gap", d: bar(CUT.at + CUT.apart / 2) }),
    svg("path", { d: bar(CUT.at) + bar(CUT.at + CUT.apart) }),
    svg("title", {}, `Segment ${node.segment ?? ""} ends here: its cotangent is handed across`),
  );
}

/** @param {import("../../types.js").Slot} slot @param {number} y @param {Level} level */
function pill(slot, y, level) {
  const { constant, constantFull } = slot;
  const { text, font, w, h } = pillFace(slot, level);
  return svg(
    "g",
    { class: "pill" },
    svg("rect", { x: -w - GAP, y: y - h / 2, width: w, height: h, rx: h / 2 }),
    svg("text", { x: -w / 2 - GAP, y: y + font / 3 }, text),
    svg("title", {}, `${constantFull ?? constant ?? ""} - click to change it`),
  );
}

/** The text of a constant, the size of its font, and that of the mark. @param {import("../../types.js").Slot} slot @param {Level} level */
function pillFace({ constant, constantFull }, { number }) {
  const font = Math.max(FONT, number);
  const all = constant ?? "";
  const text = fitting(
    all,
    literal(constantFull ?? all),
    Math.max(USUAL, pillWidth(all)) / font - 0.6,
  );
  const side = font > FONT ? 0.6 * font : 0.9 * font + 4; // an enlarged one has the card before it near
  const w = Math.max(textWidth(text, font) + side, 1.6 * font);
  return { text, font, w, h: 1.62 * font };
}

const APART = 1; // px between two constants
const WIDEST = 3.5; // px, half of the widest wire

/** By slot, the height of the middle of its constant: that of the port, or as far from it as constants above each other need.
 * @param {GraphNode} node @param {Level} level @returns {Record<number, number>} */
function pillMiddles(node, level) {
  const own = node.slots.flatMap((slot, i) => (slot.constant === null || slot.wired ? [] : [i]));
  const ports = own.map((i) => slotPoint(node, i)[1]);
  const tall = own.length ? pillFace(node.slots[own[0]], level).h + APART : 0;
  const near = ports.slice(1).some((y, i) => y - ports[i] < tall);
  const middle = ports.reduce((sum, y) => sum + y, 0) / (ports.length || 1);
  const at = near ? ports.map((_, i) => middle + (i - (ports.length - 1) / 2) * tall) : ports;
  if (at.length === 1) at[0] += besideWires(node, at[0], tall / 2 + WIDEST * level.unit);
  return Object.fromEntries(own.map((i, place) => [i, at[place]]));
}

/** How far a constant is moved so that it covers no wire to the port above or below; 0 where it is between two.
 * @param {GraphNode} node @param {number} y its middle @param {number} least from it to a wire */
function besideWires(node, y, least) {
  const wired = node.slots.flatMap((slot, i) => (slot.wired ? [slotPoint(node, i)[1] - y] : []));
  const near = wired.filter((by) => Math.abs(by) < least);
  return near.length === 1 ? near[0] - Math.sign(near[0]) * least : 0;
}

/** Where the constants of a node stand. @param {GraphNode} node @param {Level} level @returns {import("../../types.js").Box[]} */
export const pillBoxes = (node, level) =>
  Object.entries(pillMiddles(node, level)).map(([i, middle]) => {
    const { w, h } = pillFace(node.slots[Number(i)], level);
    return { x: node.x - w - GAP, y: middle - h / 2, w, h };
  });

/** What a card says beyond its edges: its constants, and on a phone its sign and numbers, which may be larger than it.
 * @param {import("../../types.js").GraphNode} node @param {Level} level @returns {import("../../types.js").Box[]} */
export function textsOf(node, level) {
  if (level.detail !== "one") return pillBoxes(node, level);
  const texts = [node.value, node.cotangent].map((text) => textWidth(text ?? "", level.number));
  const w = Math.max(textWidth(node.symbol, level.text), ...texts);
  const top = inkTop(node, level);
  const lines = baselinesOf(node, level).rows;
  return [{ x: node.x + (node.w - w) / 2, y: node.y + top, w, h: lines[lines.length - 1] - top }];
}

/** Where the constants of a node and the labels of its empty slots stand. @param {GraphNode} node @param {Level} level @returns {import("../../types.js").Box[]} */
export const leftMarkBoxes = (node, level) => [
  ...pillBoxes(node, level),
  ...node.slots.flatMap(({ wired, constant, label }, slot) => {
    if (wired || constant !== null) return [];
    const [w, h] = [wantingWidth(label, level), WANTING * level.unit];
    return [{ x: node.x - w - GAP, y: slotPoint(node, slot)[1] - h / 2, w, h }];
  }),
];

const WANTING = 20; // px, the height of the label of an empty slot

/** @param {string} label */
const wantingText = (label) => `needs ${label}`;

/** @param {string} label @param {Level} level */
const wantingWidth = (label, { unit, detail }) =>
  (textWidth(detail === "near" ? wantingText(label) : "?", SMALL) + 16) * unit;

/** The label of an empty slot, which is unfinished and not a mistake.
 * @param {string} label @param {number} y @param {Level} level */
function wanting(label, y, level) {
  const { unit, detail } = level;
  const says = wantingText(label);
  const [text, w, h] = [detail === "near" ? says : "?", wantingWidth(label, level), WANTING * unit];
  return svg(
    "g",
    { class: "wanting" },
    svg("rect", { x: -w - GAP, y: y - h / 2, width: w, height: h, rx: h / 2 }),
    svg("text", { x: -w / 2 - GAP, y: y + 4 * unit }, text),
    svg("title", {}, `${says}: draw a wire to it, or click and type a number`),
  );
}

/** @param {string} constant */
const pillWidth = (constant) => Math.max(textWidth(constant, FONT) + 16, 26);

/** Px by which the constants of a node extend to its left.
 * @param {GraphNode} node */
export const pillsReach = ({ slots }) =>
  Math.max(
    0,
    ...slots.map(({ constant, wired, label }) =>
      wired
        ? 0
        : // An empty slot says "needs x" from near; the room is kept from far too, where it says "?".
          GAP +
          (constant === null ? textWidth(wantingText(label), SMALL) + 16 : pillWidth(constant)),
    ),
  );

/**
 * @typedef {object} Card
 * @property {SVGGraphicsElement} root
 * @property {GraphNode | null} node
 * @property {string} look
 * @property {Numbers | null} numbers
 * @property {boolean} complete whether it has more than the parts that are seen from far
 * @property {boolean} culled
 * @property {Level} level of detail, for which it is drawn
 * @property {Element[]} marks its chips
 * @property {{ level: Level, chips: Placed[] } | null} lane where lanes.js has placed them
 * @property {Element | null} guess what the visitor has answered: guesses.js places it
 */
/** @typedef {import("./face.js").Placed} Placed */
/** @typedef {"value" | "tangent" | "cotangent"} Which */
/**
 * @typedef {object} Numbers
 * @property {SVGGraphicsElement} value
 * @property {SVGGraphicsElement} cotangent
 * @property {SVGGraphicsElement} [tangent] only in forward mode; then the value is left out where it has
 *   no room
 * @property {Element} title
 * @property {Partial<Record<Which, Element>>} [arrows] before numbers that are written about the card's middle
 * @property {Record<Which, number>} sizes px that the numbers have had at most since they were written
 *   for good
 * @property {import("./heat_card.js").Pictures} [pictures]
 * @property {import("./cell_card.js").Cells | null} [cells]
 */

/** @param {Element} layer @param {Map<string, Card>} cards @param {GraphNode[]} nodes
 * @param {boolean} complete whether new cards have all that can be read from near @param {Level} level of new cards */
export const drawNodes = (layer, cards, nodes, complete, level) =>
  keep(
    layer,
    cards,
    nodes,
    (node) => node.id,
    (node) => makeCard(node, complete, level),
    updateCard,
  );

/** @param {GraphNode} node @param {boolean} complete @param {Level} level @returns {Card} */
function makeCard(node, complete, level) {
  const root = svg("g", { "data-id": node.id, tabindex: -1, role: "button" });
  return {
    root,
    node: null,
    look: "",
    numbers: null,
    complete,
    culled: false,
    level,
    marks: [],
    lane: null,
    guess: null,
  };
}

/** Draw the parts that are seen from near, too. @param {Card} card */
export function completeCard(card) {
  const { complete, node } = card;
  card.complete = true;
  if (!complete && node) redraw(card, node);
}

/** Draw a card for another level of detail. @param {Card} card @param {Level} level */
export function relevelCard(card, level) {
  if (card.level === level) return;
  card.level = level;
  if (card.node) redraw(card, card.node);
}

/** @param {Card} card @param {GraphNode} node */
export function updateCard(card, node) {
  if (card.node === node) return;
  card.root.setAttribute("transform", `translate(${node.x} ${node.y})`);
  const {
    x,
    y,
    value,
    cotangent,
    valueFull,
    cotangentFull,
    literal,
    heat,
    tangent,
    tangentFull,
    numbers,
    ...rest
  } = node;
  const look = JSON.stringify({
    ...rest,
    moving: tangent !== undefined,
    pictured: Boolean(heat),
    written: isWritten(node),
    named: isInLine(node, readableLevel(card.level)) && nameInLine(node, card.level).name,
  });
  if (look !== card.look) {
    card.lane = null;
    redraw(card, node);
  } else if (card.numbers) writeNumbers(card.numbers, node, card.level);
  describe(card, node);
  card.look = look;
  card.node = node;
}

/** @param {Card} card @param {GraphNode} node */
function redraw(card, node) {
  card.numbers = card.complete
    ? rebuild(card.root, node, card.level)
    : sketch(card.root, node, card.level);
  const { lane, level } = card;
  drawChips(card, lane?.level === level ? lane.chips : wishedChips(node, level));
  if (card.numbers) writeNumbers(card.numbers, node, card.level);
  describe(card, node);
}

/** The chips of a card as they stand where nothing is near. @param {GraphNode} node @param {Level} level @returns {Placed[]} */
export function wishedChips(node, level) {
  if (node.tab) return []; // the sign of its rule is on it
  return node.group ? groupChips(node, level) : placedChips(node, level, inkTop(node, level));
}

/** Draw the chips of a card where they have their lanes at a level of detail; a card out of view has that level once it is seen.
 * @param {Card} card @param {Level} level @param {Placed[]} chips */
export function placeChips(card, level, chips) {
  const { lane } = card;
  card.lane = { level, chips };
  if (card.level !== level) return;
  if (lane?.level !== level || JSON.stringify(lane.chips) !== JSON.stringify(chips))
    drawChips(card, chips);
}

/** @param {Card} card @param {Placed[]} chips */
function drawChips(card, chips) {
  for (const mark of card.marks) mark.remove();
  card.marks = chips.map(drawChip);
  card.root.append(...card.marks, ...(card.guess ? [card.guess] : []));
}

/** Draw the parts of a node that are seen from far.
 * @param {SVGGraphicsElement} root @param {GraphNode} node @param {Level} level @returns {null} no numbers */
function sketch(root, node, level) {
  root.replaceChildren(
    ...(node.group
      ? groupParts(node, level)
      : node.tab
        ? [body(node), ...barrier(node)]
        : [body(node), header(node, level)[0], ...barrier(node), ...cuts(node)]),
  );
  setClasses(root, node);
  return null;
}

/** @param {GraphNode} node */
const body = ({ w, h, isInput, tab }) =>
  svg("rect", { class: "card", width: w, height: h, rx: tab ? 12 : isInput ? 26 : 10 });

/** @param {GraphNode} node */
const barrier = ({ rule, muted, w, h, down }) => {
  if (rule !== "stop" || muted) return [];
  const edge = down
    ? { x: 5, y: -3, width: w - 10, height: 6 }
    : { x: -3, y: 5, width: 6, height: h - 10 };
  return [svg("rect", { class: "barrier", ...edge, rx: 3 })];
};

/** @param {GraphNode} node */
const cuts = (node) => (node.cut ? [cutMark(node)] : []);

/** Draw all elements except the numbers again.
 * @param {SVGGraphicsElement} root @param {GraphNode} node @param {Level} seen @returns {Numbers} */
function rebuild(root, node, seen) {
  const level = readableLevel(seen);
  const at = node.group ? groupRows(node, level) : rows(node, level);
  const [first, forth, back] = [at[0], at[at.length - 2], at[at.length - 1]];
  const { right } = numbersRoom(node, level);
  /** @type {Numbers} */
  const numbers = {
    value: svg("text", { class: "number value", x: right, y: first }),
    cotangent: svg("text", { class: "number cotangent", x: right, y: back }),
    title: svg("title"),
    sizes: { value: MOST, tangent: MOST, cotangent: MOST },
  };
  setClasses(root, node);
  if (node.tangent !== undefined)
    numbers.tangent = svg("text", {
      class: `number tangent${isBeside(node, level) ? " beside" : ""}`,
      x: isBeside(node, level) ? leftOf(level) : right,
      y: forth,
    });
  const moving = numbers.tangent ? [numbers.tangent] : [];
  if (node.group) {
    numbers.value.classList.toggle("unsaid", level.detail === "one" || !hasValue(node, level));
    const two = node.group.output
      ? [...arrows(forth, back, level, node), numbers.value, ...moving, numbers.cotangent]
      : [];
    root.replaceChildren(numbers.title, ...groupParts(node, seen), ...two);
    return numbers;
  }
  if (node.tab) {
    numbers.value.classList.toggle("unsaid", !hasValue(node, level));
    root.replaceChildren(
      numbers.title,
      body(node),
      ...barrier(node),
      outputMark(node),
      ...tabParts(node, level),
      numbers.value,
      ...moving,
      numbers.cotangent,
    );
    return numbers;
  }
  if (level.detail === "one")
    numbers.arrows = {
      value: svg("path", { class: "before forth" }),
      cotangent: svg("path", { class: "before back" }),
    };
  if (node.heat) numbers.cells = makeCells(node, level);
  if (node.heat && !numbers.cells && !isBare(level)) numbers.pictures = makePictures();
  root.replaceChildren(
    numbers.title,
    body(node),
    ...divider(node, level),
    header(node, seen)[0],
    ...header(node, level).slice(1),
    ...bodyParts(node, numbers, [forth, back], level),
    ...Object.values(numbers.arrows ?? {}),
    ...barrier(node),
    ...node.slots.map((_, i) => slotMark(node, i, level)),
    outputMark(node),
    ...cuts(node),
  );
  return numbers;
}

/** @param {string} text @param {GraphNode} node @param {Level} level */
const plain = (text, node, level) => (isLow(node, level) ? text.replaceAll("\u2016", "") : text);

/** Whether norms are written without bars, which would meet those of the line above. @param {GraphNode} node @param {Level} level */
const isLow = ({ tab }, { detail }) => detail === "one" || (Boolean(tab) && detail !== "near");

/** @param {GraphNode} node @param {Numbers} numbers @param {number[]} baselines @param {Level} level */
function bodyParts(node, numbers, [forth, back], level) {
  const { cells, pictures, value, tangent, cotangent } = numbers;
  value.classList.toggle(
    "unsaid",
    Boolean(cells) || !hasBoth(node, level) || !hasValue(node, level),
  );
  tangent?.classList.toggle("unsaid", Boolean(cells));
  cotangent.classList.toggle(
    "unsaid",
    (Boolean(cells) && !node.hidden?.includes("cotangent")) ||
      (tangent !== undefined && !hasBoth(node, level)),
  );
  if (cells) return [...cellParts(cells), value, ...(tangent ? [tangent] : []), cotangent];
  return pictures ? pictured(node, numbers, level) : written(node, numbers, forth, back, level);
}

/** Two heat-maps with their norms. @param {GraphNode} node @param {Numbers} numbers @param {Level} level */
function pictured(node, { value, tangent, cotangent, pictures }, level) {
  if (level.detail === "near")
    for (const [which, number] of /** @type {const} */ ([
      ["value", tangent ?? value],
      ["cotangent", cotangent],
    ])) {
      const { x, y } = normAt(node, which);
      number.setAttribute("x", String(x));
      number.setAttribute("y", String(y));
    }
  return [
    ...heatParts(node, level),
    ...Object.values(pictures ?? {}).flatMap(({ image, frame }) => [image, frame]),
    value,
    ...(tangent ? [tangent] : []),
    cotangent,
  ];
}

/** The numbers, one below the other or two beside each other.
 * @param {GraphNode} node @param {Numbers} numbers @param {number} forth @param {number} back @param {Level} level */
function written(node, numbers, forth, back, level) {
  const { w, h, isInput } = node;
  const { shape } = numbersRoom(node, level);
  return [
    ...(isInput
      ? [
          svg("rect", {
            class: "editable",
            x: w * 0.55,
            y: forth - 17,
            width: w * 0.45 - 5,
            height: Math.min(22, h - forth + 15),
            rx: 7,
          }),
        ]
      : []),
    ...arrows(forth, back, level, node),
    ...(shape === undefined
      ? []
      : [svg("text", { class: "shape", x: shape, y: forth }, node.shape ?? "")]),
    numbers.value,
    ...(numbers.tangent ? [numbers.tangent] : []),
    numbers.cotangent,
  ];
}

/** @param {Element} root @param {GraphNode} node */
const setClasses = (root, node) =>
  root.setAttribute(
    "class",
    [classes(node), ...STATES.filter((name) => root.classList.contains(name))].join(" "),
  );

const STATES = ["selected", "lit", "culled", "refused", "looped", "pointed"]; // classes that others give and take

/** @param {GraphNode} node */
const classes = (node) =>
  [
    "node",
    `rule-${node.rule}`,
    node.rule !== "follow" && `in-${RULES[node.rule]?.colour}`,
    node.group && "fold",
    node.tab && "tab-card",
    node.isInput && "input",
    node.isOutput && "output",
    !node.connected && "apart",
    node.problem && "wrong",
    node.slots.some(({ wired, constant }) => !wired && constant === null) && "unfinished",
    node.muted && "muted",
    !node.problem && node.warning && "warned",
  ]
    .filter(Boolean)
    .join(" ");

/** @param {Numbers} numbers @param {GraphNode} node @param {Level} seen */
function writeNumbers(numbers, node, seen) {
  const level = readableLevel(seen);
  const { value, tangent, cotangent, most, own } = numbersRoom(node, level);
  if (own !== undefined)
    for (const number of [numbers.value, numbers.tangent])
      number?.setAttribute("x", own.toFixed(1));
  for (const which of /** @type {const} */ (["value", "cotangent"])) {
    const isAsked = Boolean(node.hidden?.includes(which));
    numbers[which].classList.toggle("asked", isAsked);
    if (isAsked) numbers[which].dataset.of = which;
  }
  if (numbers.pictures) paintPictures(numbers.pictures, node, level);
  if (numbers.cells) writeCells(numbers.cells, node);
  numbers.value.parentElement?.classList.remove("sliding");
  numbers.sizes = {
    value: writeNumber(
      numbers.value,
      plain(node.value, node, level),
      node.numbers?.value,
      value,
      level.number,
      most,
      isLow(node, level),
    ),
    tangent: numbers.tangent
      ? writeNumber(
          numbers.tangent,
          plain(node.tangent ?? "", node, level),
          node.numbers?.tangent,
          tangent ?? value,
          ...sizesOf(node, level, most),
          isLow(node, level),
        )
      : MOST,
    cotangent: writeNumber(
      numbers.cotangent,
      node.connected ? plain(node.cotangent, node, level) : "–",
      node.numbers?.cotangent,
      cotangent,
      level.number,
      most,
      isLow(node, level),
    ),
  };
  placeArrows(numbers, level);
}

/** Place the arrows before the numbers that are seen. @param {Numbers} numbers @param {Level} level */
function placeArrows(numbers, level) {
  for (const which of /** @type {const} */ (["value", "cotangent"])) {
    const [arrow, number] = [numbers.arrows?.[which], numbers[which]];
    if (!arrow) continue;
    const [x, y] = ["x", "y"].map((name) => Number(number.getAttribute(name)));
    const wide = textWidth(number.textContent ?? "", numbers.sizes[which]) * SEMIBOLD;
    const isSeen = !number.classList.contains("unsaid") && number.textContent;
    arrow.setAttribute("d", isSeen ? arrowBefore(x, y, wide, which === "cotangent", level) : "");
  }
}

/** Write tooltip and screen reader text of a card. @param {Pick<Card, "root" | "numbers">} card @param {GraphNode} node */
export function describe({ root, numbers }, node) {
  root.setAttribute("aria-label", describeNode(node));
  if (!numbers) return;
  if (node.group) return writeGroupTitle(numbers.title, node);
  const rest = [node.problem, node.warning, node.state?.[1], spokenRuns(node)]
    .filter(Boolean)
    .map((text) => `\n${text}`)
    .join("");
  const back = node.connected
    ? (node.cotangentFull ?? node.cotangent)
    : "none: no path to the output";
  const forth =
    node.tangent === undefined
      ? ""
      : `\ntangent ${node.tangentFull ?? node.tangent}${scaleSays(node, "tangent")}`;
  const part = node.heat?.says ? `\npictures: ${node.heat.says}` : "";
  setText(
    numbers.title,
    `${node.id}\nvalue ${node.valueFull ?? node.value}${scaleSays(node, "value")}${forth}\ncotangent ${back}${scaleSays(node, "cotangent")}${part}${rest}`,
  );
}

/** Px of a tangent, at least and at most. @param {GraphNode} node @param {Level} level @param {number} most @returns {[number, number]} */
const sizesOf = (node, level, most) =>
  isBeside(node, level)
    ? /** @type {[number, number]} */ (sizesBeside(level))
    : [level.number, most];

/** Show other numbers while a slider is dragged. Their size never grows meanwhile, so that they do not jitter.
 * @param {Card} card @param {Which} which @param {string} text @param {import("../../base/numbers.js").Num} num */
export function slideNumber({ node, numbers, level = NEAR }, which, text, num) {
  const number = numbers?.[which];
  if (!node || !numbers || !number) return;
  const room = numbersRoom(node, readableLevel(level));
  if (numbers.cells) return slideCells(numbers, node, which, num);
  if (numbers.pictures) numbers.value.parentElement?.classList.add("sliding"); // the heat-maps are of the state before
  const [least] =
    which === "tangent" ? sizesOf(node, readableLevel(level), 0) : [readableLevel(level).number];
  numbers.sizes[which] = writeNumber(
    number,
    plain(text, node, readableLevel(level)),
    num,
    room[which] ?? room.value,
    least,
    numbers.sizes[which],
    isLow(node, readableLevel(level)),
  );
  placeArrows(numbers, readableLevel(level));
}

/** Show other numbers in cells; of a tensor of which only the norm is known, the norm over faded cells.
 * @param {Numbers} numbers @param {GraphNode} node @param {Which} which @param {import("../../base/numbers.js").Num} num */
function slideCells({ cells, ...numbers }, node, which, num) {
  if (which !== "cotangent" && which !== shownAt(node, "value")) return;
  const block = /** @type {import("./cell_card.js").Cells} */ (cells)[
    which === "cotangent" ? which : "value"
  ];
  const isKnown = num.kind === block.texts.length;
  if (isKnown) writeBlock(block, num);
  const norm = /** @type {SVGGraphicsElement} */ (numbers[which]);
  norm.classList.toggle("unsaid", isKnown);
  for (const part of [block.image, ...block.texts]) part.classList.toggle("past", !isKnown);
  if (!isKnown) setText(norm, numberText(num));
}

/** Screen reader text of a node.
 * @param {GraphNode} node */
export function describeNode(node) {
  if (node.group) return spokenGroup(node);
  const inputs = node.slots
    .filter((slot) => slot.constant !== null)
    .map((slot) => `${slot.label} is ${slot.constant}`);
  const parts = [
    `${node.id}, ${node.isParameter ? "parameter" : node.isInput ? "input" : node.op}${node.tab ? ` folded at ${node.tab}` : ""}`,
    ...inputs,
    `value ${node.hidden?.includes("value") ? HIDDEN : [node.shape, node.value].filter(Boolean).join(" ")}`,
    node.tangent !== undefined && `tangent ${node.tangent}`,
    node.connected
      ? `cotangent ${node.hidden?.includes("cotangent") ? HIDDEN : node.cotangent}`
      : "no path to the output",
    node.guess && `${node.guess} as an answer`,
    node.muted
      ? "muted, returns its first wired input"
      : node.rule !== "follow" && RULES[node.rule]?.does,
    node.segment && `segment ${node.segment}`,
    node.cut && "cut after it",
    node.isOutput && "output",
    spokenRuns(node),
    node.missing,
    node.problem,
    node.warning,
    ...(node.state ?? []),
  ];
  return parts.filter(Boolean).join(", ");
}
