// @ts-check
// Navigate the canvas by keyboard: focus nodes, extend the selection, step along wires, wire nodes, rename.

import { svg } from "../../base/dom.js";
import { showPanel } from "../../dock/panels.js";
import { inOrder, labelWire, spokenLabel, wiresAt } from "../draw/screen_reader.js";
import { viewCentredOn, showStatus } from "../draw/stage.js";
import { wireId } from "../draw/wires.js";
import { editConstant, editName, editValue } from "../popovers/fields.js";
import { openRegion } from "../popovers/region.js";
import { visibleCard } from "../state/fold.js";
import { neighbour, outputPoint, pathOf, slotPoint, wireCurve } from "../state/geometry.js";
import { wireAt } from "../state/moved.js";
import { upstream } from "../state/reachability.js";
import { loopReason, reasonAgainst } from "../state/shapes.js";
import { collapse, groupOf, renameGroup } from "./groups.js";

// Wiring: `w` starts a wire at the focused node, the arrows choose a slot, Enter connects.

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Wire} Wire */
/**
 * @typedef {object} Place
 * @property {GraphNode} node
 * @property {number} slot
 * @property {string} against why the wire cannot go there, "" where it may
 */
/**
 * @typedef {object} Hand
 * @property {GraphNode} from
 * @property {Place[]} places
 * @property {number} at
 * @property {Element} line
 * @property {Element} halo
 */

/** @type {WeakMap<Editor, Hand>} */
const hands = new WeakMap();

/** Slots that the output of `from` is not wired to, in reading order: first the allowed ones, then the others, with
 * the reason against each.
 * @param {import("../../types.js").Drawing} drawing @param {GraphNode} from
 * @param {Map<string, import("../../types.js").PaletteOp>} [ops] @returns {Place[]} */
export function placesFor(drawing, from, ops = new Map()) {
  const { nodes, wires } = drawing;
  const before = upstream(wires, from.id);
  const there = new Set(
    wires.filter((wire) => wire.from === from.id).map(({ to, slot }) => `${to}:${slot}`),
  );
  const against = (/** @type {string} */ to, /** @type {number} */ slot) =>
    before.has(to) ? loopReason(from.id, to) : reasonAgainst(drawing, ops, from.id, { to, slot });
  const places = inOrder(nodes)
    .filter(({ group }) => !group)
    .flatMap((node) =>
      node.slots.map((_, slot) => ({ node, slot, against: against(node.id, slot) })),
    )
    .filter(({ node, slot }) => !there.has(`${node.id}:${slot}`));
  return [...places.filter((place) => !place.against), ...places.filter((place) => place.against)];
}

/** The slot to begin with: the first empty one, else the first.
 * @param {Place[]} places */
export const firstSlot = (places) =>
  Math.max(
    places.findIndex(
      ({ node, slot, against }) =>
        !against && !node.slots[slot].wired && node.slots[slot].constant === null,
    ),
    0,
  );

/** Screen reader text of a slot.
 * @param {Place} place @param {Wire[]} wires */
export function spokenSlot({ node, slot, against }, wires) {
  const { label, constant, wired } = node.slots[slot];
  const source = wires.find((wire) => wire.to === node.id && wire.slot === slot)?.from;
  const state =
    wired && source
      ? `takes the place of ${source}`
      : constant === null
        ? "empty"
        : `takes the place of ${constant}`;
  return `${spokenLabel(label)} of ${node.id}, ${against ? `does not fit. ${against}` : state}`;
}

/** @param {Editor} editor @param {string | null} id */
export function takeWire(editor, id) {
  const from = editor.node(id ?? visibleCard(editor.seen, editor.single ?? ""));
  if (from?.group && from.group.outs.length !== 1)
    return showStatus(
      editor.stage,
      `Open ${from.group.name} first: ${from.group.outs.length || "no"} values leave it.`,
    );
  if (!from) return showStatus(editor.stage, "Go to a node first: the wire begins there.");
  const places = placesFor(editor.seen, from, editor.ops);
  if (!places.some(({ against }) => !against))
    return showStatus(
      editor.stage,
      `No slot can take ${from.id}: every other node already feeds it, or has no slot that fits.`,
    );
  const [line, halo] = [
    svg("path", { class: "preview" }),
    svg("circle", { class: "halo caught", r: 11 }),
  ];
  editor.stage.layers.overlay.append(line, halo);
  hands.set(editor, { from, places, at: 0, line, halo });
  choose(
    editor,
    firstSlot(places),
    `Wire from ${from.id}. Arrows choose a slot, Enter connects, Escape cancels. `,
  );
}

/** Handle a key while a wire is being drawn; false if none is.
 * @param {Editor} editor @param {KeyboardEvent} event */
export function wireKey(editor, event) {
  const hand = hands.get(editor);
  if (!hand) return false;
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (event.key === "Enter") connect(editor, hand);
  else if (event.key === "Escape" || event.key === "Tab") dropWire(editor, "No wire drawn.");
  else if (step) choose(editor, (hand.at + step + hand.places.length) % hand.places.length);
  return true;
}

