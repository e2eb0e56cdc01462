// @ts-check
// Put figures into the cells of a notebook, each in a frame without an origin of its own. The entry point of
// the script that one of the cells brings for all; standalone/page.py writes it.

import { unpacked } from "./source.js";

const SANDBOX = "allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals";
const STYLE = `.av-cell iframe { width: 100%; height: 460px; border: 0; }
.av-cell.av-live > :not(iframe) { display: none; }
@media print { .av-cell.av-live > :not(iframe) { display: revert; } .av-cell iframe { display: none; } }`;

/**
 * Return the function that shows a figure in an element, in the place of its picture.
 *
 * @param {string} packed the file of a figure in pieces: a text, and the name of what follows it, if each
 *   figure has its own
 */
export default function cells(packed) {
  const page = unpacked(packed);
  const style = document.createElement("style");
  style.textContent = STYLE;
  document.head.append(style);
  return async (/** @type {HTMLElement} */ cell, /** @type {Record<string, string>} */ own) => {
    const pieces = /** @type {[string, string][]} */ (await page);
    const frame = document.createElement("iframe");
    frame.title = `${own.title}: interactive figure`;
    frame.setAttribute("sandbox", SANDBOX);
    frame.loading = "lazy";
    frame.srcdoc = pieces.map(([text, name]) => text + (own[name] ?? "")).join("");
    cell.prepend(frame);
    cell.classList.add("av-live");
  };
}
