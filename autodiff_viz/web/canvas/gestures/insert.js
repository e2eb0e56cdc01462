// @ts-check
// Drag an op from the palette: its card follows the pointer and is dropped on the canvas, or on a wire.

import { svg } from "../../base/dom.js";
import { pointOf } from "../draw/stage.js";
import { readingSlot, sizeOfNew } from "../state/edits.js";
import { realWire } from "../state/fold.js";
import { freeSpot, pointAt, toWorld } from "../state/geometry.js";
import { dimsOf, opRefuses } from "../state/shapes.js";

// A drop on a wire: the wire under the node, and the edit that inserts the node.

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("../../types.js").Wire} Wire */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").PaletteOp} PaletteOp */
/** @typedef {{ wire: Wire | null, curve: import("../../types.js").Cubic[] }} Strung */

const REACH = 26; // world px from the middle of a card within which a wire counts as under the card
const STEPS = 12; // sampled points of a piece of a wire

/** The wire that passes nearest to the middle of a card, within `REACH`. Pure.
 * @param {Iterable<Strung>} strung @param {Box} card @param {(wire: Wire) => boolean} wanted @returns {Wire | null} */
export function wireUnder(strung, { x, y, w, h }, wanted) {
  const [mx, my] = [x + w / 2, y + h / 2];
  let best = null;
  let least = REACH;
  for (const { wire, curve } of strung) {
    if (!wire || !curve.length || !wanted(wire)) continue;
    const count = STEPS * curve.length;
    for (let i = 0; i <= count; i++) {
      const [px, py] = pointAt(curve, i / count).point;
      const far = Math.hypot(px - mx, py - my);
      if (far < least) [best, least] = [wire, far];
    }
  }
  return best;
}

/** Return a function that highlights the wire that would take a card, and no other. @param {Editor} editor */
export function wireLight({ stage }) {
  /** @type {Element | null} */
  let lit = null;
  return (/** @type {Wire | null} */ wire) => {
    const root = wire ? (stage.strands.get(`${wire.to}:${wire.slot}`)?.root ?? null) : null;
    if (root === lit) return;
    lit?.classList.remove("opens");
    root?.classList.add("opens");
    lit = root;
  };
}

/** The wire under a new node, if the node may be inserted there.
 * @param {Editor} editor @param {PaletteOp} op @param {Box} card */
export const wireForNew = ({ stage, shown, ops }, op, card) =>
  op.slots.length
    ? wireUnder(stage.strands.values(), card, (wire) => takes(shown, ops, op.op, wire))
    : null;

/** State of a drag of one node without wires, which may be dropped on a wire; null for any other drag.
 * @param {Editor} editor @param {GraphNode[]} nodes */
export function insertion(editor, nodes) {
  const [node] = nodes;
  if (!node || node.group) return null; // none: an answer has taken away what was pressed
  const wired = (/** @type {Wire} */ { from, to }) => from === node.id || to === node.id;
  if (nodes.length !== 1 || readingSlot(node) < 0 || editor.shown.wires.some(wired)) return null;
  const light = wireLight(editor);
  /** @type {Wire | null} */
  let under = null;
  return {
    over: (/** @type {Point | undefined} */ at) => {
      if (!at) return;
      const card = { x: at[0], y: at[1], w: node.w, h: node.h };
      under = wireUnder(editor.stage.strands.values(), card, (wire) =>
        takes(editor.shown, editor.ops, node.op, wire),
      );
      light(under);
    },
    /** Insert the node into the wire under it; returns whether it did.
     * @param {Point | undefined} at where it was dropped; none: the drag was given up */
    drop: (at) => {
      light(null);
      if (!under || !at) return false;
      const others = editor.seen.nodes.filter((other) => other.id !== node.id);
      const { from, to, slot } = realWire(under) ?? under;
      editor.send({
        kind: "insert",
        node: node.id,
        from,
        to,
        slot,
        position: freeSpot(others, at, node),
      });
      return true;
    },
  };
}

