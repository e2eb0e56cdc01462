// @ts-check
// Tokenise a formula line, for colours. Pure.

/** @typedef {import("./types.js").Token} Token */

const TOKEN =
  /(?<comment>#.*)|(?<string>"[^"]*"?|'[^']*'?)|(?<number>(?<!\w)(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<word>[A-Za-z_]\w*)/g;

export const KEYWORDS = new Set(["with", "for", "in", "def", "return", "lambda"]);
const BLOCKS = new Set(["checkpoint", "group", "branches"]);

/** The coloured tokens of `line`, in order. A called word has the kind that `kinds` gives it.
 * @param {string} line @param {Map<string, string>} kinds @returns {Token[]} */
export function tokens(line, kinds) {
  const found = [];
  let header = false; // between `lambda` and its colon
  let last = 0;
  for (const match of line.matchAll(TOKEN)) {
    const groups = /** @type {Record<string, string>} */ (match.groups);
    const start = match.index, end = start + match[0].length;
    if (line.slice(last, start).includes(":")) header = false;
    last = end;
    const kind = groups.word ? wordKind(groups.word, line.slice(end), kinds, header) : kindOf(groups);
    if (groups.word === "lambda") header = true;
    if (kind) found.push({ start, end, kind });
  }
  return found;
}

/** @param {Record<string, string>} groups */
const kindOf = (groups) => ["comment", "string", "number"].find((kind) => groups[kind]);

/** @param {string} word @param {string} rest @param {Map<string, string>} kinds @param {boolean} header */
function wordKind(word, rest, kinds, header) {
  if (KEYWORDS.has(word)) return word === "lambda" ? "lambda" : "keyword";
  if (header) return "argument";
  if (!/^\s*\(/.test(rest)) return undefined;
  return word === "stop_gradient" ? "stop" : BLOCKS.has(word) ? "keyword" : kinds.get(word);
}
