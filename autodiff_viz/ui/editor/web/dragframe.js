// @ts-check
// A frame of a drag: only the nodes under the hand and their wires are drawn anew.

import { updateCard } from "./nodes.js";
import { moved } from "./predict.js";
import { updateStrand, wireId } from "./wires.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./types.js").Drawing} Drawing */
/** @typedef {{ drawing: Drawing, outbox: object, expected: Drawing, wires: Map<string, Set<string>> }} Ground
 * what was drawn when the drag began; `wires`: ids by node */

/** What later frames of the drag build on. @param {Editor} editor @param {Drawing} expected @returns {Ground} */
export function groundOf({ drawing, outbox }, expected) {
  /** @type {Map<string, Set<string>>} */
  const wires = new Map(expected.nodes.map(({ id }) => [id, new Set()]));
  for (const wire of expected.wires) for (const end of [wire.from, wire.to]) wires.get(end)?.add(wireId(wire));
  return { drawing, outbox, expected, wires };
}

/** Draw the frame; false where something else has changed too. @param {Editor} editor */
export function dragFrame(editor) {
  const { dragged, ground, stage } = editor;
  const same = ground?.drawing === editor.drawing && ground.outbox === editor.outbox;
  if (!dragged || !ground || !same || editor.housed || ground.expected.regions.length) return false;
  editor.shown = moved(ground.expected, dragged);
  const nodes = new Map(editor.shown.nodes.map((node) => [node.id, node]));
  const names = Object.keys(dragged).filter((name) => nodes.has(name));
  for (const name of names) updateCard(stage.cards.get(name), /** @type {any} */ (nodes.get(name)));
  const touched = new Set(names.flatMap((name) => [...(ground.wires.get(name) ?? [])]));
  for (const wire of editor.shown.wires) {
    const strand = touched.has(wireId(wire)) && stage.strands.get(wireId(wire));
    if (strand) updateStrand(strand, wire, nodes);
  }
  return true;
}
