// @ts-check
// A node as a card: symbol and name on the left, value over arriving cotangent on the right, ports on the
// edges, and chips above it for what bends the gradient.

import { keep, setText, svg } from "./dom.js";
import { slotPoint } from "./geometry.js";
import { icon } from "./icons.js";
import { textWidth } from "./measure.js";

/** @typedef {import("./types.js").GraphNode} GraphNode */
/** @typedef {{ root: SVGGraphicsElement, node: GraphNode | null, look: string, numbers: Numbers | null }} Card */
/** @typedef {{ value: Element, cotangent: Element, title: Element }} Numbers */

const NUMBERS = 0.54; // share of the card's width that the numbers take
const DIGIT = 7.9; // px, width of a digit of the numbers
const CHIP = { font: 11.5, icon: 20, side: 7 }; // px
const SYMBOL = { most: 22, least: 9 }; // px

/** What each rule is called on screen, with its key.
 * @type {Record<string, { label: string, key: string, says: string }>} */
export const RULES = {
  stop: { label: "Stop", key: "s", says: "passes no gradient" },
  rewrite: { label: "Rewrite", key: "r", says: "rewrites the arriving gradient" },
  pullback: { label: "Pullback", key: "p", says: "has a declared derivative" },
  backward_as: { label: "Backward as", key: "b", says: "goes backward as another expression" },
};

/** @param {Element} layer @param {Map<string, Card>} cards @param {GraphNode[]} nodes */
export const drawNodes = (layer, cards, nodes) => keep(layer, cards, nodes, (node) => node.id, makeCard, updateCard);

/** @param {GraphNode} node @returns {Card} */
function makeCard(node) {
  const root = svg("g", { "data-id": node.id, tabindex: -1, role: "button" });
  return { root, node: null, look: "", numbers: null };
}

/** @param {Card} card @param {GraphNode} node */
function updateCard(card, node) {
  if (card.node === node) return;
  card.root.setAttribute("transform", `translate(${node.x} ${node.y})`);
  const { x, y, value, cotangent, valueFull, cotangentFull, ...rest } = node;
  const look = JSON.stringify(rest);
  if (look !== card.look) card.numbers = rebuild(card.root, node);
  if (card.numbers) writeNumbers(card.numbers, node);
  card.root.setAttribute("aria-label", spoken(node));
  card.look = look;
  card.node = node;
}

/** Draw everything but the numbers anew.
 * @param {SVGGraphicsElement} root @param {GraphNode} node @returns {Numbers} */
function rebuild(root, node) {
  const { w, h } = node;
  const left = w * (1 - NUMBERS);
  const numbers = {
    value: svg("text", { class: "number value", x: w - 13, y: h / 2 - 7 }),
    cotangent: svg("text", { class: "number cotangent", x: w - 13, y: h / 2 + 16 }),
    title: svg("title"),
  };
  root.replaceChildren(
    numbers.title,
    svg("rect", { class: "card", width: w, height: h, rx: node.isInput ? h / 2 : 12 }),
    svg("line", { class: "divider", x1: left, x2: left, y1: 12, y2: h - 12 }),
    ...symbolAndName(node, left),
    numbers.value,
    svg("path", { class: "back", d: `M${left + 16} ${h / 2 + 7}l-6 4.5 6 4.5z` }),
    numbers.cotangent,
    ...(node.rule === "stop" ? [svg("rect", { class: "barrier", x: -3, y: 5, width: 6, height: h - 10, rx: 3 })] : []),
    ...node.slots.map((_, i) => slotMark(node, i)),
    svg("g", { class: "out", transform: `translate(${w} ${h / 2})` }, ...port()),
    ...chips(node),
  );
  root.setAttribute("class", classes(node));
  root.style.setProperty("--middle", `${w / 2 - (left + 4) / 2}px`);
  return numbers;
}

/** @param {GraphNode} node */
const classes = (node) =>
  ["node", `rule-${node.rule}`, node.isInput && "input", node.isOutput && "output", !node.connected && "apart",
    node.problem && "wrong", !node.problem && node.warning && "warned"].filter(Boolean).join(" ");

/** @param {GraphNode} node @param {number} left width of the left column */
function symbolAndName({ symbol, id, w, h, isInput }, left) {
  const middle = (left + 4) / 2;
  const size = Math.min(SYMBOL.most, Math.max((left - 20) / textWidth(symbol, 1.05), SYMBOL.least));
  const big = svg("text", { class: "symbol", x: middle, y: h / 2 - 2 }, symbol);
  big.style.setProperty("--size", `${size.toFixed(1)}px`);
  big.style.setProperty("--far-size", `${Math.min((w - 30) / textWidth(symbol, 1), 1.6 * SYMBOL.most).toFixed(1)}px`);
  if (isInput && symbol === id) big.setAttribute("y", String(h / 2 + 7));
  const most = Math.floor((left - 8) / 5.8); // letters of the name that fit
  const name = isInput && symbol === id ? "" : shortened(id, most);
  return [big, svg("text", { class: "name", x: middle, y: h / 2 + 17 }, name)];
}

