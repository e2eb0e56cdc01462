// @ts-check
// Read drawings as Python sends them, with typed numbers and without nulls: write the numbers, and give wires their
// thickness. Pure.

import { shared } from "../../base/constants.js";
import {
  fullText,
  numberOf,
  numberText,
  readNumber,
  scalar,
  shapeText,
  signOf,
  sizeOf,
  widthOf,
} from "../../base/numbers.js";

/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").Flow} Flow */
/** @typedef {import("../../base/numbers.js").SentArray} SentArray */

const [BLOCKED, UNKNOWN] = ["blocked", "unknown"]; // in place of a tangent
/** In place of a number that is asked for, in words. */
export const HIDDEN = "hidden while it is asked for";
const CARD_DIGITS = 4;
const WIRE_DIGITS = 3;
const CELL_DIGITS = 3;

/** What is already decoded, lists and their records; `how`: what it was decoded with.
 * @type {WeakMap<object, { how: string, whole: any }>} */
const known = new WeakMap();
/** @type {any[]} */
const NONE = [];

/** Decode a record or a list once, so that what has not changed stays the same object, and is not drawn again.
 * @template {object} T @param {T} sent @param {string} how @param {(sent: T) => any} whole */
function once(sent, how, whole) {
  const found = known.get(sent);
  if (found?.how === how) return found.whole;
  const made = whole(sent);
  known.set(sent, { how, whole: made });
  return made;
}

/** @template {object} T @param {T[]} records @param {string} how @param {(record: T) => any} whole @returns {any[]} */
const all = (records, how, whole) =>
  once(records, how, () => records.map((record) => once(record, how, whole)));

/** A node with its numbers as text. @param {any} sent @param {string} dtype */
function nodeOf({ slots, heat, value, cotangent, tangent, dims: told, ...node }, dtype) {
  const own = readNumber(value, dtype);
  const dims = own?.dims ?? told ?? [];
  const numbers = {
    value: own,
    cotangent: readNumber(cotangent, dtype, dims),
    tangent: readNumber(tangent, dtype, dims),
  };
  const nothing = node.connected ? "no cotangent yet" : "no path to the output: nothing arrives";
  const asked = (/** @type {"value" | "cotangent"} */ which) => node.hidden?.includes(which);
  return {
    ...node,
    slots: slots.map((/** @type {any} */ slot) => ({ constant: null, ...slot })),
    numbers,
    dims,
    shape: own && shapeText(own),
    value: own ? numberText(own, CARD_DIGITS) : asked("value") ? shared.asked : shared.nothing,
    valueFull: own ? fullText(own) : asked("value") ? HIDDEN : "no value yet",
    cotangent: numbers.cotangent
      ? numberText(numbers.cotangent, CARD_DIGITS)
      : asked("cotangent")
        ? shared.asked
        : shared.nothing,
    cotangentFull: numbers.cotangent
      ? fullText(numbers.cotangent)
      : asked("cotangent")
        ? HIDDEN
        : nothing,
    ...(tangent !== undefined && tangentTexts(numbers.tangent, tangent)),
    ...(heat && { heat: heatOf(heat) }),
  };
}

/** @param {import("../../base/numbers.js").Num | undefined} num @param {SentArray} sent */
function tangentTexts(num, sent) {
  if (num) return { tangent: numberText(num, CARD_DIGITS), tangentFull: fullText(num) };
  return sent === BLOCKED
    ? { tangent: BLOCKED, tangentFull: "its rule blocks forward mode" }
    : { tangent: shared.nothing, tangentFull: "unknown: forward mode is blocked before it" };
}

/** Heat-maps, with the numbers of their strongest shades as text. @param {any} heat */
function heatOf(heat) {
  const tops = ["valueTop", "cotangentTop", "tangentTop"].filter((name) => name in heat);
  const texts = tops.map((name) => [name, scalar(numberOf(heat[name]) ?? NaN, CELL_DIGITS)]);
  return { ...heat, ...Object.fromEntries(texts) };
}

