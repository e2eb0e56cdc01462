// @ts-check
// Wire nodes by keyboard: `w` starts a wire at the focused node, the arrows choose a slot, Enter connects.

import { svg } from "../../../web/dom.js";
import { loopReason, reasonAgainst } from "../state/fits.js";
import { seenAs } from "../state/fold.js";
import { outputPoint, pathOf, slotPoint, wireCurve } from "../draw/geometry.js";
import { upstream } from "../state/loops.js";
import { inOrder, spokenLabel } from "../draw/screen_reader/reading.js";
import { revealing, say } from "../draw/stage.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {import("../types.js").Wire} Wire */
/** @typedef {{ node: GraphNode, slot: number, against: string }} Place  `against`: why the wire cannot go there, "" where it may */
/** @typedef {{ from: GraphNode, places: Place[], at: number, line: Element, halo: Element }} Hand */

/** @type {WeakMap<Editor, Hand>} */
const hands = new WeakMap();

/** Slots that the output of `from` is not wired to, in reading order: first the allowed ones, then the others, with
 * the reason against each.
 * @param {import("../types.js").Drawing} drawing @param {GraphNode} from
 * @param {Map<string, import("../types.js").PaletteOp>} [ops] @returns {Place[]} */
export function placesFor(drawing, from, ops = new Map()) {
  const { nodes, wires } = drawing;
  const before = upstream(wires, from.id);
  const there = new Set(wires.filter((wire) => wire.from === from.id).map(({ to, slot }) => `${to}:${slot}`));
  const against = (/** @type {string} */ to, /** @type {number} */ slot) =>
    before.has(to) ? loopReason(from.id, to) : reasonAgainst(drawing, ops, from.id, { to, slot });
  const places = inOrder(nodes).filter(({ group }) => !group).flatMap((node) => node.slots.map((_, slot) => ({ node, slot, against: against(node.id, slot) })))
    .filter(({ node, slot }) => !there.has(`${node.id}:${slot}`));
  return [...places.filter((place) => !place.against), ...places.filter((place) => place.against)];
}

/** The slot to begin with: the first empty one, else the first.
 * @param {Place[]} places */
export const firstOf = (places) =>
  Math.max(places.findIndex(({ node, slot, against }) => !against && !node.slots[slot].wired && node.slots[slot].constant === null), 0);

/** Screen reader text of a slot.
 * @param {Place} place @param {Wire[]} wires */
export function spokenSlot({ node, slot, against }, wires) {
  const { label, constant, wired } = node.slots[slot];
  const source = wires.find((wire) => wire.to === node.id && wire.slot === slot)?.from;
  const state = wired && source ? `takes the place of ${source}` : constant === null ? "empty" : `takes the place of ${constant}`;
  return `${spokenLabel(label)} of ${node.id}, ${against ? `does not fit. ${against}` : state}`;
}

/** @param {Editor} editor @param {string | null} id */
export function takeWire(editor, id) {
  const from = editor.node(id ?? seenAs(editor.seen, editor.single ?? ""));
  if (from?.group && from.group.outs.length !== 1) return say(editor.stage, `Open ${from.group.name} first: ${from.group.outs.length || "no"} values leave it.`);
  if (!from) return say(editor.stage, "Go to a node first: the wire begins there.");
  const places = placesFor(editor.seen, from, editor.ops);
  if (!places.some(({ against }) => !against)) return say(editor.stage, `No slot can take ${from.id}: every other node already feeds it, or has no slot that fits.`);
  const [line, halo] = [svg("path", { class: "preview" }), svg("circle", { class: "halo caught", r: 11 })];
  editor.stage.layers.overlay.append(line, halo);
  hands.set(editor, { from, places, at: 0, line, halo });
  choose(editor, firstOf(places), `Wire from ${from.id}. Arrows choose a slot, Enter connects, Escape cancels. `);
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
  const view = revealing(editor.stage, node);
  if (view) editor.look(view);
  hand.line.setAttribute("d", pathOf(wireCurve(outputPoint(hand.from), [x, y])));
  hand.line.classList.toggle("loop", Boolean(against));
  hand.halo.classList.toggle("loop", Boolean(against));
  hand.halo.setAttribute("transform", `translate(${x} ${y})`);
  say(editor.stage, `${before}${at + 1} of ${hand.places.length}: ${spokenSlot(hand.places[at], editor.seen.wires)}`);
}

/** @param {Editor} editor @param {Hand} hand */
function connect(editor, { from, places, at }) {
  const { node, slot, against } = places[at];
  if (against) return say(editor.stage, against); // the wire is still being drawn
  dropWire(editor, `${from.id} wired to ${spokenLabel(node.slots[slot].label)} of ${node.id}.`);
  editor.send({ kind: "connect", from: from.group?.outs[0] ?? from.id, to: node.id, slot });
}

/** Cancel the wire that is being drawn, if there is one.
 * @param {Editor} editor @param {string} told */
export function dropWire(editor, told = "") {
  const hand = hands.get(editor);
  if (!hand) return;
  hands.delete(editor);
  hand.line.remove();
  hand.halo.remove();
  if (told) say(editor.stage, told);
}
