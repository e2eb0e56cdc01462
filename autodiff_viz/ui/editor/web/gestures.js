// @ts-check
// Pointers: what a press on the canvas turns into. A gesture is a pair of functions, move and end.

import { dragCopies } from "./duplicate.js";
import { dragWire } from "./wiring.js";
import { clamp, overlap, toWorld, zoomAt } from "./geometry.js";
import { svg } from "../../web/dom.js";
import { insertion } from "./inserts.js";
import { editConstant, editName, editValue } from "./field.js";
import { collapse, renameGroup } from "./groups.js";
import { isSelecting } from "./hold.js";
import { openPalette } from "./palette.js";
import { closePopover } from "./popover.js";
import { pansAnywhere } from "./panning.js";
import { openBranches, stepBranches } from "./branches.js";
import { beginHousing, openRegion, selectRegion } from "./regionpop.js";
import { editRule } from "./rulefield.js";
import { pointOf } from "./stage.js";
import { asleep, sleepBetweenTouches, tellHowToWake, wake } from "./touch.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {{ id: string | null, slot: number, part: string, wire: string | null, region: string | null, group: string | null, step: number, extend: boolean }} Target */
/** @typedef {{ move: (at: Point, event: PointerEvent) => void, end: (event: PointerEvent | null) => void }} Gesture */

const SLOP = 4; // px that a pointer may move and still be clicking
const NOTCH = 0.25; // most that one wheel step zooms, as a logarithm
const TWICE = 350; // ms between the clicks of a double click
const PARTS = ["step", "amount", "opener", "out", "pill", "slot", "name", "editable", "opens", "tab", "node", "wire"];

/** Listen to pointers and the wheel. @param {Editor} editor */
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
      press.gesture = asleep(editor.stage, event)
        ? swipe(editor, press.start)
        : beginDrag(editor, press.target, press.start, event);
    }
    press.gesture?.move(at, event);
  });

  const release = (/** @type {PointerEvent} */ event) => {
    if (!pointers.delete(event.pointerId) || !press) return;
    const { target, gesture, start } = press;
    press = null;
    if (event.type === "pointercancel" && asleep(editor.stage, event)) tellHowToWake(editor.stage);
    if (gesture) return gesture.end(event.type === "pointerup" ? event : null);
    if (event.type !== "pointerup") return;
    wake(editor.stage, event);
    const same = `${target.part}:${target.id}:${target.wire}:${target.region}:${target.extend}`;
    const twice = event.timeStamp - last.time < TWICE && last.target === same;
    last = { time: twice ? 0 : event.timeStamp, target: same };
    if (twice) doubleClick(editor, target, start);
    else click(editor, target);
  };
  editor.giveUp = () => {
    if (!press?.gesture) return false;
    press.gesture.end(null);
    press = null; // the pointer may still be down: what it does until it is up means nothing
    return true;
  };
  surface.addEventListener("mousedown", (event) => event.preventDefault()); // or the node would take the focus
  surface.addEventListener("pointerup", release);
  surface.addEventListener("pointercancel", release);

  host.addEventListener("wheel", (event) => {
    if (/** @type {Element} */ (event.target).closest(".popover")) return;
    if (!event.ctrlKey && !event.metaKey && !host.matches(":focus-within")) return; // the page scrolls
    event.preventDefault();
    const speed = event.ctrlKey ? 0.01 : 0.002; // a pinch comes as many small steps with ctrl
    const turned = clamp(event.deltaY * (event.deltaMode === 1 ? 16 : 1) * speed, -NOTCH, NOTCH);
    editor.look(zoomAt(editor.stage.view, Math.exp(-turned), pointOf(editor.stage, event)));
  }, { passive: false });
}

/** What lies under a pointer. @param {PointerEvent} event @returns {Target} */
export function targetOf(event) {
  const element = /** @type {Element} */ (event.target);
  const holder = (/** @type {string} */ name) => element.closest(`[data-${name}]`)?.getAttribute(`data-${name}`) ?? null;
  return {
    part: PARTS.find((part) => element.closest(`.${part}`)) ?? "canvas",
    id: holder("id"), slot: Number(holder("slot")), wire: holder("wire"), region: holder("region"),
    group: holder("group"), step: Number(holder("step")),
    extend: event.shiftKey || event.ctrlKey || event.metaKey || Boolean(element.closest(".selecting")),
  };
}

/** @param {Editor} editor @param {Target} target @param {Point} start @param {PointerEvent} event @returns {Gesture} */
function beginDrag(editor, target, start, event) {
  if (pansAnywhere(editor, event)) return pan(editor, start);
  if (target.part === "out" || target.part === "slot") return dragWire(editor, target);
  if (target.id !== null && event.altKey) return dragCopies(editor, target.id, start);
  if (target.id !== null) return dragNodes(editor, target.id, start);
  if (target.part === "tab" && target.region) return dragNodes(editor, selectRegion(editor, target.region), start);
  return event.shiftKey || isSelecting(editor) ? dragBox(editor, start) : pan(editor, start);
}

