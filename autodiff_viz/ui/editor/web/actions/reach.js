// @ts-check
// Navigate the canvas by keyboard: focus nodes, extend the selection, step along wires, rename.

import { editConstant, editName, editValue } from "../popovers/field.js";
import { seenAs } from "../state/fold.js";
import { neighbour } from "../draw/geometry.js";
import { collapse, groupOf, renameGroup } from "./groups.js";
import { dropWire } from "./keywire.js";
import { spokenWire, wiresAt } from "../draw/screen_reader/reading.js";
import { openRegion } from "../popovers/regionpop.js";
import { revealing, say } from "../draw/stage.js";
import { wireId } from "../draw/wires/wires.js";
import { showPanel } from "../../../workbench/web/panels.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Wire} Wire */

/** Move the focus to the next node and add that node to the selection.
 * @param {Editor} editor @param {string | null} focused @param {Point} direction */
export function extend(editor, focused, direction) {
  const here = editor.node(focused ?? seenAs(editor.seen, [...editor.selection].at(-1) ?? ""));
  const next = here && neighbour(editor.seen.nodes, here, direction);
  if (!here || !next) return;
  editor.select([...editor.selection, here.id, next.id]);
  focusNode(editor, next.id);
  say(editor.stage, `${editor.selection.size} nodes selected`);
}

/** @param {Editor} editor @param {string} id */
export function focusNode(editor, id) {
  const node = editor.node(id);
  if (!node) return;
  editor.stage.host.classList.add("by-keys");
  const view = revealing(editor.stage, node);
  if (view) editor.look(view);
  editor.stage.cards.get(id)?.root.focus({ preventScroll: true });
}

/** The wire before or after this one, at the node from which the wires were entered.
 * @param {Editor} editor @param {string | null} id @param {string | null} wire @param {1 | -1} step */
export function stepAlong(editor, id, wire, step) {
  const at = seenAs(editor.seen, id ?? bases.get(editor) ?? editor.single ?? "");
  if (!at) return say(editor.stage, "Go to a node first: the keys , and . step through its wires.");
  bases.set(editor, at);
  const wires = wiresAt(editor.seen.wires, at);
  if (!wires.length) return say(editor.stage, `${at} has no wires.`);
  const now = wires.findIndex((other) => wireId(other) === wire);
  const next = now < 0 ? (step > 0 ? 0 : wires.length - 1) : (now + step + wires.length) % wires.length;
  focusWire(editor, wires[next]);
}

/** Nodes from which the keyboard has moved on to a wire. @type {WeakMap<Editor, string>} */
const bases = new WeakMap();

/** @param {Editor} editor @param {Wire} wire */
function focusWire(editor, wire) {
  const { root } = editor.stage.strands.get(wireId(wire)) ?? {};
  if (!root) return;
  editor.select([]);
  editor.wire = wireId(wire);
  const label = `${spokenWire(wire, editor.node(wire.to))}. Delete removes it, left and right go to its ends.`;
  for (const [name, value] of Object.entries({ tabindex: "-1", role: "button", "aria-label": label })) root.setAttribute(name, value);
  editor.stage.host.classList.add("by-keys");
  editor.refresh();
  root.focus({ preventScroll: true });
}

/** @param {Editor} editor @param {string} id @param {Point} direction */
export function toEnd(editor, id, [dx, dy]) {
  const wire = editor.stage.strands.get(id)?.wire;
  if (!wire) return;
  const end = dx + dy < 0 ? wire.from : wire.to;
  editor.select([end]);
  focusNode(editor, end);
}

/** Cancel a wire drawn by keyboard on a click, or when the focus leaves.
 * @param {Editor} editor */
export function listenToReach(editor) {
  const { host } = editor.stage;
  host.addEventListener("pointerdown", () => dropWire(editor));
  host.addEventListener("focusout", (event) => host.contains(/** @type {Node | null} */ (event.relatedTarget)) || dropWire(editor));
}

/** Focus the panel of the selected node, which is beside the canvas; on a phone, on the sheet. */
export function showDetails() {
  const panel = /** @type {HTMLElement | null} */ (document.querySelector(".st-key-inspector"));
  if (!panel) return;
  showPanel("node");
  panel.setAttribute("tabindex", "-1");
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  panel.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
  panel.focus({ preventScroll: true });
}

/** Move the focus to the next node in the direction of the arrow.
 * @param {Editor} editor @param {string | null} focused @param {Point} direction */
export function walk(editor, focused, direction) {
  const here = editor.node(focused ?? seenAs(editor.seen, editor.single ?? ""));
  const next = here ? neighbour(editor.seen.nodes, here, direction) : editor.seen.nodes[0];
  if (next) focusNode(editor, next.id);
}

/** Enter selects a node; a second time, it opens a collapsed group. On a tab, it collapses the group or opens the
 * region's settings.
 * @param {Editor} editor @param {string} id @param {string | null} frame whose tab it is */
export function enter(editor, id, frame) {
  if (frame) return editor.shown.groups.some(({ name }) => name === frame) ? collapse(editor, frame, true) : openRegion(editor, frame);
  const group = editor.isSelected(id) && editor.node(id)?.group;
  if (group) collapse(editor, group.name, false);
  else editor.select([id]);
}

/** Rename the group whose tab has the focus, else the selected group, else the selected node.
 * @param {Editor} editor @param {string | null} frame */
export function rename(editor, frame) {
  if (editor.shown.groups.some(({ name }) => name === frame)) return renameGroup(editor, frame ?? "");
  const [card] = editor.chosen;
  const group = groupOf(editor);
  if (group && (card?.group || !editor.single)) renameGroup(editor, group.name);
  else if (editor.single) editName(editor, editor.single);
}

/** @param {Editor} editor */
export function editFirstConstant(editor) {
  if (editor.single && editor.node(editor.single)?.isInput) return editValue(editor, editor.single);
  const slot = editor.node(editor.single)?.slots.findIndex(({ wired }) => !wired) ?? -1;
  if (editor.single && slot >= 0) editConstant(editor, editor.single, slot);
}
