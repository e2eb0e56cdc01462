// @ts-check
// Write the little Markdown that lessons and questions have: paragraphs, code, bold and slanted words.

import { html } from "../base/dom.js";

const MARKS = /(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)/;

/** The little Markdown that lessons have: paragraphs, code, bold and slanted words. @param {string} text */
export const paragraphs = (text) =>
  text
    .split(/\n\s*\n/)
    .filter((part) => part.trim())
    .map((part) => html("p", {}, ...worded(part)));

/** The words of one paragraph. @param {string} text @returns {(Node | string)[]} */
export const worded = (text) => text.split(MARKS).map(marked);

/** @param {string} piece */
function marked(piece) {
  if (piece.startsWith("`") && piece.length > 2) return html("code", {}, piece.slice(1, -1));
  if (piece.startsWith("**") && piece.length > 4) return html("b", {}, piece.slice(2, -2));
  if (piece.startsWith("*") && piece.length > 2) return html("i", {}, piece.slice(1, -1));
  return piece;
}
