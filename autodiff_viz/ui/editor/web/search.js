// @ts-check
// Which ops of the palette answer to what was typed. Pure.

/** @typedef {import("./types.js").PaletteGroup} PaletteGroup */
/** @typedef {import("./types.js").PaletteOp} PaletteOp */

/** Groups with the ops that match, best first; with nothing typed, the palette as it is.
 * @param {PaletteGroup[]} palette @param {string} text @returns {PaletteGroup[]} */
export function search(palette, text) {
  const typed = text.trim().toLowerCase();
  if (!typed) return palette;
  const found = palette
    .flatMap((group) => group.ops)
    .map((op) => ({ op, rank: rankOf(op, typed) }))
    .filter(({ rank }) => rank < Infinity)
    .sort((a, b) => a.rank - b.rank);
  return found.length ? [{ group: "Best match first", ops: found.map(({ op }) => op) }] : [];
}

/** Lower is better: the name itself, its beginning, the symbol, inside the name, in the description.
 * @param {PaletteOp} entry @param {string} typed */
function rankOf({ op, symbol, doc }, typed) {
  if (op === typed || symbol.toLowerCase() === typed) return 0;
  if (op.startsWith(typed)) return 1 + op.length / 100; // the shorter name is the likelier one
  if (op.includes(typed)) return 3;
  return doc.toLowerCase().includes(typed) ? 4 : Infinity;
}
