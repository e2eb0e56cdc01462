// @ts-check
// Search the cards by words; `autodiff_viz/lessons/search.py` writes the words of each.

import { isMistyped } from "../base/likeness.js";

/** The words of a text in small letters without marks, as `words_in` gives them. @param {string} text @returns {string[]} */
export const wordsIn = (text) =>
  text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const ENDS = /(?:ations?|ings?|ed|es|s|e)$/; // what differs between "checkpointing" and "checkpoint"
const STEM = 4; // letters that stay, at least
const ENOUGH = 0.6; // of the weight of the best card, which a card has that is shown too

/** A word without its ending. @param {string} word */
const stemOf = (word) => {
  const stem = word.replace(ENDS, "");
  return stem.length < STEM ? word : stem;
};

/** Which cards a query finds: those with all of its words, or with the words that say most where none has all. A word counts
 * the more the fewer cards have it; one that no card has is taken for a typing mistake. Pure.
 * @param {string} query @param {string[][]} cards their words @returns {boolean[]} */
export function findCards(query, cards) {
  const has = wordsIn(query).map((wanted) => {
    const exact = cards.map((words) => words.some((word) => word.startsWith(wanted)));
    if (exact.includes(true)) return exact;
    const stem = stemOf(wanted);
    const alike = cards.map((words) => words.some((word) => word.startsWith(stem)));
    if (stem !== wanted && alike.includes(true)) return alike;
    return cards.map((words) => words.some((word) => isMistyped(wanted, word, true)));
  });
  if (!has.length) return cards.map(() => true);
  const weights = has.map((found) =>
    Math.log((cards.length + 1) / (1 + found.filter(Boolean).length)),
  );
  const known = has.map((found) => found.includes(true));
  const scores = cards.map((_, i) =>
    has.reduce((sum, found, word) => sum + (found[i] ? weights[word] + 1e-9 : 0), 0),
  );
  const best = Math.max(...scores);
  return scores.map(
    (score, i) =>
      known.includes(true) &&
      score > 0 &&
      (score >= ENOUGH * best || has.every((found) => found[i])),
  );
}

/** What is said of the number of cards on view. @param {number} count @param {number} of */
export const foundSays = (count, of) =>
  count === of ? `${of} lessons` : `${count} of ${of} lessons`;
