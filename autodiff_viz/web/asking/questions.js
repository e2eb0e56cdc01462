// @ts-check
// Choose what can be asked of a graph, find the question about a place, and word what is said of an answer.
// Pure.

import { shared } from "../base/constants.js";

/** @typedef {import("../types.js").AskedItem} AskedItem */
/** @typedef {import("../types.js").AskingData} AskingData */
/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {import("../types.js").Wire} Wire */
/** @typedef {import("../messages.js").QuestionRecord} QuestionRecord */
/** @typedef {import("../explain/play.js").Quantity} Quantity */
/** @typedef {{ nodes: GraphNode[], wires: Wire[], twins?: unknown }} Graph */

/** Names of the kinds, in the order in which they are offered. @type {Record<string, string>} */
export const KINDS = {
  number: "the number",
  zero: "zero or not",
  sign: "its sign",
  larger: "which wire brings more",
  same: "the same in A and B",
  shape: "its shape",
  cause: "which node is the cause",
  choice: "one of your own options",
};

/** A kind of question in words. @param {string} kind @param {string} of */
export const kindText = (kind, of) =>
  kind === "larger" && isCount(of) ? "more in A or in B" : KINDS[kind];

/** Whether a quantity is counted, and has no place on the canvas. @param {string} of */
export const isCount = (of) => of === "kept" || of === "runs";

/** What can be hidden, in words. @type {Record<AskingData["hides"], string>} */
export const HIDES = {
  cotangents: "all cotangents",
  values: "values and cotangents",
  asked: "only what is asked for",
};

/** What can be asked about, in words. @type {Record<Quantity["of"], string>} */
export const QUANTITIES = {
  cotangent: "what arrives at",
  value: "the value of",
  passed: "what comes along a wire to",
  kept: "how many numbers are kept",
  runs: "how often it runs:",
};

/** The kinds of questions that fit a number of the graph; the first is the usual one.
 * @param {Graph} graph @param {Quantity} about @returns {string[]} */
export function kindsFor({ nodes, wires, twins }, { of, node: name, slot }) {
  const wire = wires.find((one) => one.to === name && one.slot === slot);
  const node = nodes.find(({ id }) => id === (of === "passed" ? wire?.from : name));
  if (!node) return [];
  if (isCount(of)) return ["number", ...(twins ? ["larger", "same"] : []), "choice"];
  const text = of === "value" ? node.value : of === "cotangent" ? node.cotangent : wire?.passed;
  const fits = {
    number: !node.dims?.length,
    zero: true,
    sign: true,
    larger: of === "cotangent" && wiresFrom({ wires }, name).length > 1,
    same: Boolean(twins) && of !== "passed",
    shape: of === "value",
    cause: of !== "passed" && (text === "0" || text === "NaN"),
    choice: true,
  };
  return Object.keys(KINDS).filter((kind) => fits[/** @type {keyof typeof fits} */ (kind)]);
}

/** The wires that bring something back to a node. @param {{ wires: Wire[] }} graph @param {string} name */
export const wiresFrom = ({ wires }, name) =>
  wires.filter(({ from, alternative }) => from === name && !alternative);

/** The record of a question: of two wires that are compared, the first two that leave the node.
 * @param {Graph} graph @param {string} kind @param {Quantity} about @param {string} words
 * @param {{ options?: string[], right?: string }} [own] what its author gives as answers @returns {QuestionRecord} */
export function recordOf(graph, kind, { of, node, slot }, words, own = {}) {
  const rest = { ...(words && { words }), ...own };
  if (kind !== "larger" || isCount(of))
    return { kind, of, node, ...rest, ...(of === "passed" && { slot: slot ?? 0 }) };
  const [first, second] = wiresFrom(graph, node);
  return {
    kind,
    of: "passed",
    node: first.to,
    slot: first.slot,
    other: [second.to, second.slot],
    ...rest,
  };
}

/** The record of a question that is asked already. Which answer of its author's is right the server knows.
 * @param {AskedItem} item @returns {QuestionRecord} */
export const recordOfItem = ({ kind, of, node, slot, element, other, words, options, own }) => ({
  kind,
  of,
  node,
  ...(slot !== undefined && { slot }),
  ...(element && { element }),
  ...(other && { other }),
  ...(words && { words }),
  ...(options && { options }),
  ...(own && { own }),
});

/** The options of a choice, as they are typed: between semicolons. @param {string} text */
export const optionsOf = (text) =>
  text
    .split(";")
    .map((option) => option.trim())
    .filter(Boolean);

