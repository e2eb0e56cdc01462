// @ts-check
// Tell from what the browser keeps how far each lesson is, which comes next, and write all of it as a text.

import { KEY } from "../base/visits.js";

/** @typedef {import("../base/visits.js").Visit} Visit */
/** What a card says of its lesson. @typedef {object} Card
 * @property {string} key
 * @property {number} tries exercises that it has
 * @property {boolean} asks whether something is asked
 */
/** @typedef {"" | "opened" | "answered" | "done"} State */

export const MARK = "autodiff_viz progress";
/** Characters of a text that is brought in. */
export const MOST = 50_000;

/** How far a lesson is: done once all that is asked was answered and all exercises are ticked.
 * @param {Card} card @param {Visit | undefined} visit @param {Set<number> | undefined} tries @returns {State} */
export function stateOf(card, visit, tries) {
  const answered = !card.asks || Boolean(visit?.answered);
  const ticked = [...(tries ?? [])].filter((number) => number < card.tries).length;
  if (answered && ticked === card.tries && (ticked > 0 || (card.asks && visit))) return "done";
  if (visit?.answered) return "answered";
  return visit || ticked ? "opened" : "";
}

/** How much of a lesson is done, from 0 to 1.
 * @param {Card} card @param {Visit | undefined} visit @param {Set<number> | undefined} tries */
export function shareOf(card, visit, tries) {
  const ticked = [...(tries ?? [])].filter((number) => number < card.tries).length;
  const all = card.tries + Number(card.asks);
  return all ? (ticked + Number(card.asks && Boolean(visit?.answered))) / all : Number(!!visit);
}

/** How much of a path is done, and how many of its lessons were answered right, where that is known of all. Pure.
 * @param {string[]} states of its lessons @param {(string | boolean | undefined)[]} answered results of those that ask */
export function doneSays(states, answered) {
  const done = states.filter((state) => state === "done").length;
  if (!done) return states.length === 1 ? "1 lesson" : `${states.length} lessons`;
  const lines = answered.filter(Boolean);
  const right = lines.filter(isRight).length;
  const known = lines.length > 0 && lines.every((line) => typeof line === "string");
  return `${done} of ${states.length} done${known ? `, ${right} of ${lines.length} answered right` : ""}`;
}

/** Whether all answers of a line of results are right; asking/summary.py writes it. @param {string | boolean | undefined} line */
const isRight = (line) =>
  typeof line === "string" && line.split(";").every((part) => part.endsWith(" right"));

/** How one goes on with a path: what its button says, and the index of the lesson that it opens.
 * @param {string[]} states of its lessons, in their order @returns {{ says: string, to: number }} */
export function wayOn(states) {
  const to = states.findIndex((state) => state !== "done");
  if (to < 0) return { says: "Start again", to: 0 };
  return states.some(Boolean)
    ? { says: `Go on with lesson ${to + 1}`, to }
    : { says: "Start", to: 0 };
}

/** The lesson to go on with: the one that was opened last, or the first after it that is not done; null if
 * none was opened or all are done.
 * @param {Card[]} cards in their order @param {Visit[]} visits the latest first
 * @param {(card: Card) => State} state @returns {Card | null} */
export function nextOf(cards, visits, state) {
  const latest = visits.find(({ key }) => cards.some((card) => card.key === key));
  if (!latest) return null;
  const at = cards.findIndex((card) => card.key === latest.key);
  return [...cards.slice(at), ...cards.slice(0, at)].find((card) => state(card) !== "done") ?? null;
}

/** All of it as a text to take along. @param {Visit[]} visits @param {Map<string, Set<number>>} tries */
export function asText(visits, tries) {
  const keys = [...new Set([...visits.map(({ key }) => key), ...tries.keys()])].sort();
  const lessons = keys.map((key) => {
    const visit = visits.find((each) => each.key === key);
    const done = [...(tries.get(key) ?? [])].sort((a, b) => a - b);
    return { key, at: visit?.at ?? 0, answered: Boolean(visit?.answered), done };
  });
  return JSON.stringify({ kind: MARK, v: 1, lessons });
}

/** What a text adds to what is kept; null if it is none of ours. Nothing that was done is taken away.
 * @param {string} text @param {Visit[]} visits @param {Map<string, Set<number>>} tries */
export function broughtIn(text, visits, tries) {
  /** @type {any} */
  let read;
  try {
    read = text.length > MOST ? null : JSON.parse(text);
  } catch {
    return null;
  }
  if (read?.kind !== MARK || read.v !== 1 || !Array.isArray(read.lessons)) return null;
  const all = new Map(visits.map((visit) => [visit.key, visit]));
  const done = new Map([...tries].map(([key, numbers]) => [key, new Set(numbers)]));
  for (const lesson of read.lessons) {
    if (typeof lesson?.key !== "string" || !KEY.test(lesson.key)) continue;
    const { key } = lesson,
      before = all.get(key),
      at = Number.isFinite(lesson.at) ? Math.min(lesson.at, Date.now()) : 0; // else it stays the latest
    if (before || at > 0 || lesson.answered === true)
      all.set(key, {
        key,
        at: Math.max(before?.at ?? 0, at),
        answered: before?.answered || lesson.answered === true,
      });
    for (const number of Array.isArray(lesson.done) ? lesson.done : [])
      if (Number.isInteger(number) && number >= 0 && number < 100)
        done.set(key, (done.get(key) ?? new Set()).add(number));
  }
  return { visits: [...all.values()].sort((a, b) => b.at - a.at), tries: done };
}
