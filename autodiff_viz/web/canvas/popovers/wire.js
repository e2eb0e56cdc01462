// @ts-check
// Show the numbers of a clicked wire: the value that it carries forward, the cotangent that arrives at its reader, the
// reader's equation, and its share in the sum at a fork; with what can be done there. They follow a dragged slider.

import { html } from "../../base/dom.js";
import { dispatch } from "../../base/events.js";
import { isNegative, numberText } from "../../base/numbers.js";
import { term } from "../../base/term.js";
import { PHONE } from "../../dock/panels.js";
import { followedWire, lineText } from "../../inspector/follow.js";
import { removeWire } from "../actions/commands.js";
import { sizeOfNew } from "../state/edits.js";
import { realWire, titleOf, wiresOf } from "../state/fold.js";
import { bounds, freeSpot, pointAt } from "../state/geometry.js";
import { closePopover, openPopover } from "./popover.js";

// The share of a wire in the cotangent of the node that it comes from. Pure.

/** @typedef {import("../../types.js").Wire} Wire */

/** What goes down a wire. @param {Wire} wire @returns {number} NaN for a tensor, and if it is not known */
const numberIn = ({ number }) => (number?.kind === 0 ? number.numbers[0] : NaN);

/** In words, what part of the cotangent at a fork comes through this wire; "" where the node feeds no other.
 * @param {{ nodes: import("../../types.js").GraphNode[], wires: Wire[] }} drawing @param {Wire} wire */
export function shareOf({ nodes, wires }, wire) {
  const beside = wires.filter(({ from, alternative }) => from === wire.from && !alternative);
  const node = nodes.find(({ id }) => id === wire.from);
  if (!node || beside.length < 2) return "";
  const of = `${wire.passed} of ${node.cotangent}`;
  const parts = beside.map(numberIn);
  const own = numberIn(wire);
  const sum = parts.reduce((all, part) => all + part, 0);
  const many = `the sum of ${beside.length} wires`;
  if (!Number.isFinite(sum) || !sum || node.isOutput || parts.some((part) => part * sum < 0))
    return `${of}, ${many}`;
  return `${of}, ${Math.round((100 * own) / sum)} % of ${many}`;
}

// The numbers of a wire: Python's, or those of a dragged slider's position, from the table that moves the
// canvas. Pure.

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../inspector/follow.js").Numbers} Numbers */
/**
 * @typedef {object} Graph
 * @property {GraphNode[]} nodes
 * @property {Wire[]} wires
 * @property {import("../../types.js").NodeData} [node] what Python sent about the selected node
 */

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
    [
      "Passed on",
      reverse ? wire.passed || "unknown: forward mode is blocked" : "",
      "tangent",
      passed,
    ],
    [
      `Arrives at ${real?.to}`,
      !to ? "" : to.connected ? to.cotangent : "nothing: no path to the output",
      "orange",
      `cotangent ${to?.id}`,
    ],
    [
      equation ? "Local \u00d7 arriving" : "Passed back",
      equation || (reverse ?? wire).passed || "nothing yet",
      "orange",
      passed,
    ],
    [
      `Share at ${wire.from}`,
      reverse || waits ? "" : shareOf(at, wire),
      "",
      `cotangent ${from?.id}`,
    ],
  ];
  return rows
    .filter(([, says]) => says)
    .map(([term, says, kind, place]) => [
      term,
      isComputed?.(place) === false ? LATER_PLAYED : says,
      kind,
    ]);
}

/** The equation of a wire's reader, if Python has told of that node. @param {Graph} graph @param {Wire} wire @param {Numbers | null} numbers */
function equationOf({ node }, wire, numbers) {
  const sent =
    node?.name === wire.to
      ? node.wires?.find(({ slot, to }) => slot === wire.slot && to === wire.from)
      : undefined;
  const row = sent && numbers ? followedWire(sent, `${wire.to}:${wire.slot}`, numbers) : sent;
  return lineText(row?.terms);
}

/** The graph with the numbers of a slider's position. @param {Graph} graph @param {Numbers} numbers @returns {Graph} */
function moved({ nodes, wires, node }, numbers) {
  const text = (/** @type {string} */ place, /** @type {string} */ before) => {
    const moving = numbers.get(place);
    return moving ? numberText(moving, DIGITS.card) : before;
  };
  const movedNode = (/** @type {GraphNode} */ one) => ({
    ...one,
    value: text(`value ${one.id}`, one.value),
    cotangent: text(`cotangent ${one.id}`, one.cotangent),
  });
  return {
    node,
    nodes: nodes.map(movedNode),
    wires: wires.map((wire) => movedWire(wire, numbers)),
  };
}

/** @param {Wire} wire @param {Numbers} numbers @returns {Wire} */
function movedWire(wire, numbers) {
  const back = movedFlow(wire, wire.reverse ?? wire, "passed", numbers);
  if (!wire.reverse) return { ...wire, ...back };
  return { ...wire, ...movedFlow(wire, wire, "pushed", numbers), reverse: back };
}

/** What a wire passes at a slider's position. @param {Wire} wire @param {import("../../types.js").Passed} flow
 * @param {"passed" | "pushed"} what @param {Numbers} numbers */
