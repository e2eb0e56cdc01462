// @ts-check
// Show the element of a tensor under the pointer, with its index: on the heat-maps of the selected node,
// whose numbers Python has sent, and where a cell stands for one element.

import { html, setText } from "../../base/dom.js";
import { scalar } from "../../base/numbers.js";
import { toScreen } from "../state/geometry.js";
import { freeBeside } from "../state/beside.js";
import { shownAt } from "./heat_card.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {"value" | "cotangent"} Which  of the two pictures */

const DIGITS = 3;
const APART = 4; // px to the card

/** Index and number of the element at a place of a heat-map. Pure.
 * @param {number[]} numbers row by row @param {number[]} dims of the tensor @param {number} right @param {number} down part of the picture's
 * width and height, from 0 to 1 */
export function elementAt(numbers, dims, right, down) {
  const [rows, columns] = dims.length === 1 ? [1, dims[0]] : dims;
  const at = (/** @type {number} */ part, /** @type {number} */ count) =>
    Math.min(Math.max(Math.floor(part * count), 0), count - 1);
  const [row, column] = [at(down, rows), at(right, columns)];
  const number = numbers[row * columns + column];
  return `[${dims.length === 1 ? column : `${row}, ${column}`}] = ${number === undefined ? "?" : scalar(number, DIGITS)}`;
}

/** @param {Editor} editor */
export function showElementTips(editor) {
  const { host, surface } = editor.stage;
  const tip = html("div", { class: "element-tip", "aria-hidden": "true" }); // the inspector's table has the numbers in words
  tip.hidden = true;
  host.append(tip);
  let seen = editor.stage.view; // in which the tip has been placed
  surface.addEventListener("pointermove", (event) => {
    const said = host.dataset.scrub || event.buttons ? null : textAt(editor, event);
    tip.hidden = !said;
    const { view, obstacles } = editor.stage;
    if (!said || (tip.textContent === said.text && seen === view)) return;
    seen = view;
    setText(tip, said.text);
    const size = { w: tip.offsetWidth / view.k, h: tip.offsetHeight / view.k };
    const { x, y } = freeBeside(said.node, size, obstacles, () => 0, null, APART / view.k);
    const [left, top] = toScreen(view, [x, y]);
    tip.style.transform = `translate(${left.toFixed(0)}px, ${top.toFixed(0)}px)`;
  });
  surface.addEventListener("pointerleave", () => (tip.hidden = true));
}

/** The element under the pointer, and its node. @param {Editor} editor @param {{ clientX: number, clientY: number, target: EventTarget | null }} event */
function textAt({ drawing, stage }, { clientX: x, clientY: y, target }) {
  const id = /** @type {Element} */ (target).closest("[data-id]")?.getAttribute("data-id") ?? "";
  const { node } = stage.cards.get(id) ?? {};
  const { elements, name } = drawing.node ?? {};
  if (name !== id || !elements || !node) return null;
  for (const which of /** @type {Which[]} */ (["value", "cotangent"])) {
    const box = stage.cards.get(id)?.numbers?.pictures?.[which].frame.getBoundingClientRect();
    const numbers = elements[shownAt(node, which)];
    if (box && numbers && x >= box.left && x < box.right && y >= box.top && y < box.bottom)
      return {
        node,
        text: elementAt(
          numbers,
          node.dims ?? [],
          (x - box.left) / box.width,
          (y - box.top) / box.height,
        ),
      };
  }
  return null;
}