/** @param {import("../../types.js").Drawing} shown @param {Map<string, PaletteOp>} ops @param {string} op @param {Wire} seen */
function takes(shown, ops, op, seen) {
  const from = realWire(seen)?.from;
  if (from === undefined) return false;
  const entry = ops.get(op);
  return !entry || opRefuses(entry, dimsOf(shown.nodes.find((node) => node.id === from))) === "";
}

const SLOP = 5; // px by which a pointer may move in a click

/** Let `row` be dragged onto the canvas. `put` is called with the corner of the card in world pixels and the wire on
 * which the card was dropped.
 * @param {Editor} editor @param {HTMLElement} row @param {PaletteOp} op
 * @param {(corner: import("../../types.js").Point, wire: Wire | null) => void} put */
export function makeDraggable(editor, row, op, put) {
  /** @type {{ id: number, x: number, y: number, scrolls: boolean } | null} */
  let press = null;
  /** @type {ReturnType<typeof lift> | null} */
  let card = null;
  row.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    row.setPointerCapture(event.pointerId);
    const onSign = /** @type {Element} */ (event.target).closest(".mark");
    press = {
      id: event.pointerId,
      x: event.clientX,
      y: event.clientY,
      scrolls: event.pointerType === "touch" && !onSign, // a finger that moves along the list scrolls it
    };
  });
  row.addEventListener("pointermove", (event) => {
    if (!press || event.pointerId !== press.id) return;
    const [across, along] = [event.clientX - press.x, event.clientY - press.y].map(Math.abs);
    if (!card && Math.hypot(across, along) > SLOP && (across > along || !press.scrolls)) {
      card = lift(editor, op);
      document.addEventListener("keydown", giveUp, true);
    }
    card?.move(event);
  });
  const giveUp = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation(); // Escape ends the drag and leaves the palette open
    card?.drop(null);
    [press, card] = [null, null];
    document.removeEventListener("keydown", giveUp, true);
  };
  const end = (/** @type {PointerEvent} */ event) => {
    document.removeEventListener("keydown", giveUp, true);
    const dropped = card?.drop(event.type === "pointerup" ? event : null);
    // The end of a drag is a click of the row as well, which would add the op a second time.
    if (card)
      row.addEventListener("click", (click) => click.stopImmediatePropagation(), {
        capture: true,
        once: true,
      });
    [press, card] = [null, null];
    if (dropped) put(dropped.corner, dropped.wire);
  };
  row.addEventListener("pointerup", end);
  row.addEventListener("pointercancel", end);
}

/** The card that follows the pointer. @param {Editor} editor @param {PaletteOp} op */
function lift(editor, op) {
  const { stage } = editor;
  const { w, h } = sizeOfNew(op);
  const ghost = svg(
    "g",
    { class: "ghost" },
    svg("rect", { width: w, height: h, rx: 10 }),
    svg("text", { x: w / 2, y: h / 2 + 2 }, op.symbol),
    svg("text", { class: "of", x: w / 2, y: h / 2 + 22 }, op.op),
  );
  stage.layers.overlay.append(ghost);
  stage.host.classList.add("carrying"); // hides the palette
  const light = wireLight(editor);
  const place = (/** @type {PointerEvent} */ event) => {
    const [x, y] = toWorld(stage.view, pointOf(stage, event));
    return { x: x - w / 2, y: y - h / 2, w, h };
  };
  return {
    move: (/** @type {PointerEvent} */ event) => {
      const card = place(event);
      ghost.setAttribute("transform", `translate(${card.x} ${card.y})`);
      light(wireForNew(editor, op, card));
    },
    drop: (/** @type {PointerEvent | null} */ event) => {
      ghost.remove();
      light(null);
      stage.host.classList.remove("carrying");
      if (!event || !within(stage.host, event)) return null;
      const card = place(event);
      /** @type {import("../../types.js").Point} */
      const corner = [card.x, card.y];
      const wire = wireForNew(editor, op, card);
      return { corner, wire: wire && realWire(wire) };
    },
  };
}

/** @param {HTMLElement} host @param {PointerEvent} event */
function within(host, { clientX, clientY }) {
  const { left, top, right, bottom } = host.getBoundingClientRect();
  return clientX > left && clientX < right && clientY > top && clientY < bottom;
}