function movedFlow(wire, { passed, passedFull, number }, what, numbers) {
  const all = wiresOf(wire);
  const row = all.flatMap(({ to, slot }) => numbers.get(`${what} ${to}:${slot}`) ?? []);
  if (!row.length) return { passed, passedFull, number };
  if (all.length > 1) return { passed: LATER, passedFull: undefined, number: undefined };
  const [own] = row;
  return { passed: numberText(own, DIGITS.wire), passedFull: undefined, number: own };
}

/** @typedef {import("../editor.js").Editor} Editor */

const BELOW = 16; // px between the wire and the popover
/** @type {Record<string, string>} words of the glossary, by how a row begins */
const WORDS = {
  Forward: "value",
  "Passed on": "tangent",
  Arrives: "arriving cotangent",
  Local: "pullback",
  "Passed back": "passes",
};
const PLAIN = "identity"; // op of a node that only has a rule

/** Select a wire, and request the numbers of its reader from Python. @param {Editor} editor @param {string} id */
export function selectWire(editor, id) {
  editor.select([]);
  editor.wire = id;
  const reader = editor.stage.strands.get(id)?.wire?.to;
  if (editor.shown.nodes.some((node) => node.id === reader) && reader !== editor.told) {
    editor.told = reader ?? null;
    editor.send({ kind: "select", node: reader });
  } else editor.refresh();
}

/** @param {Editor} editor @param {string} id of the wire */
export function openWire(editor, id) {
  const strand = () => editor.stage.strands.get(id);
  if (matchMedia(PHONE).matches) dispatch("menu", {}); // it needs the canvas's whole height
  const rows = (/** @type {Wire} */ wire) =>
    wireRows(
      { ...editor.shown, node: editor.drawing.node },
      wire,
      editor.row?.numbers ?? null,
      editor.isComputed,
    );
  openPopover(editor, {
    label: "Wire",
    kind: "wire-pop",
    first: "[autofocus]", // the canvas keeps the keys: Delete removes the wire
    find: () =>
      editor.wire === id && !editor.selection.size ? (strand()?.wire ?? undefined) : undefined,
    look: rows,
    fill: (wire) => [
      html("b", {}, `${titleOf(wire.from)} \u2192 ${titleOf(wire.to)}`),
      html(
        "dl",
        {},
        ...rows(wire).flatMap(([row, says, kind]) => {
          const word = Object.keys(WORDS).find((start) => row.startsWith(start));
          return [
            html("dt", {}, word ? term(WORDS[word], row) : row), // what the row is about, explained
            html(
              "dd",
              { class: isNegative(says.split("= ").at(-1) ?? "") ? `${kind} negative` : kind },
              says,
            ),
          ];
        }),
      ),
      html("div", { class: "region-buttons" }, ...buttons(editor, wire)),
    ],
    place: () => {
      const curve = strand()?.curve;
      const [x, y] = curve?.length ? pointAt(curve, 0.5).point : [0, 0];
      return [x, y + BELOW / editor.stage.view.k];
    },
    own: (wire) => [
      ...editor.seen.nodes.filter((node) => node.id === wire.from || node.id === wire.to),
      ...boxOf(strand()?.curve),
    ],
  });
}

/** The box of a wire. @param {import("../../types.js").Cubic[]} [curve] @returns {import("../../types.js").Box[]} */
function boxOf(curve) {
  if (!curve?.length) return [];
  const points = [0, 0.25, 0.5, 0.75, 1].map((t) => pointAt(curve, t).point);
  const box = bounds(points.map(([x, y]) => ({ x, y, w: 0, h: 0 })));
  return box ? [box] : [];
}

/** @param {Editor} editor @param {Wire} wire */
function buttons(editor, wire) {
  if (wire.of || editor.isFixed) return [];
  const act = (/** @type {string} */ text, /** @type {() => void} */ run, kind = "plain") =>
    html(
      "button",
      { type: "button", class: kind, click: () => (closePopover(editor), run()) },
      text,
    );
  return [
    act("Stop here", () => stopAt(editor, wire)),
    act(`Rules of ${wire.to}`, () => editor.select([wire.to])),
    act(
      "Remove",
      () => ((editor.wire = `${wire.to}:${wire.slot}`), removeWire(editor)),
      "plain danger",
    ),
  ];
}

/** Put a node that stops the gradient into the wire. @param {Editor} editor @param {Wire} wire */
function stopAt(editor, { from, to, slot }) {
  const entry = editor.ops.get(PLAIN);
  const curve = editor.stage.strands.get(`${to}:${slot}`)?.curve;
  if (!entry || !curve) return;
  const { w, h } = sizeOfNew(entry);
  const [x, y] = pointAt(curve, 0.5).point;
  const position = freeSpot(editor.seen.nodes, [Math.round(x - w / 2), Math.round(y - h / 2)], {
    w,
    h,
  });
  editor.send({
    kind: "add",
    op: PLAIN,
    position,
    wire: { from, slot: 0 },
    feeds: { to, slot },
    rule: "stop",
  });
}
