// @ts-check
// Drag an op from the palette: its card follows the pointer and is dropped on the canvas.

import { svg } from "../../../web/dom.js";
import { toWorld } from "../draw/geometry.js";
import { realWire } from "../state/fold.js";
import { sizeOfNew } from "../state/growth.js";
import { wireForNew, wireLight } from "./inserts.js";
import { pointOf } from "../draw/stage.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").PaletteOp} PaletteOp */
/** @typedef {import("../types.js").Wire} Wire */

const SLOP = 5; // px by which a pointer may move in a click

/** Let `row` be dragged onto the canvas. `put` is called with the corner of the card in world pixels and the wire on
 * which the card was dropped.
 * @param {Editor} editor @param {HTMLElement} row @param {PaletteOp} op
 * @param {(corner: import("../types.js").Point, wire: Wire | null) => void} put */
export function carried(editor, row, op, put) {
  /** @type {{ id: number, x: number, y: number, scrolls: boolean } | null} */
  let press = null;
  /** @type {ReturnType<typeof lift> | null} */
  let card = null;
  row.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    row.setPointerCapture(event.pointerId);
    const onSign = /** @type {Element} */ (event.target).closest(".mark");
    press = { id: event.pointerId, x: event.clientX, y: event.clientY, scrolls: event.pointerType === "touch" && !onSign };
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
    event.stopPropagation();
    card?.drop(null);
    [press, card] = [null, null];
    document.removeEventListener("keydown", giveUp, true);
  };
  const end = (/** @type {PointerEvent} */ event) => {
    document.removeEventListener("keydown", giveUp, true);
    const dropped = card?.drop(event.type === "pointerup" ? event : null);
    if (card) row.addEventListener("click", (click) => click.stopImmediatePropagation(), { capture: true, once: true });
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
  const ghost = svg("g", { class: "ghost" }, svg("rect", { width: w, height: h, rx: 10 }),
    svg("text", { x: w / 2, y: h / 2 + 2 }, op.symbol), svg("text", { class: "of", x: w / 2, y: h / 2 + 22 }, op.op));
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
      /** @type {import("../types.js").Point} */
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
