// @ts-check
// Tell whether a word is another one with a typing mistake: a letter left out, added, changed, or two that have
// changed places. Pure.

const ONE = 4,
  TWO = 8; // letters from which a word may have one mistake, and two

/** How many mistakes lead from one word to the other (optimal string alignment distance).
 * @param {string} a @param {string} b @returns {number} */
export function mistakesIn(a, b) {
  let [before, last] = [
    /** @type {number[]} */ ([]),
    Array.from({ length: b.length + 1 }, (_, j) => j),
  ];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = last[j - 1] + Number(a[i - 1] !== b[j - 1]);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        last[j] + 1,
        row[j - 1] + 1,
        changed,
        swapped ? before[j - 2] + 1 : Infinity,
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length];
}

/** Whether what was typed is likely meant to be this word, or the beginning of it.
 * @param {string} typed @param {string} word @param {boolean} [begins] whether a beginning is enough */
export function isMistyped(typed, word, begins = false) {
  const most = typed.length >= TWO ? 2 : typed.length >= ONE ? 1 : 0;
  if (!most || typed[0] !== word[0]) return false; // few people mistype the first letter, and much begins alike
  const lengths = begins ? [-1, 0, 1].map((by) => typed.length + by) : [word.length];
  return lengths.some(
    (length) => length <= word.length && mistakesIn(typed, word.slice(0, length)) <= most,
  );
}
