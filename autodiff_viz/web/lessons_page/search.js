// @ts-check
// Search the cards by words; `autodiff_viz/lessons/search.py` writes the words of each.

/** The words of a text in small letters without marks, as `words_in` gives them. @param {string} text @returns {string[]} */
export const wordsIn = (text) =>
  text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether each word of a query begins one of a card's words. @param {string} query @param {string[]} words */
export const isFound = (query, words) =>
  wordsIn(query).every((wanted) => words.some((word) => word.startsWith(wanted)));

/** What is said of the number of cards on view. @param {number} count @param {number} of */
export const foundSays = (count, of) =>
  count === of ? `${of} lessons` : `${count} of ${of} lessons`;
