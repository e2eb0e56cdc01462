// @ts-check
// A text field laid over the canvas, for a constant or a name.

import { html } from "../../web/dom.js";
import { clamp, slotPoint, toScreen } from "./geometry.js";
import { textWidth } from "./measure.js";
import { say } from "./stage.js";

/** @typedef {import("./editor.js").Editor} Editor */

/** @param {Editor} editor @param {string} id @param {number} slot */
export function editConstant(editor, id, slot) {
  const node = editor.node(id);
  if (!node || !node.slots[slot] || node.slots[slot].wired) return;
  const { constant, constantFull, label } = node.slots[slot];
  const [x, y] = slotPoint(node, slot);
  openField(editor, [x - 70, y - 14], 64, constantFull ?? constant ?? "", `Constant in slot ${label} of ${id}`, (text) =>
    editor.send({ kind: "constant", node: id, slot, text }));
}

/** The value of an input. @param {Editor} editor @param {string} id */
export function editValue(editor, id) {
  const node = editor.node(id);
  if (!node?.isInput) return;
  if (node.literal === undefined) return say(editor.stage, `Edit ${id} in the formula: it is random, or too long for the canvas.`);
  openField(editor, [node.x + 8, node.y + node.h / 2 - 8], node.w - 16, node.literal, `Value of ${id}`, (text) =>
    editor.send({ kind: "constant", node: id, slot: null, text }));
}

/** @param {Editor} editor @param {string} id */
export function editName(editor, id) {
  const node = editor.node(id);
  if (!node) return;
  openField(editor, [node.x + 30, node.y + 4], node.w - 30, id, `Name of ${id}`, (name) =>
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
  const wide = Math.min(Math.max(width * stage.view.k, 72, textWidth(text, 14) + 28), stage.host.clientWidth - 16);
  field.style.cssText = `left:${clamp(x, 8, stage.host.clientWidth - wide - 8)}px;top:${y}px;width:${wide}px`;
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