/** @param {Editor} editor @param {Target} target */
function click(editor, { part, id, slot, wire, region, extend, group, step }) {
  if (part === "pill" && id) return editConstant(editor, id, slot);
  if (part === "editable" && id && !extend) {
    editor.select([id]);
    return editValue(editor, id);
  }
  if (part === "opens" && id && !extend) return editor.select([id]), editRule(editor, id);
  if (part === "step" && group) return stepBranches(editor, step, group);
  if (part === "amount" && group) return openBranches(editor, group);
  if (part === "opener") return collapse(editor, region ?? editor.node(id)?.group?.name ?? "", region !== null);
  if (part === "tab" && region) return void (isGroupName(editor, region) ? selectRegion(editor, region) : openRegion(editor, region));
  if (part === "slot" && id && !editor.node(id)?.group && !editor.node(id)?.slots[slot]?.wired) return editConstant(editor, id, slot);
  if (id && extend) return editor.toggle(id);
  if (id) return editor.select([id]);
  editor.select([]);
  editor.wire = wire;
  editor.refresh();
}

/** @param {Editor} editor @param {Target} target @param {Point} start */
function doubleClick(editor, target, start) {
  const { part, id, wire, region } = target;
  if (part === "step" || part === "amount") return click(editor, target);
  const group = editor.node(id)?.group;
  if (group && part !== "slot" && part !== "out") return part === "opener" ? undefined : collapse(editor, group.name, false);
  if (part === "tab" && region && isGroupName(editor, region)) return renameGroup(editor, region);
  if (part === "name" && id) editName(editor, id);
  else if (part === "node" && id) editor.node(id)?.isInput ? editValue(editor, id) : editName(editor, id);
  else if (!id && !wire && !region) openPalette(editor, { at: toWorld(editor.stage.view, start), from: null });
}

/** @param {Editor} editor @param {string} name */
const isGroupName = ({ shown }, name) => shown.groups.some((group) => group.name === name);

/** @param {Editor} editor @param {Point} start @returns {Gesture} */
function pan(editor, start) {
  const { view } = editor.stage;
  return {
    move: ([x, y]) => editor.look({ ...view, x: view.x + x - start[0], y: view.y + y - start[1] }),
    end: () => {},
  };
}

/** A pan that the browser may still take over, to scroll the page: then nothing has moved.
 * @param {Editor} editor @param {Point} start @returns {Gesture} */
function swipe(editor, start) {
  const { choice, stage: { view } } = editor;
  const end = (/** @type {PointerEvent | null} */ event) => {
    if (event) return;
    editor.look(view);
    editor.choice = choice;
  };
  return { ...pan(editor, start), end };
}

/** @param {Editor} editor @param {Map<number, Point>} pointers @returns {Gesture} */
function pinch(editor, pointers) {
  const spread = () => {
    const [a, b] = [...pointers.values()];
    /** @type {Point} */
    const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    return { far: Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), 1), middle };
  };
  const { view } = editor.stage;
  const before = spread();
  return {
    move: () => {
      if (pointers.size < 2) return;
      const { far, middle } = spread();
      const panned = { ...view, x: view.x + middle[0] - before.middle[0], y: view.y + middle[1] - before.middle[1] };
      editor.look(zoomAt(panned, far / before.far, middle));
    },
    end: () => {},
  };
}

/** Move a node, or all that are selected with it. @param {Editor} editor @param {string} id @param {Point} start
 * @returns {Gesture} */
function dragNodes(editor, id, start) {
  if (!editor.isSelected(id)) {
    editor.choose([id]); // Python hears of it at the end: its answer would draw panels in the middle of the drag
    editor.refresh();
  }
  const nodes = editor.chosen;
  const house = beginHousing(editor, nodes);
  const into = insertion(editor, nodes);
  return {
    move: (at) => {
      const [dx, dy] = at.map((value, i) => (value - start[i]) / editor.stage.view.k);
      /** @type {Record<string, Point>} */
      const positions = Object.fromEntries(nodes.map(({ id: name, x, y }) => [name, [Math.round(x + dx), Math.round(y + dy)]]));
      house(positions);
      into?.over(positions[id]);
    },
    end: (event) => {
      const [positions, moves] = [editor.dragged, editor.housed];
      editor.housed = null;
      editor.drag(null);
      editor.tellSingle();
      if (into?.drop(event ? positions?.[id] : undefined)) return;
      if (event && positions) editor.send(moves ? { kind: "house", positions, ...moves } : { kind: "move", positions });
    },
  };
}

/** Select all that a box touches. @param {Editor} editor @param {Point} start @returns {Gesture} */
function dragBox(editor, start) {
  const from = toWorld(editor.stage.view, start);
  const before = [...editor.selection];
  const frame = svg("rect", { class: "frame" });
  editor.stage.layers.overlay.append(frame);
  let box = { x: from[0], y: from[1], w: 0, h: 0 };
  return {
    move: (at) => {
      const [x, y] = toWorld(editor.stage.view, at);
      box = { x: Math.min(x, from[0]), y: Math.min(y, from[1]), w: Math.abs(x - from[0]), h: Math.abs(y - from[1]) };
      const edges = { x: box.x, y: box.y, width: box.w, height: box.h };
      for (const [name, value] of Object.entries(edges)) frame.setAttribute(name, String(value));
    },
    end: (event) => {
      frame.remove();
      const inside = editor.seen.nodes.filter((node) => overlap(node, box)).map((node) => node.id);
      if (event) editor.select([...new Set([...before, ...inside])]);
    },
  };
}
