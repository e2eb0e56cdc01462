// @ts-check
// Read the little Markdown that texts of a tour have: paragraphs, code, bold, italics and links.

import { html } from "../base/dom.js";

/** @typedef {{ kind: "text" | "code" | "bold" | "italic" | "link", text: string, href?: string }} Piece */

const MARKS =
  /\x60([^\x60]+)\x60|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\((https?:\/\/[^\s()]+(?:\([^\s()]*\))?[^\s()]*)\)/g;

/** The pieces of a paragraph. Pure. @param {string} text @returns {Piece[]} */
export function piecesIn(text) {
  /** @type {Piece[]} */
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    if (match.index > end) pieces.push({ kind: "text", text: text.slice(end, match.index) });
    const [all, code, bold, italic, link, href] = match;
    if (code) pieces.push({ kind: "code", text: code });
    else if (bold) pieces.push({ kind: "bold", text: bold });
    else if (italic) pieces.push({ kind: "italic", text: italic });
    else pieces.push({ kind: "link", text: link, href });
    end = match.index + all.length;
  }
  return end < text.length ? [...pieces, { kind: "text", text: text.slice(end) }] : pieces;
}

/** The paragraphs of a text, which blank lines divide. Pure. @param {string} text */
export const paragraphsIn = (text) =>
  text
    .split(/\n\s*\n/)
    .map((part) => part.trim().replace(/\s*\n\s*/g, " "))
    .filter(Boolean);

/** Words of a tour as elements. @param {string} text */
export const prose = (text) =>
  paragraphsIn(text).map((part) =>
    html(
      "p",
      {},
      ...piecesIn(part).map(({ kind, text: words, href }) =>
        kind === "code"
          ? html("code", {}, words)
          : kind === "bold"
            ? html("strong", {}, words)
            : kind === "italic"
              ? html("em", {}, words)
              : kind === "link"
                ? html("a", { href, target: "_blank", rel: "noopener noreferrer" }, words)
                : words,
      ),
    ),
  );

/** Where a step that is dragged to height `y` goes: its place among the others' middles. Pure.
 * @param {number[]} middles of all steps, in their order @param {number} from its place @param {number} y */
export const placeAt = (middles, from, y) =>
  middles.filter((middle, i) => i !== from && middle < y).length;
