// @ts-check
// Highlight a node's ancestors and descendants while the focus, or a pointer that has moved there, rests on
// the node. A pointer that a click has left on a node highlights nothing until it moves again.

import { nodesOf, wiresOf } from "../../state/fold.js";
import { lineage } from "../../state/lineage.js";
import { wireId } from "../wires/wires.js";

/** @typedef {import("../../editor.js").Editor} Editor */

const REST_MS = 300; // the pointer passes over many nodes on its way
const STILL = 4; // px by which a pointer may move after a press and count as left there

/** @param {Editor} editor */
export function traceLineage(editor) {
  const { surface, host } = editor.stage;
  let timer = 0;
  /** @type {string | null} */
  let over = null;
  /** Where a press or a key has left the pointer. @type {{ x: number, y: number } | null} */
  let left = null;
  let at = { x: NaN, y: NaN }; // the browser repeats events of a pointer that rests while the page changes
  const rest = (/** @type {string | null} */ id, /** @type {number} */ wait) => {
    if (id === over) return;
    over = id;
    clearTimeout(timer);
    if (id === null) light(editor, null);
    else timer = window.setTimeout(() => light(editor, over), wait);
  };
  const idOf = (/** @type {Event} */ event) => /** @type {Element} */ (event.target).closest?.("[data-id]")?.getAttribute("data-id") ?? null;
  const stay = () => {
    left = at;
    rest(null, 0);
  };
  surface.addEventListener("pointermove", (event) => {
    const { clientX: x, clientY: y } = event;
    if (x === at.x && y === at.y) return;
    at = { x, y };
    if (left && Math.hypot(x - left.x, y - left.y) <= STILL) return;
    left = null;
    if (event.pointerType !== "touch" && !event.buttons) rest(idOf(event), REST_MS);
  });
  surface.addEventListener("pointerleave", () => rest(null, 0));
  surface.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => {
    at = { x, y };
    stay(); // a gesture begins
  });
  host.addEventListener("keydown", stay, true); // elements that a key opens must not appear faded
  surface.addEventListener("focusin", (event) => host.classList.contains("by-keys") && rest(idOf(event), REST_MS));
  surface.addEventListener("focusout", () => rest(null, 0));
}

/** @param {Editor} editor @param {string | null} id */
function light({ stage, shown, dragged }, id) {
  const found = id === null || dragged || !stage.cards.has(id) ? null : lineage(shown.wires, nodesOf(stage.cards.get(id)?.node));
  stage.host.classList.toggle("tracing", found !== null);
  if (!found) return; // highlights may stay, since they are visible only while tracing
  for (const { root, node } of stage.cards.values()) root.classList.toggle("lit", nodesOf(node).some((name) => found.nodes.has(name)));
  for (const { root, number, wire } of stage.strands.values()) {
    const lit = wiresOf(wire).some((one) => found.wires.has(wireId(one)));
    for (const part of [root, number]) part.classList.toggle("lit", lit);
  }
}
