// @ts-check
// Card of a node: symbol and name above, then the value and the arriving cotangent; ports on the edges, and
// chips above for what changes the gradient.

import { chips } from "./chips.js";
import { RULES } from "../../../web/constants.js";
import { keep, setText, svg } from "../../../web/dom.js";
import { clamp } from "./geometry.js";
import { groupParts, groupRows, spokenGroup, writeGroupTitle } from "./groupcard.js";
import { halfOf, heatParts, makePictures, normAt, paintPictures, scaleSays } from "./heatcard.js";
import { shortened, textWidth } from "./measure.js";
import { cutMark, outputMark, slotMark } from "./ports.js";

/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {{ root: SVGGraphicsElement, node: GraphNode | null, look: string, numbers: Numbers | null,
 * complete: boolean, culled: boolean }} Card
 * if not `complete`, it has only the parts that are seen from far */
/** @typedef {{ value: SVGGraphicsElement, cotangent: SVGGraphicsElement, title: Element, sizes: { value: number, cotangent: number }, pictures?: import("./heatcard.js").Pictures }} Numbers
 * `sizes`: px that the numbers have had at most since they were written for good */

const SIDE = 11; // px, margin left and right
const HEADER = 33; // px
const MARK = 9; // px that the arrows of value and cotangent take
const NUMBER = { most: 16, least: 9.5 }; // px
const NORM = 13.5; // px under a picture
const SMALL = { most: 24, norm: 18, half: 80, side: 9.5 }; // px of numbers seen from some distance, and their margin
const SYMBOL = { most: 20, sign: 26, beside: 13, least: 10, far: 40 }; // px; a sign such as + looks smaller than letters
const NAME = 12.5; // px
const GAP = 8; // px between symbol and name
const SHAPE = 11.5; // px
const BOLD = 1.06; // width of semi-bold letters

/** @param {Element} layer @param {Map<string, Card>} cards @param {GraphNode[]} nodes
 * @param {boolean} complete whether new cards have all that can be read from near */
export const drawNodes = (layer, cards, nodes, complete) =>
  keep(layer, cards, nodes, (node) => node.id, (node) => makeCard(node, complete), updateCard);

/** @param {GraphNode} node @param {boolean} complete @returns {Card} */
function makeCard(node, complete) {
  const root = svg("g", { "data-id": node.id, tabindex: -1, role: "button" });
  return { root, node: null, look: "", numbers: null, complete, culled: false };
}

/** Draw the parts that are seen from near, too. @param {Card} card */
export function completeCard(card) {
  const { complete, node, root } = card;
  card.complete = true;
  if (complete || !node) return;
  card.numbers = rebuild(root, node);
  writeNumbers(card.numbers, node);
}

/** @param {Card} card @param {GraphNode} node */
export function updateCard(card, node) {
  if (card.node === node) return;
  card.root.setAttribute("transform", `translate(${node.x} ${node.y})`);
  const { x, y, value, cotangent, valueFull, cotangentFull, literal, heat, ...rest } = node;
  const look = JSON.stringify({ ...rest, pictured: Boolean(heat) });
  if (look !== card.look) card.numbers = card.complete ? rebuild(card.root, node) : sketch(card.root, node);
  if (card.numbers) writeNumbers(card.numbers, node);
  card.root.setAttribute("aria-label", spoken(node));
  card.look = look;
  card.node = node;
}

/** Draw the parts of a node that are seen from far.
 * @param {SVGGraphicsElement} root @param {GraphNode} node @returns {null} no numbers */
function sketch(root, node) {
  root.replaceChildren(...(node.group ? groupParts(node) : [body(node), header(node)[0], ...barrier(node), ...cuts(node), ...chips(node)]));
  root.setAttribute("class", classes(node));
  return null;
}

/** @param {GraphNode} node */
const body = ({ w, h, isInput }) => svg("rect", { class: "card", width: w, height: h, rx: isInput ? 26 : 10 });

/** @param {GraphNode} node */
const barrier = ({ rule, muted, h }) =>
  rule === "stop" && !muted ? [svg("rect", { class: "barrier", x: -3, y: 5, width: 6, height: h - 10, rx: 3 })] : [];

/** @param {GraphNode} node */
const cuts = (node) => (node.cut ? [cutMark(node)] : []);

/** Draw all elements except the numbers again.
 * @param {SVGGraphicsElement} root @param {GraphNode} node @returns {Numbers} */