/** What is too long or too many of an author's own answers, in a sentence; "" for nothing. Python refuses it too.
 * @param {string[]} options @param {string} right */
export function excess(options, right) {
  const { option: most, options: all } = shared.limits;
  const long = [...options, right].find((one) => [...one].length > most);
  if (long !== undefined) {
    const begins = `\u201c${[...long].slice(0, 30).join("")}\u2026\u201d`;
    return `${begins} has ${[...long].length} characters; at most ${most} are possible. The question itself can say more.`;
  }
  return options.length > all
    ? `There are ${options.length} options; at most ${all} are possible.`
    : "";
}

/** Why an author's own answers cannot be asked as they are, in a sentence; "" if they can.
 * @param {string} kind @param {string[]} options @param {string} right */
export function ownFault(kind, options, right) {
  const found = excess(kind === "choice" ? options : [], right);
  if (found || kind !== "choice") return found;
  if (options.length < 2) return "Give at least two options, between semicolons.";
  if (!options.includes(right)) return "Repeat under Right the option that is right.";
  return "";
}

/** What is asked about, in words. @param {{ wires: Wire[] }} graph @param {AskedItem} item */
export function aboutText({ wires }, { kind, of, node, slot }) {
  const from = wires.find((wire) => wire.to === node && wire.slot === slot)?.from;
  if (kind === "larger" && from) return `wires of ${from}`;
  if (of === "kept") return "numbers that are kept";
  if (of === "runs") return `runs of ${node}`;
  if (of === "passed") return from ? `wire ${from} \u2192 ${node}` : `wire of ${node}`;
  return of === "value" ? `value of ${node}` : `what arrives at ${node}`;
}

/** The number of a wire, by the wire's id. @param {string} id @returns {Quantity} */
export function wireAsked(id) {
  const at = id.lastIndexOf(":");
  return { of: "passed", node: id.slice(0, at), slot: Number(id.slice(at + 1)) };
}

/** The index of the question about a place that is still to be answered; -1 if there is none.
 * @param {AskingData | undefined} asking @param {Quantity} about */
export const questionAt = (asking, { of, node, slot }) =>
  (asking?.items ?? []).findIndex(
    (item) =>
      isOpen(item) &&
      [
        { of: item.of, node: item.node, slot: item.slot },
        ...(item.other ? [{ of: "passed", node: item.other[0], slot: item.other[1] }] : []),
      ].some((one) => one.of === of && one.node === node && (of !== "passed" || one.slot === slot)),
  );

/** Whether a question is still to be answered. @param {AskedItem | undefined} item */
export const isOpen = (item) => Boolean(item && !item.revealed && !item.gone);

/** Whether its answer was about the graph before, so that there is nothing more to say of it. @param {AskedItem | undefined} item */
export const isPast = (item) => Boolean(item?.revealed && item.before && !item.gone);

/** Whether the last answer was wrong, not only inexact, and is on view; a question that was given up has none.
 * @param {AskedItem | undefined} item */
export const isWrong = (item) =>
  Boolean(
    item?.verdict && !item.verdict.right && !item.verdict.near && !item.before && !item.gone,
  ) && item?.tries.at(-1) !== "?";

/** The question to go to after one; -1 if all are answered. @param {AskingData} asking @param {number} at */
export function nextOpen({ items }, at) {
  const after = items.findIndex((item, i) => i > at && isOpen(item));
  return after < 0 ? items.findIndex(isOpen) : after;
}

/** What can be pressed once a question is no longer open. @typedef {"undo" | "remove" | "why" | "play" | "next" | "back" | "copy"} Offer */

/** What can be pressed next, the main one among it: one at most. Whoever was wrong needs the reason first, and whoever is asked
 * more the next question, since figures wait for it. A result is copied for a class: for questions of somebody's own, and on a
 * path through the lessons. Pure.
 * @param {AskedItem} item
 * @param {{ lesson: boolean, path: boolean, shown: boolean, more: boolean, result: boolean }} state `shown`: the reason;
 * `more`: another question is open; `result`: all are answered
 * @returns {{ offers: Offer[], main: Offer | undefined }} */
export function offersAfter(item, { lesson, path, shown, more, result }) {
  if (isOpen(item)) return { offers: [], main: undefined };
  /** @type {Offer[]} */
  const offers = item.gone ? ["undo", "remove"] : [];
  // The pass computes what an author's options are about, but no number of the author's own.
  if (item.revealed && !item.gone && !isPast(item) && (lesson || !item.own || item.options))
    offers.push(lesson ? "why" : "play");
  if (more) offers.push("next");
  else if (lesson && shown) offers.push("back");
  if (!more && result && (!lesson || path)) offers.push("copy");
  /** @type {Offer[]} */
  const order = shown ? ["next", "undo", "back"] : ["next", "undo", "why"];
  const main = order.find((offer) => offers.includes(offer) && (lesson || offer !== "why"));
  return { offers, main };
}

