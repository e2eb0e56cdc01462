// @ts-check
// Find places of the text that Python has read last without a mistake: of the caret, of a point of the screen, and on the screen.

import { placeOf } from "./caret.js";
import { fromFolded, reading } from "./fold.js";
import { lineMap } from "./marks.js";
import { unitAt } from "./mirror.js";

/** @typedef {import("./editor.js").Formula} Formula */
/** @typedef {import("./places.js").Spot} Spot */

/** Whether the keyboard writes in the formula. @param {Formula} formula */
export const hasCaret = ({ area }) => /** @type {Document | ShadowRoot} */ (area.getRootNode()).activeElement === area;

/** The ends of the selection; null in a line that has changed since Python read it.
 * @param {Formula} formula @param {string[]} known the lines that it read @returns {[Spot, Spot] | null} */
export function spotsOf({ area }, known) {
  const read = lineMap(area.value.split("\n"), known);
  const [from, to] = [area.selectionStart, area.selectionEnd].map((offset) => asRead(placeOf(area.value, offset), read));
  return from && to && [from, to];
}

/** The place of a character under a point of the screen; null for none.
 * @param {Formula} formula @param {string[]} known the lines that Python read @param {number} x @param {number} y */
export function spotAt({ area, mirror, reads }, known, x, y) {
  const found = unitAt(mirror, x, y);
  const lines = area.value.split("\n");
  const place = found && reads ? fromFolded(reading(lines), found.line, found.unit) : found;
  return place && asRead(place, lineMap(lines, known));
}

/** @param {Spot} spot @param {(line: number) => number} read @returns {Spot | null} */
function asRead({ line, unit }, read) {
  const now = read(line);
  return now < 0 ? null : { line: now, unit };
}

/** Scroll the text to the first chosen node, without scrolling the page; false if the text is not on view.
 * @param {Formula} formula */
export function showChosen({ area, box, mirror, nodes: { chosen: [first], known } }) {
  const line = first ? lineMap(known, area.value.split("\n"))(first.line) : -1;
  const row = /** @type {HTMLElement | undefined} */ (mirror.children[line]);
  if (!row) return true;
  if (!box.clientHeight) return false;
  const [outer, inner] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  box.scrollTop += Math.min(inner.top - outer.top, 0) + Math.max(inner.bottom - outer.bottom, 0);
  return true;
}
