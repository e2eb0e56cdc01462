// @ts-check
// Drawing a wire by hand, from an output to a slot or from a slot to an output.

import { svg } from "../../web/dom.js";
import { outputPoint, pathOf, slotPoint, toWorld, wireCurve } from "./geometry.js";
import { openPalette } from "./palette.js";
import { downstream } from "./predict.js";
import { say } from "./stage.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./types.js").GraphNode} GraphNode */
/** @typedef {import("./gestures.js").Target} Target */
/** @typedef {{ node: GraphNode, slot: number, point: Point }} Port  slot -1 is the output */

const REACH = 34; // screen px from which a port catches the wire

/** @param {Editor} editor @param {Target} target @returns {import("./gestures.js").Gesture} */
export function dragWire(editor, target) {
  const node = /** @type {GraphNode} */ (editor.node(target.id));
  const forward = target.part === "out";
  const fixed = forward ? outputPoint(node) : slotPoint(node, target.slot);
  const refused = loopsThrough(editor, node.id, forward);
  const ports = editor.shown.nodes.flatMap((other) => (forward ? slotsOf(other) : [outputOf(other)]));
  const preview = svg("path", { class: "preview" });
  const halo = svg("circle", { class: "halo", r: 11 });
  editor.stage.layers.overlay.append(preview, halo);
  editor.stage.host.classList.add("wiring", forward ? "seeks-slot" : "seeks-output");
  for (const [id, { root }] of editor.stage.cards) root.classList.toggle("refused", refused.has(id));
  /** @type {Port | null} */
  let caught = null;
  /** @type {Point} */
  let loose = fixed;

  return {
    move: (at) => {
      loose = toWorld(editor.stage.view, at);
      caught = nearest(ports, loose, REACH / editor.stage.view.k);
      const end = caught?.point ?? loose;
      preview.setAttribute("d", pathOf(forward ? wireCurve(fixed, end) : wireCurve(end, fixed)));
      const loop = caught !== null && refused.has(caught.node.id);
      halo.setAttribute("transform", `translate(${end[0]} ${end[1]})`);
      halo.setAttribute("class", `halo ${caught ? "caught" : ""} ${loop ? "loop" : ""}`);
      preview.classList.toggle("loop", loop);
    },
    end: (event) => {
      preview.remove();
      halo.remove();
      editor.stage.host.classList.remove("wiring", "seeks-slot", "seeks-output");
      for (const { root } of editor.stage.cards.values()) root.classList.remove("refused");
      if (event) drop(editor, node, target, caught, refused, loose);
    },
  };
}

/** @param {Editor} editor @param {GraphNode} node @param {Target} target @param {Port | null} caught
 * @param {Set<string>} refused @param {Point} loose where the wire was let go, in world pixels */
function drop(editor, node, target, caught, refused, loose) {
  const forward = target.part === "out";
  if (caught && refused.has(caught.node.id)) {
    const [from, to] = forward ? [node.id, caught.node.id] : [caught.node.id, node.id];
    say(editor.stage, from === to
      ? `A node cannot feed itself: ${from}.`
      : `Not wired: ${to} already feeds ${from}, so this wire would close a loop.`);
  } else if (caught && forward) editor.send({ kind: "connect", from: node.id, to: caught.node.id, slot: caught.slot });
  else if (caught) editor.send({ kind: "connect", from: caught.node.id, to: node.id, slot: target.slot });
  else if (forward) openPalette(editor, { at: loose, from: node.id });
  else if (node.slots[target.slot].wired) editor.send({ kind: "disconnect", to: node.id, slot: target.slot });
}

/** Nodes that a wire from (or, backwards, to) `id` would close a loop with.
 * @param {Editor} editor @param {string} id @param {boolean} forward @returns {Set<string>} */
function loopsThrough({ shown }, id, forward) {
  const wires = forward ? shown.wires.map((wire) => ({ ...wire, from: wire.to, to: wire.from })) : shown.wires;
  return downstream(wires, id);
}

/** @param {GraphNode} node @returns {Port[]} */
const slotsOf = (node) => node.slots.map((_, slot) => ({ node, slot, point: slotPoint(node, slot) }));

/** @param {GraphNode} node @returns {Port} */
const outputOf = (node) => ({ node, slot: -1, point: outputPoint(node) });

/** The port nearest to `at`, near enough or on the card under the pointer.
 * @param {Port[]} ports @param {Point} at @param {number} reach @returns {Port | null} */
function nearest(ports, [x, y], reach) {
  let best = null;
  let least = Infinity;
  for (const port of ports) {
    const { node, point } = port;
    const far = Math.hypot(point[0] - x, point[1] - y);
    const over = x > node.x && x < node.x + node.w && y > node.y && y < node.y + node.h;
    if ((far < reach || over) && far < least) [best, least] = [port, far];
  }
  return best;
}
