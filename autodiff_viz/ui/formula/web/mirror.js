// @ts-check
// Draw a coloured copy of the text, under the transparent text area into which the user types.

import { html } from "../../web/dom.js";
import { segments } from "./marks.js";
import { tokens } from "./tokens.js";

/** @typedef {import("./types.js").Range} Range */
/** @typedef {{ lines: string[], ranges: Map<number, Range[]>, kinds: Map<string, string> }} Picture lines count from 0 */

/** Update the mirror's lines, touching only those that changed.
 * @param {HTMLElement} mirror @param {Picture} picture */
export function paint(mirror, { lines, ranges, kinds }) {
  while (mirror.children.length > lines.length) mirror.lastElementChild?.remove();
  while (mirror.children.length < lines.length) {
    mirror.append(html("div", { "data-number": mirror.children.length + 1 }));
  }
  lines.forEach((line, i) => {
    const row = /** @type {HTMLElement} */ (mirror.children[i]);
    const marked = ranges.get(i) ?? [];
    const sign = line + JSON.stringify(marked);
    if (signs.get(row) === sign) return;
    signs.set(row, sign);
    const chosen = marked.find(({ kind }) => kind === "chosen");
    row.className = `line${chosen ? " here" : ""}${marked.some(({ kind }) => kind === "lit") ? " lit-line" : ""}${chosen && chosen.start > line.search(/\S/) ? " partly" : ""}`;
    row.replaceChildren(...segments(line, tokens(line, kinds), marked).map(piece));
  });
}

/** The content that a row shows. @type {WeakMap<Element, string>} */
const signs = new WeakMap();

/** @param {import("./marks.js").Segment} segment */
const piece = ({ text, classes, message }) => (classes ? html("span", { class: classes, "data-message": message }, text) : text);

/** The message under a point of the screen, with the box of its underline.
 * @param {HTMLElement} mirror @param {number} x @param {number} y */
export function messageAt(mirror, x, y) {
  for (const span of mirror.querySelectorAll("[data-message]")) {
    for (const box of span.getClientRects()) {
      if (x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) {
        return { text: /** @type {HTMLElement} */ (span).dataset.message ?? "", box };
      }
    }
  }
  return null;
}

/** The line and the offset of the character under a point of the screen; null for none.
 * @param {HTMLElement} mirror @param {number} x @param {number} y */
export function unitAt(mirror, x, y) {
  const over = /** @type {Document | ShadowRoot} */ (mirror.getRootNode()).elementsFromPoint(x, y);
  const row = over.map((element) => element.closest(".line")).find((one) => one && one.parentElement === mirror);
  if (!row) return null;
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const isOver = () => [...range.getClientRects()].some(({ left, right, top, bottom }) => x >= left && x < right && y >= top && y <= bottom);
  for (let node = walker.nextNode(), before = 0; node; before += node.textContent?.length ?? 0, node = walker.nextNode()) {
    range.selectNodeContents(node);
    if (!isOver()) continue; // of a long line, one piece is measured by the character
    for (let unit = 0; unit < (node.textContent?.length ?? 0); unit++) {
      range.setStart(node, unit);
      range.setEnd(node, unit + 1);
      if (isOver()) return { line: Number(/** @type {HTMLElement} */ (row).dataset.number) - 1, unit: before + unit };
    }
  }
  return null;
}

/** The place in the text nearest to a point of the screen. @param {HTMLElement} mirror @param {number} x @param {number} y */
export function placeAt(mirror, x, y) {
  const rows = [...mirror.children];
  const seen = (/** @type {Element} */ row) => !row.hasAttribute("hidden");
  const found = rows.findIndex((row) => seen(row) && row.getBoundingClientRect().bottom > y);
  const line = found < 0 ? rows.findLastIndex(seen) : found;
  const { length } = rows[line].textContent ?? "";
  const boxes = Array.from({ length }, (_, unit) => boxOf(mirror, line, unit));
  const unit = boxes.findIndex(({ top, bottom, left, width }) => y >= top && y <= bottom && x < left + width / 2);
  const past = boxes.findLastIndex(({ top, bottom, left, width }) => y >= top && y <= bottom && x >= left + width / 2);
  return { line, unit: unit < 0 ? (past < 0 ? length : past + 1) : unit };
}

/** The box of a character on the screen. @param {HTMLElement} mirror @param {number} line @param {number} unit */
export function boxOf(mirror, line, unit) {
  const row = mirror.children[line];
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let left = unit;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0;
    if (left < length) {
      range.setStart(node, left);
      range.setEnd(node, left + 1);
      return range.getBoundingClientRect();
    }
    left -= length;
  }
  return row.getBoundingClientRect();
}
