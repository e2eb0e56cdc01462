// @ts-check
// Draw a wire with the pointer: from an output to a slot, from an empty slot to an output, or moving the end
// of a wire from its slot to another.

import { svg } from "../../base/dom.js";
import { lightLoop, markPorts } from "../draw/highlights.js";
import { hideStatus, showStatus } from "../draw/stage.js";
import { wireId } from "../draw/wires.js";
import { openPalette } from "../popovers/palette.js";
import { realWire } from "../state/fold.js";
import { outputPoint, pathOf, slotPoint, toWorld, wireCurve } from "../state/geometry.js";
import { downstream, shortestPath } from "../state/reachability.js";
import { loopReason, reasonAgainst } from "../state/shapes.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("./gestures.js").Target} Target */
/** @typedef {{ to: string, slot: number }} End */
/**
 * @typedef {object} Port
 * @property {GraphNode} node
 * @property {number} slot below 0 for an output
 * @property {Point} point
 * @property {string} from the node where the wire that would be drawn begins
 * @property {End} end where the wire that would be drawn ends
 * @property {string} against why the wire cannot be drawn, "" where it may
 * @property {boolean} loop
 */
/**
 * What is dragged: a wire out of a node or, backwards, one into a slot of it.
 *
 * @typedef {object} Held
 * @property {boolean} forward
 * @property {Point} fixed
 * @property {string} name of the node
 * @property {number} slot
 * @property {End | null} old the end that the wire was pulled out of
 * @property {string} pulled the id of its wire on the canvas
 */

const REACH = 34; // screen px within which a port catches the wire

/** @param {Editor} editor @param {Target} target @returns {import("./gestures.js").Gesture} */
export function dragWire(editor, target) {
  const held = holding(editor, target);
  if (!held)
    return {
      move: () =>
        showStatus(editor.stage, "This port stands for several wires: open the group to move one."),
      end: () => {},
    };
  const { forward, fixed } = held;
  const ports = portsFor(editor, held);
  const preview = svg("path", { class: "preview" });
  const halo = svg("circle", { class: "halo", r: 11 });
  const old = held.old && editor.stage.strands.get(held.pulled);
  for (const part of [old?.root, old?.number]) part?.classList.add("unplugged");
  editor.stage.layers.overlay.append(preview, halo);
  const unmark = markPorts(editor.stage, ports, forward);
  /** @type {Port | null} */
  let caught = null;
  /** @type {Point} */
  let loose = fixed;

  const trace = (/** @type {Point} */ end) => {
    const [from, to] = forward ? [fixed, end] : [end, fixed];
    preview.setAttribute("d", pathOf(wireCurve(from, to, [], Boolean(editor.seen.turn))));
  };
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
      lightLoop(
        editor.stage,
        caught?.loop ? shortestPath(editor.shown.wires, caught.end.to, caught.from) : [],
      );
      if (caught?.against)
        showStatus(editor.stage, caught.against, 60_000); // until the wire leaves it
      else hideStatus(editor.stage);
    },
    end: (event) => {
      unmark();
      hideStatus(editor.stage);
      lightLoop(editor.stage, []);
      for (const part of [old?.root, old?.number]) part?.classList.remove("unplugged");
      const asks = event && !caught && !held.old;
      halo.remove();
      if (!asks) clear();
      if (!event) return;
      if (caught) plug(editor, held, caught);
      else if (held.old) editor.send({ kind: "disconnect", ...held.old });
      else if (forward) openPalette(editor, { at: loose, from: held.name, closed: clear });
      else
        openPalette(editor, { at: loose, to: { to: held.name, slot: held.slot }, closed: clear });
    },
  };
}

/** The wire that a press begins: a filled slot is disconnected; null if a card's port stands for several wires.
 * @param {Editor} editor @param {Target} target @returns {Held | null} */
function holding(editor, { id, part, slot }) {
  const node = /** @type {GraphNode} */ (editor.node(id));
  const whole = { slot: -1, old: null, pulled: "" };
  if (part === "out")
    return {
      ...whole,
      forward: true,
      fixed: outputPoint(node, slot),
      name: node.group?.outs[slot] ?? node.id,
    };
  const wire = editor.seen.wires.find((other) => other.to === id && other.slot === slot);
  const source = wire && editor.node(wire.from);
  if (!source)
    return { ...whole, forward: false, fixed: slotPoint(node, slot), name: node.id, slot };
  const real = realWire(wire);
  return (
    real && {
      forward: true,
      fixed: outputPoint(source, wire.out),
      name: real.from,
      slot: -1,
      old: { to: real.to, slot: real.slot },
      pulled: wireId(wire),
    }
  );
}

/** @param {Editor} editor @param {Held} held @param {Port} port */
function plug(editor, { old }, { against, from, end }) {
  if (against) return showStatus(editor.stage, against);
  if (!old) editor.send({ kind: "connect", from, ...end });
  else if (old.to !== end.to || old.slot !== end.slot)
    editor.send({ kind: "rewire", from, ...end, oldTo: old.to, oldSlot: old.slot });
}

/** Every port that could take the free end, with the reason against each.
 * @param {Editor} editor @param {Held} held @returns {Port[]} */
function portsFor(editor, { forward, name, slot, old }) {
  const { shown, seen, ops } = editor;
  const left = old
    ? shown.wires.filter((wire) => wire.to !== old.to || wire.slot !== old.slot)
    : shown.wires;
  const looping = downstream(
    forward ? left.map(({ from, to }) => ({ from: to, to: from })) : left,
    name,
  );
  const port = (
    /** @type {GraphNode} */ node,
    /** @type {number} */ at,
    /** @type {Point} */ point,
    /** @type {string} */ from,
    /** @type {End} */ end,
  ) => {
    const loop = looping.has(forward ? end.to : from);
    return {
      node,
      slot: at,
      point,
      from,
      end,
      loop,
      against: loop ? loopReason(from, end.to) : reasonAgainst(shown, ops, from, end, old),
    };
  };
  const outputs = (/** @type {GraphNode} */ node) =>
    (node.group?.outs ?? [node.id]).map((from, i) =>
      port(node, -1 - i, outputPoint(node, i), from, { to: name, slot }),
    );
  const slots = (/** @type {GraphNode} */ node) =>
    node.slots.map((_, i) => {
      const end = node.group ? endOf(editor, node, i) : { to: node.id, slot: i };
      const point = slotPoint(node, i);
      return end
        ? port(node, i, point, name, end)
        : {
            node,
            slot: i,
            point,
            from: name,
            end: { to: node.id, slot: i },
            loop: false,
            against: `This port of ${node.group?.name} feeds several slots: open it to choose one.`,
          };
    });
  return seen.nodes.flatMap(forward ? slots : outputs);
}

/** The slot inside a collapsed group that one of its ports stands for.
 * @param {Editor} editor @param {GraphNode} card @param {number} slot @returns {End | null} */
function endOf({ seen }, { id }, slot) {
  const wire = seen.wires.find((other) => other.to === id && other.slot === slot);
  const real = wire && realWire(wire);
  return real ? { to: real.to, slot: real.slot } : null;
}

/** The port nearest to `at`, within `reach` or on the card under the pointer.
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
