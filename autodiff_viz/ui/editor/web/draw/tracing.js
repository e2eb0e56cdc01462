// @ts-check
// Highlight of a node's lineage: while a pointer or the focus rests on a node, its ancestors and descendants
// are lit.

import { nodesOf, wiresOf } from "../state/fold.js";
import { lineage } from "../state/lineage.js";
import { wireId } from "./wires.js";

/** @typedef {import("../editor.js").Editor} Editor */

const REST_MS = 180; // the pointer passes over many nodes on its way

/** @param {Editor} editor */
export function traceLineage(editor) {
  const { surface, host } = editor.stage;
  let timer = 0;
  /** @type {string | null} */
  let over = null;
  const rest = (/** @type {string | null} */ id, /** @type {number} */ wait) => {
    if (id === over) return;
    over = id;
    clearTimeout(timer);
    if (id === null) light(editor, null);
    else timer = window.setTimeout(() => light(editor, over), wait);
  };
  const idOf = (/** @type {Event} */ event) => /** @type {Element} */ (event.target).closest?.("[data-id]")?.getAttribute("data-id") ?? null;
  surface.addEventListener("pointerover", (event) => event.pointerType !== "touch" && !event.buttons && rest(idOf(event), REST_MS));
  surface.addEventListener("pointerleave", () => rest(null, 0));
  surface.addEventListener("pointerdown", () => rest(null, 0)); // a gesture begins
  host.addEventListener("keydown", () => rest(null, 0), true); // elements that a key opens must not appear faded
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
