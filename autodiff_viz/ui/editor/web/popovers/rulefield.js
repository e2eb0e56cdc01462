// @ts-check
// Edit the parameter of a rule: the function of a rewrite or a pullback, or the node of `backward_as`.

import { RULES } from "../../../web/constants.js";
import { html } from "../../../web/dom.js";
import { openField } from "./field.js";
import { toScreen } from "../draw/geometry.js";
import { closePopover, keepInside } from "./popover.js";
import { downstream } from "../state/loops.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").GraphNode} GraphNode */

const WIDE = 240; // px of the field

/** @param {Editor} editor @param {string | null} id */
export function editRule(editor, id) {
  const node = editor.node(id);
  if (!node) return;
  const { alternative, asks } = RULES[node.rule];
  if (alternative) return openAlternatives(editor, node);
  if (node.ruleFull === undefined) return;
  openField(editor, [node.x, node.y - 20], WIDE, node.ruleFull, `${asks} at ${node.id}`, (text) =>
    editor.send({ kind: "function", node: node.id, text }));
}

/** Choose the node that receives the whole cotangent: any node that this one does not feed.
 * @param {Editor} editor @param {GraphNode} node */
function openAlternatives(editor, node) {
  closePopover(editor);
  const fed = downstream(editor.shown.wires, node.id);
  const slot = node.slots.length - 1;
  const present = editor.shown.wires.find((wire) => wire.to === node.id && wire.slot === slot)?.from;
  const options = editor.shown.nodes.filter(({ id }) => !fed.has(id)).map(({ id }) => html("option", { value: id, selected: id === present }, id));
  const choice = /** @type {HTMLSelectElement} */ (html("select", {}, present ? "" : html("option", { value: "" }, "choose a node"), ...options));
  choice.addEventListener("change", () => choice.value && editor.send({ kind: "connect", from: choice.value, to: node.id, slot }));
  const root = html("div", { class: "popover region-pop rule-pop", role: "dialog", "aria-label": `${RULES[node.rule].asks} of ${node.id}` },
    html("label", {}, html("span", {}, "Backward as"), choice),
    html("p", {}, "Or drag a wire to the slot named “backward as”."));
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