/** What goes down a wire. @param {SentArray | undefined} sent @param {string} dtype @param {boolean} [hidden] @returns {Omit<Flow, "width">} */
function flowOf(sent, dtype, hidden = false) {
  if (hidden) return { passed: shared.asked, passedFull: HIDDEN, sign: 0 };
  const number = readNumber(sent, dtype);
  if (!number)
    return {
      passed: "",
      passedFull: sent === UNKNOWN ? "unknown: forward mode is blocked" : undefined,
      sign: 0,
    };
  return {
    passed: numberText(number, WIRE_DIGITS),
    passedFull: fullText(number),
    sign: signOf(number),
    number,
  };
}

/** A wire without its thickness. In forward mode it shows what it adds to the tangent of the node that reads it.
 * @param {any} sent @param {string} dtype */
function wireOf({ passed, pushed, ...wire }, dtype) {
  const back = flowOf(passed, dtype, wire.hidden);
  const whole = { ...wire, width: 0 };
  return pushed === undefined
    ? { ...whole, ...back }
    : { ...whole, ...flowOf(pushed, dtype), reverse: back };
}

/** What wires show, with its thickness: relative to the largest of all wires.
 * @template {Omit<Flow, "width">} T @param {T} flow @param {number} largest @returns {T & Flow} */
const withWidth = (flow, largest) => ({
  ...flow,
  width: flow.number ? widthOf(sizeOf(flow.number), largest) : 0,
});

/** Data of the selected node, with its numbers read. @param {any} sent @param {string} dtype */
function inspected({ value, arriving, tangent, fork, added, wires, elements, ...node }, dtype) {
  const line = (/** @type {any[] | undefined} */ terms) =>
    terms?.map(([piece, role, place]) =>
      place === undefined ? [piece, role] : [readNumber(piece, dtype), role, place],
    );
  const numbers = (/** @type {[string, SentArray[]][]} */ entries) =>
    Object.fromEntries(
      entries.map(([which, all]) => [which, all.map((one) => numberOf(/** @type {any} */ (one)))]),
    );
  return {
    ...node,
    value: readNumber(value, dtype),
    arriving: readNumber(arriving, dtype),
    tangent: readNumber(tangent, dtype) ?? tangent,
    fork: line(fork),
    added: line(added),
    wires: wires.map((/** @type {any} */ wire) => ({
      ...wire,
      terms: line(wire.terms),
      pushes: line(wire.pushes),
      passed: readNumber(wire.passed, dtype) ?? wire.passed,
    })),
    elements: elements && numbers(Object.entries(elements)),
  };
}

/** @param {any[]} cards @param {string[]} asked names */
const withQuestions = (cards, asked) =>
  cards.map((card) => (asked.includes(card.id) ? { ...card, asked: true } : card));

/** @param {any} sent @returns {Drawing} */
export function readDrawing({
  dtype = "float32",
  nodes = NONE,
  wires = NONE,
  regions = NONE,
  groups = NONE,
  selected = null,
  node,
  moment,
  ...rest
}) {
  const flows = all(wires, dtype, (wire) => wireOf(wire, dtype));
  const sizes = flows.map(({ number }) => (number ? sizeOf(number) : 0)).filter(Number.isFinite);
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  const how = `${dtype} ${largest}`;
  /** @type {any[]} */
  const cards = all(nodes, dtype, (one) => nodeOf(one, dtype));
  /** @type {string[]} */
  const asked = (rest.asking?.items ?? NONE).map((/** @type {any} */ item) => item.node);
  return {
    ...rest,
    selected,
    ...(node && { node: once(node, dtype, (one) => inspected(one, dtype)) }),
    ...(moment && { moment: { ...moment, loss: readNumber(moment.loss, dtype) } }),
    nodes: asked.length ? once(cards, asked.join(" "), () => withQuestions(cards, asked)) : cards,
    wires: all(flows, how, (flow) => withWidth(flow, largest)),
    regions,
    groups: all(groups, how, (/** @type {any} */ group) => ({
      ...group,
      sums: group.sums.map((/** @type {any} */ { passed, ...sum }) =>
        withWidth({ ...sum, ...flowOf(passed, dtype, sum.hidden) }, largest),
      ),
    })),
  };
}
