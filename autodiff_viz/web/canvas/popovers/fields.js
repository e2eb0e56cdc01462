// @ts-check
// Edit a text in a field over the canvas: a constant, a name, or the parameter of a rule.

import { RULES } from "../../base/constants.js";
import { html } from "../../base/dom.js";
import { textWidth } from "../../base/numbers.js";
import { mayEdit } from "../../embed/gate.js";
import { spokenLabel } from "../draw/screen_reader.js";
import { showStatus } from "../draw/stage.js";
import { clamp, slotPoint, toScreen } from "../state/geometry.js";
import { downstream } from "../state/reachability.js";
import { whenRefused } from "./notice.js";
import { closePopover, keepInside } from "./popover.js";

// The field.

/** @typedef {import("../editor.js").Editor} Editor */

/** @param {Editor} editor @param {string} id @param {number} slot */
export function editConstant(editor, id, slot) {
  const node = editor.node(id);
  if (!node || !node.slots[slot] || node.slots[slot].wired || !mayEdit(editor, "constant")) return;
  const { constant, constantFull, label } = node.slots[slot];
  const [x, y] = slotPoint(node, slot);
  openField(
    editor,
    [x - 70, y - 14],
    64,
    constantFull ?? constant ?? "",
    `Constant in ${spokenLabel(label)} of ${id}`,
    (text) => editor.send({ kind: "constant", node: id, slot, text }),
  );
}

/** Edit the value of an input. @param {Editor} editor @param {string} id */
export function editValue(editor, id) {
  const node = editor.node(id);
  if (!node?.isInput || !mayEdit(editor, "constant")) return;
  if (node.literal === undefined)
    return showStatus(
      editor.stage,
      `Edit ${id} in the formula: it is random, or too long for the canvas.`,
    );
  openField(
    editor,
    [node.x + 8, node.y + node.h / 2 - 8],
    node.w - 16,
    node.literal,
    `Value of ${id}`,
    (text) => editor.send({ kind: "constant", node: id, slot: null, text }),
  );
}

/** @param {Editor} editor @param {string} id */
export function editName(editor, id) {
  const node = editor.node(id);
  if (!node || !mayEdit(editor, "rename")) return;
  openField(editor, [node.x + 30, node.y + 4], node.w - 30, id, `Name of ${id}`, (name) =>
    editor.send({ kind: "rename", node: id, name }),
  );
}

/** Open a text field. A text that is refused is opened again, with the reason below it.
 * @param {Editor} editor @param {import("../../types.js").Point} at world pixels @param {number} width world pixels
 * @param {string} text @param {string} label @param {(text: string) => void} commit sends one edit
 * @param {{ typed: string, reason: string } | null} [refused] what was typed before, and why it was refused */
export function openField(editor, at, width, text, label, commit, refused = null) {
  const { stage } = editor;
  const field = /** @type {HTMLInputElement} */ (
    html("input", {
      class: `inline${refused ? " refused" : ""}`,
      type: "text",
      "aria-label": label,
      spellcheck: "false",
      autocomplete: "off",
      "aria-invalid": refused && "true",
    })
  );
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
    whenRefused(editor, (reason) =>
      openField(editor, at, width, text, label, commit, { typed, reason }),
    );
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
 * @param {import("../../types.js").Point} at world pixels @param {number} width world pixels */
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

/** @typedef {import("../../types.js").GraphNode} GraphNode */

const WIDE = 240; // px of the field

/** @param {Editor} editor @param {string | null} id */
export function editRule(editor, id) {
  const node = editor.node(id);
  if (!node || !mayEdit(editor, "function")) return;
  const { alternative, asks } = RULES[node.rule];
  if (alternative) return openAlternatives(editor, node);
  if (node.ruleFull === undefined) return;
  openField(editor, [node.x, node.y - 20], WIDE, node.ruleFull, `${asks} at ${node.id}`, (text) =>
    editor.send({ kind: "function", node: node.id, text }),
  );
}

/** Choose the node that receives the whole cotangent: any node that this one does not feed.
 * @param {Editor} editor @param {GraphNode} node */
function openAlternatives(editor, node) {
  closePopover(editor);
  const fed = downstream(editor.shown.wires, node.id);
  const slot = node.slots.length - 1;
  const present = editor.shown.wires.find(
    (wire) => wire.to === node.id && wire.slot === slot,
  )?.from;
  const options = editor.shown.nodes
    .filter(({ id }) => !fed.has(id))
    .map(({ id }) => html("option", { value: id, selected: id === present }, id));
  const choice = /** @type {HTMLSelectElement} */ (
    html("select", {}, present ? "" : html("option", { value: "" }, "choose a node"), ...options)
  );
  choice.addEventListener(
    "change",
    () => choice.value && editor.send({ kind: "connect", from: choice.value, to: node.id, slot }),
  );
  const root = html(
    "div",
    {
      class: "popover region-pop rule-pop",
      role: "dialog",
      "aria-label": `${RULES[node.rule].asks} of ${node.id}`,
    },
    html("label", {}, html("span", {}, "Backward as"), choice),
    html("p", {}, "Or drag a wire to the slot named “backward as”."),
  );
  root.addEventListener("keydown", (event) => {
    event.stopPropagation(); // keys must not reach the canvas
    if (event.key === "Escape" || event.key === "Enter") closePopover(editor);
  });
  const { stage } = editor;
  stage.host.append(root);
  const [x, y] = toScreen(stage.view, [node.x, node.y]);
  keepInside(stage.host, root, [x, y + 12]);
  choice.focus();
}