/** What is said of the last answer to a question; "" before the first one. In a lesson the reason of a wrong answer
 * comes by *Show why* and in the lesson's own words.
 * @param {AskedItem} item @param {boolean} [inLesson] */
export function verdictText(item, inLesson = false) {
  const { verdict, revealed, answer, accepted, reason, before, tries, own } = item;
  if (item.gone) return item.gone;
  if (!revealed && before) return before;
  if (!revealed)
    return verdict
      ? [...readBack(item), judged(item), "One more try."].map(sentence).join(" ")
      : "";
  const last = tries.at(-1) ?? "?";
  const isRight = Boolean(verdict?.right && !before);
  const isAnswer = isRight && plainly(last) === plainly(answer ?? "");
  const said = last === "?" ? "You did not guess." : `You: ${withMinus(item, last)}.`;
  const you = before || (isAnswer && !own) ? "" : said; // what is JAX's to the digit is said once
  const jax =
    answer === undefined || (own && isRight) ? "" : `${own ? "Answer" : "JAX"}: ${answer}.`;
  // What is said of a right answer is that it is right, or more; of a wrong one which mistake it is.
  const more = last === "?" || before ? "" : judged(item);
  const says = isRight && !more.startsWith("Right") ? `Right. ${more}`.trim() : more;
  // Of a right number that is near the answer it is said how near it has to be.
  const isNear = isRight && !isAnswer && !/^exactly/.test(accepted ?? "");
  const range = accepted && isNear ? `Accepted: ${accepted}.` : "";
  const isTold = reason === verdict?.says || (inLesson && !isRight); // its author may have said it
  const why = isTold ? "" : sentence(reason);
  return [you, jax, says, why, range, before].filter(Boolean).join(" ");
}

/** What is said of the last answer, after the word for a wrong one unless it begins with "Not". @param {AskedItem} item */
function judged(item) {
  const says = sentence(item.verdict?.says);
  return isWrong(item) && !/^Not\b/.test(says) ? `Wrong. ${says}`.trim() : says;
}

/** How the last answer was read, where that is not just as it was typed. @param {AskedItem} item */
function readBack({ verdict, tries }) {
  const says = verdict?.readAs ?? "";
  return plainly(says.replace(/^read as:? /, "")) === plainly(tries.at(-1) ?? "") ? [] : [says];
}

const MINUSES = /[\u2212\u2010\u2011\u2012\u2013]/g;

/** A text without what reading does not change: kind of minus, spaces, capitals, zeros at the end; a name for
 * infinity. @param {string} text */
function plainly(text) {
  const plain = text.toLowerCase().replace(MINUSES, "-").replace(/\s+/g, "");
  const named = plain.replace(/^([+-]?)inf(inity)?$/, "$1\u221e").replace(/^(\+|the)(?=.)/, "");
  return /^-?[0-9.]+(e[+-]?[0-9]+)?$/.test(named) ? String(Number(named)) : named;
}

/** A typed answer with the sign for minus that all numbers have. @param {AskedItem} item @param {string} text */
const withMinus = ({ kind }, text) =>
  kind === "number" ? text.replace(/-(?=[0-9.\u221e])/g, "\u2212") : text;

/** A text that begins as a sentence and ends as one; "" for none. @param {string | undefined} text */
const sentence = (text = "") =>
  text && text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/** A text in pieces: names stand between backticks. @param {string} text @returns {{ text: string, isName: boolean }[]} */
export const pieces = (text) =>
  text
    .split("`")
    .map((piece, i) => ({ text: piece, isName: i % 2 === 1 }))
    .filter(({ text: piece }) => piece);

/** A text without the backticks around names, to be read out. @param {string} text */
export const spoken = (text) => text.replaceAll("`", "");

/** The wire to look at after the last answer, as an explanation that the canvas marks; none without a hint.
 * @param {AskingData | undefined} asking @returns {import("../base/cure.js").Explanation | undefined} */
export function pointedAt(asking) {
  const items = asking?.items ?? [];
  const item = items.find((one) => isOpen(one) && one.verdict?.wire && !one.before);
  return item ? { says: item.verdict?.says ?? "", wires: [item.verdict?.wire ?? ""] } : undefined;
}
