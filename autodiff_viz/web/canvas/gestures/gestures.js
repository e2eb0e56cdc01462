// @ts-check
// Dispatch pointer events to gestures, which have a file each; double clicks are detected here.

import { may } from "../../embed/gate.js";
import { pointOf } from "../draw/stage.js";
import { closePopover } from "../popovers/popover.js";
import { selectRegion } from "../popovers/region.js";
import { click, doubleClick } from "./click.js";
import { dragBox, dragCopies, dragNodes } from "./drag.js";
import { pan, pansAnywhere, swipe } from "./pan_zoom.js";
import {
  tapTarget,
  isLeftToPage,
  isSelecting,
  pinch,
  sleepBetweenTouches,
  explainTouch,
  wakeCanvas,
} from "./touch.js";
import { dragWire } from "./wiring.js";

// Pointer targets and gestures. A gesture is a pair of functions, `move` and `end`, and lasts while the
// pointer is down.

/** @typedef {import("../../types.js").Point} Point */
/**
 * @typedef {object} Target
 * @property {string | null} id
 * @property {number} slot
 * @property {string} part
 * @property {string | null} wire
 * @property {string | null} region
 * @property {string | null} group
 * @property {number} step
 * @property {boolean} extend
 * @property {"value" | "cotangent" | null} of which number of a card it is, where that is asked for
 */
/** @typedef {{ move: (at: Point, event: PointerEvent) => void, end: (event: PointerEvent | null) => void }} Gesture
 * `end` without an event: the gesture is given up */

const PARTS = [
  "step",
  "amount",
  "opener",
  "out",
  "pill",
  "slot",
  "name",
  "asked",
  "editable",
  "opens",
  "tab",
  "node",
  "wire",
];

/** The target under a pointer. @param {PointerEvent} event @returns {Target} */
export function targetOf(event) {
  const element = /** @type {Element} */ (event.target);
  const holder = (/** @type {string} */ name) =>
    element.closest(`[data-${name}]`)?.getAttribute(`data-${name}`) ?? null;
  return {
    part: PARTS.find((part) => element.closest(`.${part}`)) ?? "canvas",
    id: holder("id"),
    slot: Number(holder("slot")),
    wire: holder("wire"),
    region: holder("region"),
    group: holder("group"),
    step: Number(holder("step")),
    of: /** @type {"value" | "cotangent" | null} */ (holder("of")),
    extend:
      event.shiftKey || event.ctrlKey || event.metaKey || Boolean(element.closest(".selecting")),
  };
}

/** @typedef {import("../editor.js").Editor} Editor */

const SLOP = 4; // px by which a pointer may move in a click
const TWICE = 350; // ms between the clicks of a double click

/** Listen to pointers. @param {Editor} editor */
export function listenToPointers(editor) {
  const { surface, host } = editor.stage;
  /** @type {Map<number, Point>} */
  const pointers = new Map();
  /** @type {{ target: Target, start: Point, gesture: Gesture | null } | null} */
  let press = null;
  let last = { time: 0, target: "" };
  sleepBetweenTouches(host);

  surface.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    closePopover(editor);
    surface.focus({ preventScroll: true });
    surface.setPointerCapture(event.pointerId);
    const at = pointOf(editor.stage, event);
    pointers.set(event.pointerId, at);
    if (pointers.size === 2) {
      press?.gesture?.end(null);
      press = { target: targetOf(event), start: at, gesture: pinch(editor, pointers) };
    } else if (pointers.size === 1) press = { target: targetOf(event), start: at, gesture: null };
  });

  surface.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId) || !press) return;
    const at = pointOf(editor.stage, event);
    pointers.set(event.pointerId, at);
    if (!press.gesture && Math.hypot(at[0] - press.start[0], at[1] - press.start[1]) > SLOP) {
      press.gesture = isLeftToPage(editor.stage, event)
        ? swipe(editor, press.start)
        : beginDrag(editor, press.target, press.start, event);
    }
    press.gesture?.move(at, event);
  });

  const release = (/** @type {PointerEvent} */ event) => {
    if (!pointers.delete(event.pointerId) || !press) return;
    const { gesture, start } = press;
    const target =
      event.pointerType === "touch"
        ? tapTarget(editor.seen.nodes, editor.stage.view, press.target, start)
        : press.target;
    press = null;
    if (event.type === "pointercancel" && isLeftToPage(editor.stage, event))
      explainTouch(editor.stage);
    if (gesture) return gesture.end(event.type === "pointerup" ? event : null);
    if (event.type !== "pointerup") return;
    wakeCanvas(editor.stage, event);
    const same = `${target.part}:${target.id}:${target.wire}:${target.region}:${target.extend}`;
    const twice =
      target.part !== "opener" && event.timeStamp - last.time < TWICE && last.target === same;
    last = { time: twice ? 0 : event.timeStamp, target: same };
    if (twice) doubleClick(editor, target, start);
    else click(editor, target);
  };
  editor.giveUp = () => {
    if (!press?.gesture) return false;
    press.gesture.end(null);
    press = null; // the pointer may still be down: its events are ignored until it is up
    return true;
  };
  surface.addEventListener("mousedown", (event) => event.preventDefault()); // or the node would take the focus
  surface.addEventListener("pointerup", release);
  surface.addEventListener("pointercancel", release);
}

/** The gesture of a press that begins to move.
 * @param {Editor} editor @param {Target} target @param {Point} start @param {PointerEvent} event @returns {Gesture} */
function beginDrag(editor, target, start, event) {
  if (pansAnywhere(editor, event)) return pan(editor, start);
  const wires = target.part === "out" || target.part === "slot";
  if ((wires && !may("connect")) || (target.id !== null && !may("move"))) return pan(editor, start);
  if (wires) return dragWire(editor, target);
  if (target.id !== null && editor.seen.turn) return pan(editor, start); // places are of the layout from left to right
  if (target.id !== null && event.altKey && may("duplicate"))
    return dragCopies(editor, target.id, start);
  if (target.id !== null) return dragNodes(editor, target.id, start);
  if (target.part === "tab" && target.region && may("move") && !editor.seen.turn)
    return dragNodes(editor, selectRegion(editor, target.region), start);
  return event.shiftKey || isSelecting(editor) ? dragBox(editor, start) : pan(editor, start);
}