/** A port and its larger, invisible target. */
const port = () => [svg("circle", { class: "target", r: 15 }), svg("circle", { class: "port", r: 5.5 })];

/** @param {GraphNode} node @param {number} i */
function slotMark(node, i) {
  const slot = node.slots[i];
  const [, y] = slotPoint(node, i);
  const state = slot.wired ? "wired" : slot.constant === null ? "empty" : "constant";
  const group = svg("g", { class: `slot ${state}`, "data-slot": i, transform: `translate(0 ${y - node.y})` }, ...port());
  if (node.slots.length > 1) group.append(svg("text", { class: "slot-label", x: -11, y: -7 }, slot.label));
  if (slot.constant !== null) group.append(pill(slot.constant));
  return group;
}

/** @param {string} constant */
function pill(constant) {
  const text = shortened(constant, 9);
  const w = Math.max(textWidth(text, 13.5) + 16, 26);
  return svg("g", { class: "pill" }, svg("rect", { x: -w - 9, y: -11, width: w, height: 22, rx: 11 }),
    svg("text", { x: -w / 2 - 9, y: 4.5 }, text), svg("title", {}, `${constant} - click to change it`));
}

/** @param {GraphNode} node */
function chips(node) {
  const row = [];
  if (node.rule !== "follow") {
    const text = node.rule === "stop" ? "stop" : shortened(node.ruleText || RULES[node.rule].label.toLowerCase(), 18);
    row.push({ kind: node.rule, icon: node.rule, text });
  }
  if (node.problem) row.push({ kind: "problem", icon: "warning", text: "problem" });
  else if (node.warning) row.push({ kind: "warning", icon: "warning", text: shortened(node.warning.split(" ")[0], 9) });
  let x = 10;
  const drawn = row.map((item) => {
    const element = chip(item, x);
    x += chipWidth(item.text, true) + 4;
    return element;
  });
  if (node.isOutput) drawn.push(chip({ kind: "out-chip", icon: "output", text: "output" }, node.w - chipWidth("output", true) - 10));
  if (node.runs) {
    const text = node.runs.replace(/^x/, "×");
    const runs = chip({ kind: "runs", icon: "", text }, node.w - chipWidth(text, false) - 12);
    runs.setAttribute("transform", `translate(${node.w - chipWidth(text, false) - 12} ${node.h - 10})`);
    drawn.push(runs);
  }
  return drawn;
}

/** @param {string} text @param {boolean} marked */
const chipWidth = (text, marked) => textWidth(text, CHIP.font) + (marked ? CHIP.icon : CHIP.side) + CHIP.side + 2;

/** @param {{ kind: string, icon: string, text: string }} item @param {number} x */
function chip({ kind, icon: mark, text }, x) {
  const group = svg("g", { class: `chip ${kind}`, transform: `translate(${x} -11)` },
    svg("rect", { width: chipWidth(text, Boolean(mark)), height: 20, rx: 10 }),
    svg("text", { x: mark ? CHIP.icon : CHIP.side + 1, y: 14 }, text));
  if (mark) {
    const drawn = icon(mark, 12);
    drawn.setAttribute("x", "6");
    drawn.setAttribute("y", "4");
    group.append(drawn);
  }
  return group;
}

/** @param {Numbers} numbers @param {GraphNode} node */
function writeNumbers(numbers, node) {
  const room = Math.floor((node.w * NUMBERS - 28) / DIGIT) + 1;
  setText(numbers.value, shortened(node.value, room + 1));
  setText(numbers.cotangent, node.connected ? shortened(node.cotangent, room) : "–");
  const rest = [node.problem, node.warning].filter(Boolean).map((text) => `\n${text}`).join("");
  const back = node.connected ? (node.cotangentFull ?? node.cotangent) : "none: no path to the output";
  setText(numbers.title, `${node.id}\nvalue ${node.valueFull ?? node.value}\ncotangent ${back}${rest}`);
}

/** @param {string} text @param {number} most */
const shortened = (text, most) => (text.length <= most ? text : `${text.slice(0, Math.max(most - 1, 1))}…`);

/** What a screen reader says about a node.
 * @param {GraphNode} node */
function spoken(node) {
  const inputs = node.slots.filter((slot) => slot.constant !== null).map((slot) => `${slot.label} is ${slot.constant}`);
  const parts = [
    `${node.id}, ${node.isInput ? "input" : node.op}`, ...inputs, `value ${node.value}`,
    node.connected ? `cotangent ${node.cotangent}` : "no path to the output",
    RULES[node.rule]?.says, node.isOutput && "output", node.runs && `runs ${node.runs}`, node.problem, node.warning,
  ];
  return parts.filter(Boolean).join(", ");
}
