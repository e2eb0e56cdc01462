// @ts-check
// Search the palette. Pure.

/** @typedef {import("../types.js").PaletteGroup} PaletteGroup */
/** @typedef {import("../types.js").PaletteOp} PaletteOp */

/** Groups with the ops that match, best first, ops of equal rank in the palette's order; for an empty text, the
 * whole palette.
 * @param {PaletteGroup[]} palette @param {string} text @returns {PaletteGroup[]} */
export function search(palette, text) {
  const typed = text.trim().toLowerCase();
  const joined = close(typed);
  if (!typed) return palette;
  const found = palette
    .flatMap((group) => group.ops)
    .map((op) => ({ op, rank: rankOf(op, joined, typed) }))
    .filter(({ rank }) => rank < Infinity)
    .sort((a, b) => a.rank - b.rank);
  return found.length ? [{ group: "Best match first", ops: found.map(({ op }) => op) }] : [];
}

/** Whether a text is to be read as an expression of the language and not as the name of an op: "x*y", "sin(x)",
 * "2.5". A hyphen inside a word belongs to a name: "max-pool".
 * @param {string} text */
export function isExpression(text) {
  const typed = text.trim().replace(/(?<=[a-z]\w+)-(?=[a-z]\w+$)/gi, "_");
  return /[\w)\]]\s*[-+*/@<>=^]|[\w)]\s*[([]|^-?\s*[\d.]|^-\s*\w/.test(typed);
}

/** The palette with only the wanted ops; a group without any is left out.
 * @param {PaletteGroup[]} palette @param {(op: PaletteOp) => boolean} wanted @returns {PaletteGroup[]} */
export const only = (palette, wanted) =>
  palette.map(({ group, ops }) => ({ group, ops: ops.filter(wanted) })).filter(({ ops }) => ops.length);

/** The text without separators between words: "max pool" finds max_pool. @param {string} text */
const close = (text) => text.replace(/(?<=\w)[\s_-]+(?=\w)/g, "");

/** Rank of a match, lower is better: the name itself, another name or the symbol, the beginning of the name, the
 * beginning of another name, inside the name, a word of the description.
 * @param {PaletteOp} entry @param {string} joined @param {string} typed the same, with spaces */
function rankOf({ op, symbol, doc, aliases = [] }, joined, typed) {
  const name = close(op);
  if (name === joined) return 0;
  const others = [symbol.toLowerCase(), ...aliases].map(close);
  if (others.includes(joined)) return 1;
  if (name.startsWith(joined)) return 2;
  if (others.some((other) => other.startsWith(joined))) return 3;
  if (name.includes(joined)) return 4;
  return ` ${doc.toLowerCase()}`.includes(` ${typed}`) ? 5 : Infinity;
}

/** The tile that an arrow key goes to in a grid of rows: the next one, or the nearest one of the next row.
 * @param {string} key @param {number} at @param {{ x: number, y: number }[]} tiles @returns {number} */
export function nextInGrid(key, at, tiles) {
  if (key === "ArrowRight") return Math.min(at + 1, tiles.length - 1);
  if (key === "ArrowLeft") return Math.max(at - 1, 0);
  const [here, way] = [tiles[at], key === "ArrowDown" ? 1 : -1];
  const beyond = tiles.filter(({ y }) => way * (y - here.y) > 1);
  const row = Math.min(...beyond.map(({ y }) => way * y)); // the nearest row
  const best = beyond.filter(({ y }) => way * y - row < 1).sort((a, b) => Math.abs(a.x - here.x) - Math.abs(b.x - here.x))[0];
  return best ? tiles.indexOf(best) : at;
}