/** @param {Editor} editor @param {number} at @param {string} [before] */
function choose(editor, at, before = "") {
  const hand = /** @type {Hand} */ (hands.get(editor));
  hand.at = at;
  const { node, slot, against } = hand.places[at];
  const [x, y] = slotPoint(node, slot);
  const view = viewCentredOn(editor.stage, node);
  if (view) editor.look(view);
  hand.line.setAttribute(
    "d",
    pathOf(wireCurve(outputPoint(hand.from), [x, y], [], hand.from.down)),
  );
  hand.line.classList.toggle("loop", Boolean(against));
  hand.halo.classList.toggle("loop", Boolean(against));
  hand.halo.setAttribute("transform", `translate(${x} ${y})`);
  showStatus(
    editor.stage,
    `${before}${at + 1} of ${hand.places.length}: ${spokenSlot(hand.places[at], editor.seen.wires)}`,
  );
}

/** @param {Editor} editor @param {Hand} hand */
function connect(editor, { from, places, at }) {
  const { node, slot, against } = places[at];
  if (against) return showStatus(editor.stage, against); // the wire is still being drawn
  dropWire(editor, `${from.id} wired to ${spokenLabel(node.slots[slot].label)} of ${node.id}.`);
  editor.send({ kind: "connect", from: from.group?.outs[0] ?? from.id, to: node.id, slot });
}

/** Cancel the wire that is being drawn, if there is one.
 * @param {Editor} editor @param {string} reason */
export function dropWire(editor, reason = "") {
  const hand = hands.get(editor);
  if (!hand) return;
  hands.delete(editor);
  hand.line.remove();
  hand.halo.remove();
  if (reason) showStatus(editor.stage, reason);
}

/** @typedef {import("../../types.js").Point} Point */

/** Move the focus to the next node and add that node to the selection.
 * @param {Editor} editor @param {string | null} focused @param {Point} direction */
export function extendSelection(editor, focused, direction) {
  const node = editor.node(focused ?? visibleCard(editor.seen, [...editor.selection].at(-1) ?? ""));
  const next = node && neighbour(editor.seen.nodes, node, direction);
  if (!node || !next) return;
  editor.select([...editor.selection, node.id, next.id]);
  focusNode(editor, next.id);
  showStatus(editor.stage, `${editor.selection.size} nodes selected`);
}

/** @param {Editor} editor @param {string} id */
export function focusNode(editor, id) {
  const node = editor.node(id);
  if (!node) return;
  editor.stage.host.classList.add("by-keys");
  const view = viewCentredOn(editor.stage, node);
  if (view) editor.look(view);
  editor.stage.cards.get(id)?.root.focus({ preventScroll: true });
}

/** The wire before or after this one, at the node from which the wires were entered.
 * @param {Editor} editor @param {string | null} id @param {string | null} wire @param {1 | -1} step */
export function stepAlong(editor, id, wire, step) {
  const at = visibleCard(editor.seen, id ?? bases.get(editor) ?? editor.single ?? "");
  if (!at)
    return showStatus(editor.stage, "Go to a node first: the keys , and . step through its wires.");
  bases.set(editor, at);
  const wires = wiresAt(editor.seen.wires, at);
  if (!wires.length) return showStatus(editor.stage, `${at} has no wires.`);
  const now = wires.findIndex((other) => wireId(other) === wire);
  const next =
    now < 0 ? (step > 0 ? 0 : wires.length - 1) : (now + step + wires.length) % wires.length;
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
  for (const [name, value] of Object.entries({ tabindex: "-1", role: "button" }))
    root.setAttribute(name, value);
  labelWire(editor, root, editor.row ? wireAt(wire, editor.row) : wire);
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
export function listenToKeyboardWire(editor) {
  const { host } = editor.stage;
  host.addEventListener("pointerdown", () => dropWire(editor));
  host.addEventListener(
    "focusout",
    (event) => host.contains(/** @type {Node | null} */ (event.relatedTarget)) || dropWire(editor),
  );
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
export function moveFocus(editor, focused, direction) {
  const node = editor.node(focused ?? visibleCard(editor.seen, editor.single ?? ""));
  const next = node ? neighbour(editor.seen.nodes, node, direction) : editor.seen.nodes[0];
  if (next) focusNode(editor, next.id);
}

/** Enter selects a node; a second time, it opens a collapsed group. On a tab, it collapses the group or opens the
 * region's settings.
 * @param {Editor} editor @param {string} id @param {string | null} frame whose tab it is */
export function activateFocused(editor, id, frame) {
  if (frame)
    return editor.shown.groups.some(({ name }) => name === frame)
      ? collapse(editor, frame, true)
      : openRegion(editor, frame);
  const group = editor.isSelected(id) && editor.node(id)?.group;
  if (group) collapse(editor, group.name, false);
  else editor.select([id]);
}

/** Rename the group whose tab has the focus, else the selected group, else the selected node.
 * @param {Editor} editor @param {string | null} frame */
export function rename(editor, frame) {
  if (editor.shown.groups.some(({ name }) => name === frame))
    return renameGroup(editor, frame ?? "");
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
