// @ts-check
// Highlight ports that fit, and the wires of a loop, while a wire is drawn.

import { nodesOf, wiresOf } from "../../state/fold.js";

/** @typedef {import("../stage.js").Stage} Stage */
/** @typedef {import("../../types.js").Wire} Wire */
/** @typedef {{ node: import("../../types.js").GraphNode, slot: number, against: string }} Port */

/** Selector of a port. A negative slot is an output: a collapsed group may have several.
 * @param {import("../../types.js").GraphNode} node @param {number} slot */
const markOf = ({ group }, slot) => (slot >= 0 ? `.slot[data-slot="${slot}"]` : group ? `.out[data-slot="${-1 - slot}"]` : ".out");

/** Highlight the ports that fit and fade the others, with cards that have no fitting port. Returns a function that
 * undoes this.
 * @param {Stage} stage @param {Port[]} ports @param {boolean} forward whether slots are sought, or outputs */
export function markPorts(stage, ports, forward) {
  const welcome = new Set(ports.filter(({ against }) => !against).map(({ node }) => node.id));
  const marked = ports.flatMap(({ node, slot, against }) => {
    const mark = stage.cards.get(node.id)?.root.querySelector(markOf(node, slot));
    mark?.classList.add(against ? "unfit" : "fit");
    return mark ? [mark] : [];
  });
  for (const [id, { root }] of stage.cards) root.classList.toggle("refused", !welcome.has(id));
  stage.host.classList.add("wiring", forward ? "seeks-slot" : "seeks-output");
  return () => {
    stage.host.classList.remove("wiring", "seeks-slot", "seeks-output");
    for (const mark of marked) mark.classList.remove("fit", "unfit");
    for (const { root } of stage.cards.values()) root.classList.remove("refused");
  };
}

/** Highlight the wires of a refused loop and the nodes at their ends; none ends the highlight.
 * @param {Stage} stage @param {Wire[]} loop */
export function lightLoop({ cards, strands, host }, loop) {
  host.classList.toggle("looping", loop.length > 0);
  const wires = new Set(loop.map(({ to, slot }) => `${to}:${slot}`));
  const nodes = new Set(loop.flatMap(({ from, to }) => [from, to]));
  for (const { root, wire } of strands.values()) root.classList.toggle("looped", wiresOf(wire).some(({ to, slot }) => wires.has(`${to}:${slot}`)));
  for (const { root, node } of cards.values()) root.classList.toggle("looped", nodesOf(node).some((name) => nodes.has(name)));
}
