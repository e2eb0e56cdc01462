// @ts-check
// What a grad node reads beside its z and its x, while it is selected: a light dotted line from each such node, with an
// arrow to where its cotangent goes; the panel has the numbers. It is no wire, and cannot be moved.

import { keep, svg } from "../../../../web/dom.js";
import { seenAs } from "../../state/fold.js";
import { outputPoint, pathOf, pointAt, wireCurve } from "../geometry.js";

/** @typedef {import("../../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {{ from: GraphNode, to: GraphNode, at: number }} Read  `at`: 0 to 1, where on the lower edge of the card it ends */
/** @typedef {{ root: SVGGraphicsElement, line: Element, arrow: Element }} Thread */

const ARROW = "M-6 0L4.5 -4.5L4.5 4.5z";
const PLACE = 0.3; // of the way, from the node that is read
const GRAD = "grad";

/** @param {Editor} editor */
export function showReads(editor) {
  const layer = svg("g", { class: "reads" });
  editor.stage.layers.wires.append(layer);
  /** @type {Map<string, Thread>} */
  const threads = new Map();
  editor.watchers.push(() => {
    const reads = readsShown(editor);
    if (reads.length || threads.size) keep(layer, threads, reads, ({ from }) => from.id, make, show);
  });
}

/** What the selected grad node reads, as Python's rows beyond its own slots tell.
 * @param {Pick<Editor, "single" | "drawing" | "seen">} editor @returns {Read[]} */
export function readsShown({ single, drawing, seen }) {
  const about = drawing.node;
  const node = seen.nodes.find(({ id }) => id === single);
  if (!about || node?.op !== GRAD || about.name !== single) return [];
  const rows = (about.wires ?? []).filter(({ slot }) => slot >= node.slots.length);
  const cards = new Map(seen.nodes.map((card) => [card.id, card]));
  const found = new Map(rows.flatMap(({ to }) => {
    const from = cards.get(seenAs(seen, to));
    return from && from.id !== node.id ? [[from.id, from]] : [];
  }));
  return [...found.values()].map((from, i) => ({ from, to: node, at: (i + 1) / (found.size + 1) }));
}

/** @returns {Thread} */
function make() {
  const [line, arrow] = [svg("path", { class: "read-line" }), svg("path", { class: "read-arrow", d: ARROW })];
  return { root: svg("g", { class: "read" }, line, arrow), line, arrow };
}

/** @param {Thread} thread @param {Read} read */
function show({ line, arrow }, { from, to, at }) {
  const end = /** @type {Point} */ ([to.x + to.w * 0.5 * at, to.y + to.h]);
  const start = outputPoint(from);
  const curve = wireCurve(start, end);
  const [a, b, , d] = curve[0];
  curve[0] = [a, b, [d[0] - 6, d[1] + Math.max(30, Math.abs(d[1] - a[1]) / 2)], d]; // it ends from below
  line.setAttribute("d", pathOf(curve));
  const { point: [x, y], angle } = pointAt(curve, PLACE);
  arrow.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${angle.toFixed(1)})`);
}
