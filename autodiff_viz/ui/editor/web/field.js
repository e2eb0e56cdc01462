// @ts-check
// A text field laid over the canvas, for a constant or a name.

import { html } from "./dom.js";
import { slotPoint, toScreen } from "./geometry.js";

/** @typedef {import("./editor.js").Editor} Editor */

/** @param {Editor} editor @param {string} id @param {number} slot */
export function editConstant(editor, id, slot) {
  const node = editor.node(id);
  if (!node || !node.slots[slot] || node.slots[slot].wired) return;
  const { constant, full, label } = node.slots[slot];
  const [x, y] = slotPoint(node, slot);
  openField(editor, [x - 70, y - 14], 64, full ?? constant ?? "", `Constant in slot ${label} of ${id}`, (text) =>
    editor.send({ kind: "constant", node: id, slot, text }));
}

/** @param {Editor} editor @param {string} id */
export function editName(editor, id) {
  const node = editor.node(id);
  if (!node) return;
  openField(editor, [node.x, node.y + node.h / 2 + 2], node.w * 0.6, id, `Name of ${id}`, (name) =>
    editor.send({ kind: "rename", node: id, name }));
}

/** @param {Editor} editor @param {import("./types.js").Point} at world pixels @param {number} width world pixels
 * @param {string} text @param {string} label @param {(text: string) => void} commit */
function openField({ stage }, at, width, text, label, commit) {
  const [x, y] = toScreen(stage.view, at);
  const field = /** @type {HTMLInputElement} */ (html("input", {
    class: "inline", type: "text", "aria-label": label, spellcheck: "false", autocomplete: "off",
  }));
  field.value = text;
  field.style.cssText = `left:${x}px;top:${y}px;width:${Math.max(width * stage.view.k, 72)}px`;
  let open = true;
  const finish = (/** @type {boolean} */ keepIt) => {
    if (!open) return;
    open = false;
    field.remove();
    const typed = field.value.trim();
    if (keepIt && typed && typed !== text) commit(typed);
  };
  field.addEventListener("blur", () => finish(true));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    finish(event.key === "Enter");
    stage.surface.focus();
  });
  stage.host.append(field);
  field.focus();
  field.select();
}
