// @ts-check
// Choose the numbers of one wire for its popover: Python's, or those of a dragged slider's position, from the table that
// moves the canvas. Pure.

import { followedWire } from "../../../inspector/web/follow.js";
import { numberText } from "../draw/text/numbers.js";
import { realWire, wiresOf } from "../state/fold.js";
import { shareOf } from "../state/wireshare.js";

/** @typedef {import("../types.js").Wire} Wire */
/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {import("../../../inspector/web/follow.js").Numbers} Numbers */
/** @typedef {{ nodes: GraphNode[], wires: Wire[], node?: import("../../../inspector/web/types.js").NodeData }} Graph  `node`: what Python told of the selected node */

const DIGITS = { card: 4, wire: 3 };
const LATER_PLAYED = "not computed yet";
const LATER = "follows when you let go"; // the sum of several wires, which no table has

/** Lines of the popover: a term, its numbers and their colour.
 * @param {Graph} graph @param {Wire} drawn @param {Numbers | null} numbers of a slider's position; null: Python's own
 * @param {((place: string) => boolean) | null} isComputed by the pass that is played; null: all are
 * @returns {[string, string, string][]} */
export function wireRows(graph, drawn, numbers, isComputed = null) {
  const at = numbers ? moved(graph, numbers) : graph;
  const wire = numbers ? movedWire(drawn, numbers) : drawn;
  const node = (/** @type {string | undefined} */ name) => at.nodes.find(({ id }) => id === name);
  const real = realWire(drawn);
  const [from, to] = [node(wiresOf(drawn)[0]?.from), node(real?.to)];
  const equation = equationOf(graph, drawn, numbers);
  const { reverse } = wire;
  const waits = wire.passed === LATER;
  const passed = `passed ${real?.to}:${real?.slot}`;
  /** @type {[string, string, string, string][]} with the place of what has to be computed first */
  const rows = [
    ["Forward", [from?.shape, from?.value].filter(Boolean).join(" "), "blue", `value ${from?.id}`],
    ["Passed on", reverse ? wire.passed || "unknown: forward mode is blocked" : "", "tangent", passed],
    [`Arrives at ${real?.to}`, !to ? "" : to.connected ? to.cotangent : "nothing: no path to the output", "orange", `cotangent ${to?.id}`],
    [equation ? "Local \u00d7 arriving" : "Passed back", equation || (reverse ?? wire).passed || "nothing yet", "orange", passed],
    [`Share at ${wire.from}`, reverse || waits ? "" : shareOf(at, wire), "", `cotangent ${from?.id}`],
  ];
  return rows.filter(([, says]) => says).map(([term, says, kind, place]) => [term, isComputed?.(place) === false ? LATER_PLAYED : says, kind]);
}

/** The equation of a wire's reader, if Python has told of that node. @param {Graph} graph @param {Wire} wire @param {Numbers | null} numbers */
function equationOf({ node }, wire, numbers) {
  const told = node?.name === wire.to ? node.wires?.find(({ slot, to }) => slot === wire.slot && to === wire.from) : undefined;
  const row = told && numbers ? followedWire(told, `${wire.to}:${wire.slot}`, numbers) : told;
  return row?.terms?.map(([text]) => text).join("") ?? "";
}

/** The graph with the numbers of a slider's position. @param {Graph} graph @param {Numbers} numbers @returns {Graph} */
function moved({ nodes, wires, node }, numbers) {
  const text = (/** @type {string} */ place, /** @type {string} */ before) => {
    const found = numbers.get(place);
    return found ? numberText(found.kind, found.numbers, DIGITS.card) : before;
  };
  const movedNode = (/** @type {GraphNode} */ one) => ({ ...one, value: text(`value ${one.id}`, one.value), cotangent: text(`cotangent ${one.id}`, one.cotangent) });
  return { node, nodes: nodes.map(movedNode), wires: wires.map((wire) => movedWire(wire, numbers)) };
}

/** @param {Wire} wire @param {Numbers} numbers @returns {Wire} */
function movedWire(wire, numbers) {
  const back = movedFlow(wire, wire.reverse ?? wire, "passed", numbers);
  if (!wire.reverse) return { ...wire, ...back };
  return { ...wire, ...movedFlow(wire, wire, "pushed", numbers), reverse: back };
}

/** What a wire passes at a slider's position. @param {Wire} wire @param {{ passed: string, passedFull?: string }} flow
 * @param {"passed" | "pushed"} what @param {Numbers} numbers */
function movedFlow(wire, { passed, passedFull }, what, numbers) {
  const all = wiresOf(wire);
  const found = all.flatMap(({ to, slot }) => numbers.get(`${what} ${to}:${slot}`) ?? []);
  if (!found.length) return { passed, passedFull };
  if (all.length > 1) return { passed: LATER, passedFull: undefined };
  const [{ kind, numbers: own }] = found;
  return { passed: numberText(kind, own, DIGITS.wire), passedFull: kind === 0 ? String(own[0]) : undefined };
}
