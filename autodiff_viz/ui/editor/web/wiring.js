// @ts-check
// Drawing a wire by hand: from an output to a slot, from an empty slot to an output, or the end of a wire
// from its slot to another one.

import { svg } from "../../web/dom.js";
import { loopReason, reasonAgainst } from "./fits.js";
import { outputPoint, pathOf, slotPoint, toWorld, wireCurve } from "./geometry.js";
import { downstream, wayBetween } from "./loops.js";
import { openPalette } from "./palette.js";
import { lightLoop, markPorts } from "./glow.js";
import { hush, say } from "./stage.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./types.js").GraphNode} GraphNode */
/** @typedef {import("./gestures.js").Target} Target */
/** @typedef {{ node: GraphNode, slot: number, point: Point, against: string, loop: boolean }} Port
 * slot -1 is the output; `against`: why the wire cannot go there, "" where it may */
/** @typedef {{ node: GraphNode, forward: boolean, slot: number, old: { to: string, slot: number } | null }} Held
 * what the hand holds: a wire out of `node` or, backwards, one into its `slot`; `old`: the slot that it was pulled out of */

const REACH = 34; // screen px from which a port catches the wire

/** @param {Editor} editor @param {Target} target @returns {import("./gestures.js").Gesture} */
export function dragWire(editor, target) {
  const held = holding(editor, target);
  const { node, forward } = held;
  const fixed = forward ? outputPoint(node) : slotPoint(node, held.slot);
  const ports = portsFor(editor, held);
  const preview = svg("path", { class: "preview" });
  const halo = svg("circle", { class: "halo", r: 11 });
  const old = held.old && editor.stage.strands.get(`${held.old.to}:${held.old.slot}`);
  for (const part of [old?.root, old?.number]) part?.classList.add("unplugged");
  editor.stage.layers.overlay.append(preview, halo);
  const unmark = markPorts(editor.stage, ports, forward);
  /** @type {Port | null} */
  let caught = null;
  /** @type {Point} */
  let loose = fixed;

  const trace = (/** @type {Point} */ end) => preview.setAttribute("d", pathOf(forward ? wireCurve(fixed, end) : wireCurve(end, fixed)));
  const clear = () => [preview, halo].forEach((part) => part.remove());
  return {
    move: (at) => {
      loose = toWorld(editor.stage.view, at);
      const before = caught;
      caught = nearest(ports, loose, REACH / editor.stage.view.k);
      const end = caught?.point ?? loose;
      trace(end);
      halo.setAttribute("transform", `translate(${end[0]} ${end[1]})`);
      if (caught === before) return;
      halo.setAttribute("class", `halo ${caught ? "caught" : ""} ${caught?.against ? "loop" : ""}`);
      preview.classList.toggle("loop", Boolean(caught?.against));
      lightLoop(editor.stage, caught?.loop ? loopOf(editor, held, caught) : []);
      if (caught?.against) say(editor.stage, caught.against);
      else hush(editor.stage);
    },
    end: (event) => {
      unmark();
      lightLoop(editor.stage, []);
      for (const part of [old?.root, old?.number]) part?.classList.remove("unplugged");
      const asks = event && !caught && !held.old;
      halo.remove();
      if (!asks) clear();
      if (!event) return;
      if (caught) plug(editor, held, caught);
      else if (held.old) editor.send({ kind: "disconnect", ...held.old });
      else if (forward) openPalette(editor, { at: loose, from: node.id, closed: clear });
      else openPalette(editor, { at: loose, to: { to: node.id, slot: held.slot }, closed: clear });
    },
  };
}

/** From a filled slot the hand pulls out the end of its wire. @param {Editor} editor @param {Target} target @returns {Held} */
function holding(editor, { id, part, slot }) {
  const node = /** @type {GraphNode} */ (editor.node(id));
  if (part === "out") return { node, forward: true, slot: -1, old: null };
  const wire = editor.shown.wires.find((other) => other.to === id && other.slot === slot);
  const source = wire && editor.node(wire.from);
  if (source) return { node: source, forward: true, slot: -1, old: { to: node.id, slot } };
  return { node, forward: false, slot, old: null };
}

/** @param {Editor} editor @param {Held} held @param {Port} port */
function plug(editor, { node, forward, slot, old }, port) {
  if (port.against) return say(editor.stage, port.against);
  const wire = forward ? { from: node.id, to: port.node.id, slot: port.slot } : { from: port.node.id, to: node.id, slot };
  if (!old) editor.send({ kind: "connect", ...wire });
  else if (old.to !== wire.to || old.slot !== wire.slot) editor.send({ kind: "rewire", ...wire, oldTo: old.to, oldSlot: old.slot });
}

/** Every port that could take the held end, and what speaks against it.
 * @param {Editor} editor @param {Held} held @returns {Port[]} */
function portsFor(editor, { node, forward, slot, old }) {
  const { shown, ops } = editor;
  const left = old ? shown.wires.filter((wire) => wire.to !== old.to || wire.slot !== old.slot) : shown.wires;
  const looping = downstream(forward ? left.map(({ from, to }) => ({ from: to, to: from })) : left, node.id);
  const port = (/** @type {GraphNode} */ other, /** @type {number} */ at) => {
    const [from, end] = forward ? [node.id, { to: other.id, slot: at }] : [other.id, { to: node.id, slot }];
    const loop = looping.has(other.id);
    const against = loop ? loopReason(from, end.to) : reasonAgainst(shown, ops, from, end, old);
    return { node: other, slot: at, point: at < 0 ? outputPoint(other) : slotPoint(other, at), against, loop };
  };
  return shown.nodes.flatMap((other) => (forward ? other.slots.map((_, i) => port(other, i)) : [port(other, -1)]));
}

/** The wires that the new one would close a loop with. @param {Editor} editor @param {Held} held @param {Port} port */
const loopOf = ({ shown }, { node, forward }, port) =>
  forward ? wayBetween(shown.wires, port.node.id, node.id) : wayBetween(shown.wires, node.id, port.node.id);

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