function rebuild(root, node) {
  const { w } = node;
  const [forth, back] = node.group ? groupRows(node) : rows(node);
  /** @type {Numbers} */
  const numbers = {
    value: svg("text", { class: "number value", x: w - SIDE, y: forth }),
    cotangent: svg("text", { class: "number cotangent", x: w - SIDE, y: back }),
    title: svg("title"),
    sizes: { value: NUMBER.most, cotangent: NUMBER.most },
  };
  if (node.group) {
    const two = node.group.output ? [...arrows(forth, back), numbers.value, numbers.cotangent] : [];
    root.replaceChildren(numbers.title, ...groupParts(node), ...two);
    root.setAttribute("class", classes(node));
    return numbers;
  }
  if (node.heat) numbers.pictures = makePictures();
  root.replaceChildren(
    numbers.title,
    body(node),
    svg("line", { class: "divider", x1: SIDE, x2: w - SIDE, y1: HEADER, y2: HEADER }),
    ...header(node),
    ...(numbers.pictures ? pictured(node, numbers) : written(node, numbers, forth, back)),
    ...barrier(node),
    ...node.slots.map((_, i) => slotMark(node, i)),
    outputMark(node),
    ...cuts(node),
    ...chips(node),
  );
  root.setAttribute("class", classes(node));
  return numbers;
}

/** Two heat-maps with their norms. @param {GraphNode} node @param {Numbers} numbers */
function pictured(node, { value, cotangent, pictures }) {
  for (const [which, number] of /** @type {const} */ ([["value", value], ["cotangent", cotangent]])) {
    const { x, y } = normAt(node, which);
    number.setAttribute("x", String(x));
    number.setAttribute("y", String(y));
  }
  return [...heatParts(node), ...Object.values(pictures ?? {}).flatMap(({ image, frame }) => [image, frame]), value, cotangent];
}

/** Two numbers, one below the other.
 * @param {GraphNode} node @param {Numbers} numbers @param {number} forth @param {number} back */
function written(node, numbers, forth, back) {
  const { w } = node;
  return [
    ...(node.isInput ? [svg("rect", { class: "editable", x: w * 0.55, y: forth - 17, width: w * 0.45 - 5, height: 22, rx: 7 })] : []),
    ...arrows(forth, back),
    svg("text", { class: "shape", x: SIDE + MARK, y: forth }, node.shape ?? ""),
    numbers.value,
    numbers.cotangent,
  ];
}

/** @param {number} forth @param {number} back feet of the numbers */
const arrows = (forth, back) => [
  svg("path", { class: "forth", d: `M${SIDE} ${forth - 10}l6 4.5-6 4.5z` }),
  svg("path", { class: "back", d: `M${SIDE + 6} ${back - 10}l-6 4.5 6 4.5z` }),
];

/** Baselines of the two numbers, in px from the card's top. @param {GraphNode} node */
function rows({ h }) {
  const middle = (HEADER + h) / 2;
  return [middle - 4.5, middle + 16];
}

/** @param {import("../types.js").Slot} slot */
const isEmpty = ({ wired, constant }) => !wired && constant === null;

/** @param {GraphNode} node */
const classes = (node) =>
  ["node", `rule-${node.rule}`, node.rule !== "follow" && `in-${RULES[node.rule]?.colour}`, node.group && "fold", node.isInput && "input", node.isOutput && "output", !node.connected && "apart",
    node.problem && "wrong", node.slots.some(isEmpty) && "unfinished", node.muted && "muted", !node.problem && node.warning && "warned"].filter(Boolean).join(" ");

/** Symbol on the left, name on the right, and the symbol alone for the view from far; an input, whose symbol is its
 * name, is labelled as one.
 * @param {GraphNode} node */
function header({ symbol, id, w, h, isInput, isParameter }) {
  const room = w - 2 * SIDE;
  const across = textWidth(symbol, 1) * BOLD;
  const what = isInput && symbol === id ? (isParameter ? "parameter" : "input") : "";
  const beside = room - textWidth(what, NAME) - GAP;
  const said = what && beside >= SYMBOL.beside * across; // otherwise the card's form shows it
  const given = said ? beside : what ? room : 0.66 * room;
  const most = /^[^\p{L}\p{N}]$/u.test(symbol) ? SYMBOL.sign : SYMBOL.most;
  const size = clamp(given / across, SYMBOL.least, most);
  const far = clamp((w - 24) / across, SYMBOL.least, SYMBOL.far);
  const big = svg("text", { class: "symbol", x: SIDE + (isInput ? 3 : 0), y: 24 }, what ? shortened(symbol, given / BOLD, size) : symbol);
  big.style.setProperty("--size", `${size.toFixed(1)}px`);
  const sign = svg("text", { class: "sign", x: w / 2, y: h / 2 + far * 0.34, "font-size": far.toFixed(1) }, symbol);
  const name = what ? (said ? what : "") : shortened(id, room - across * size - GAP, NAME);
  return [sign, big, svg("text", { class: what ? "name fixed" : "name", x: w - SIDE - (what ? 3 : 0), y: 23 }, name)];
}

