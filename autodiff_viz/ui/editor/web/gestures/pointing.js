// @ts-check
// Declare the types of pointer targets and gestures. A gesture is a pair of functions, `move` and `end`, and
// lasts while the pointer is down.

/** @typedef {import("../types.js").Point} Point */
/** @typedef {{ id: string | null, slot: number, part: string, wire: string | null, region: string | null, group: string | null, step: number, extend: boolean }} Target */
/** @typedef {{ move: (at: Point, event: PointerEvent) => void, end: (event: PointerEvent | null) => void }} Gesture
 * `end` without an event: the gesture is given up */

const PARTS = ["step", "amount", "opener", "out", "pill", "slot", "name", "editable", "opens", "tab", "node", "wire"];

/** The target under a pointer. @param {PointerEvent} event @returns {Target} */
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
