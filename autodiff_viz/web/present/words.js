// @ts-check
// Write the little Markdown that tours and questions have as elements.

import { html } from "../base/dom.js";
import { paragraphsIn, piecesIn } from "../tour/words.js";

const TAGS = { code: "code", bold: "b", italic: "i" };

/** @param {string} text */
export const paragraphs = (text) =>
  paragraphsIn(text).map((part) => html("p", {}, ...worded(part)));

/** The words of one paragraph; a link is its words alone. @param {string} text @returns {(Node | string)[]} */
export const worded = (text) =>
  piecesIn(text).map(({ kind, text: words }) =>
    kind === "text" || kind === "link" ? words : html(TAGS[kind], {}, words),
  );
