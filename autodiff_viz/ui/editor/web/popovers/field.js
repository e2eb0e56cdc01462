// @ts-check
// Open a text field over the canvas, for a constant or a name.

import { html } from "../../../web/dom.js";
import { clamp, slotPoint, toScreen } from "../draw/geometry.js";
import { spokenLabel } from "../draw/screen_reader/reading.js";
import { textWidth } from "../draw/text/measure.js";
import { whenRefused } from "./notice.js";
import { say } from "../draw/stage.js";

/** @typedef {import("../editor.js").Editor} Editor */

/** @param {Editor} editor @param {string} id @param {number} slot */
export function editConstant(editor, id, slot) {
  const node = editor.node(id);
  if (!node || !node.slots[slot] || node.slots[slot].wired) return;
  const { constant, constantFull, label } = node.slots[slot];
  const [x, y] = slotPoint(node, slot);
  openField(editor, [x - 70, y - 14], 64, constantFull ?? constant ?? "", `Constant in ${spokenLabel(label)} of ${id}`, (text) =>
    editor.send({ kind: "constant", node: id, slot, text }));
}

/** Edit the value of an input. @param {Editor} editor @param {string} id */
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

/** Open a text field. A text that is refused is opened again, with the reason below it.
 * @param {Editor} editor @param {import("../types.js").Point} at world pixels @param {number} width world pixels
 * @param {string} text @param {string} label @param {(text: string) => void} commit sends one edit
 * @param {{ typed: string, reason: string } | null} [refused] what was typed before, and why it was refused */
export function openField(editor, at, width, text, label, commit, refused = null) {
  const { stage } = editor;
  const field = /** @type {HTMLInputElement} */ (html("input", {
    class: `inline${refused ? " refused" : ""}`, type: "text", "aria-label": label, spellcheck: "false", autocomplete: "off",
    "aria-invalid": refused && "true",
  }));
  field.value = refused?.typed ?? text;
  const error = refused && html("div", { class: "inline-error", role: "alert" }, refused.reason);
  let open = true;
  const finish = (/** @type {boolean} */ keepIt) => {
    if (!open) return;
    open = false;
    field.remove();
    error?.remove();
    const typed = field.value.trim();
    if (!keepIt || !typed || typed === (refused?.typed ?? text)) return;
    commit(typed);
    whenRefused(editor, (reason) => openField(editor, at, width, text, label, commit, { typed, reason }));
  };
  field.addEventListener("blur", () => finish(true));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    finish(event.key === "Enter");
    stage.surface.focus();
  });
  stage.host.append(field, ...(error ? [error] : []));
  lay(stage, field, error, at, width);
  field.focus();
  if (!refused) field.select();
}

/** @param {import("../draw/stage.js").Stage} stage @param {HTMLInputElement} field @param {HTMLElement | null} error
 * @param {import("../types.js").Point} at world pixels @param {number} width world pixels */
function lay({ host, view }, field, error, at, width) {
  const room = host.clientWidth;
  const [x, y] = toScreen(view, at);
  const wide = Math.min(Math.max(width * view.k, 72, textWidth(field.value, 14) + 28), room - 16);
  const top = clamp(y, 8, host.clientHeight - 44);
  field.style.cssText = `left:${clamp(x, 8, room - wide - 8)}px;top:${top}px;width:${wide}px`;
  if (!error) return;
  const below = top + 36 + error.offsetHeight < host.clientHeight - 8;
  error.style.left = `${clamp(x, 8, Math.max(room - error.offsetWidth - 8, 8))}px`;
  error.style.top = `${below ? top + 36 : top - error.offsetHeight - 6}px`;
}