/** @param {Numbers} numbers @param {GraphNode} node */
function writeNumbers(numbers, node) {
  const room = roomOf(node);
  const most = node.heat ? NORM : NUMBER.most;
  numbers.sizes = { value: most, cotangent: most };
  if (numbers.pictures) paintPictures(numbers.pictures, node);
  numbers.value.parentElement?.classList.remove("sliding");
  writeNumber(numbers.value, node.value, room.value, room.small, most);
  writeNumber(numbers.cotangent, node.connected ? node.cotangent : "–", room.cotangent, room.small, most);
  if (node.group) return writeGroupTitle(numbers.title, node);
  const rest = [node.problem, node.warning, node.state?.[1]].filter(Boolean).map((text) => `\n${text}`).join("");
  const back = node.connected ? (node.cotangentFull ?? node.cotangent) : "none: no path to the output";
  const part = node.heat?.says ? `\npictures: ${node.heat.says}` : "";
  setText(numbers.title, `${node.id}\nvalue ${node.valueFull ?? node.value}${scaleSays(node, "value")}\ncotangent ${back}${scaleSays(node, "cotangent")}${part}${rest}`);
}

/** Px for the two numbers, and for either if seen from some distance. @param {GraphNode} node */
function roomOf({ w, shape, heat }) {
  if (heat) return { cotangent: halfOf(w) - MARK, value: halfOf(w) - MARK, small: halfOf(w) };
  const cotangent = w - 2 * SIDE - MARK - 1;
  return { cotangent, value: cotangent - (shape ? textWidth(shape, SHAPE) + 4 : 0), small: w - 2 * SMALL.side };
}

/** Show other numbers while a slider is dragged. Their size never grows meanwhile, so that they do not jitter.
 * @param {Card} card @param {"value" | "cotangent"} which @param {string} text */
export function slideNumber({ node, numbers }, which, text) {
  if (!node || !numbers) return;
  const room = roomOf(node);
  if (numbers.pictures) numbers.value.parentElement?.classList.add("sliding"); // the heat-maps are of the state before
  setText(numbers.title, node.id); // the rest of the tooltip is of the state before, too
  numbers.sizes[which] = writeNumber(numbers[which], text, room[which], room.small, numbers.sizes[which]);
}

/** Write a number as large as fits into `room` px, and into `wide` px if seen from some distance.
 * @param {SVGGraphicsElement} element @param {string} text @param {number} room @param {number} wide
 * @param {number} [most] px */
function writeNumber(element, text, room, wide, most = NUMBER.most) {
  const width = textWidth(text, 1) * BOLD || 1;
  const size = clamp(room / width, NUMBER.least, most);
  const fits = shortened(text, room / BOLD, size);
  if (element.textContent === fits) return size;
  element.textContent = fits;
  element.style.setProperty("--size", `${size.toFixed(1)}px`);
  element.style.setProperty("--small-size", `${Math.min(wide / width, wide < SMALL.half ? SMALL.norm : SMALL.most).toFixed(1)}px`);
  return size;
}

/** Screen reader text of a node.
 * @param {GraphNode} node */
export function spoken(node) {
  if (node.group) return spokenGroup(node);
  const inputs = node.slots.filter((slot) => slot.constant !== null).map((slot) => `${slot.label} is ${slot.constant}`);
  const parts = [
    `${node.id}, ${node.isParameter ? "parameter" : node.isInput ? "input" : node.op}`, ...inputs, `value ${[node.shape, node.value].filter(Boolean).join(" ")}`,
    node.connected ? `cotangent ${node.cotangent}` : "no path to the output",
    node.muted ? "muted, hands on its first wired input" : node.rule !== "follow" && RULES[node.rule]?.does, node.segment && `segment ${node.segment}`, node.cut && "cut after it", node.isOutput && "output", node.runs && `runs ${node.runs}`, node.missing, node.problem, node.warning, ...(node.state ?? []),
  ];
  return parts.filter(Boolean).join(", ");
}
