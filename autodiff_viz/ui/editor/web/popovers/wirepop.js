// @ts-check
// Show the numbers of a clicked wire: the value that it carries forward, the cotangent that arrives at its reader, the
// reader's equation, and its share in the sum at a fork; with what can be done there. They follow a dragged slider.

import { removeWire } from "../actions/commands.js";
import { bounds, freeSpot, pointAt } from "../draw/geometry.js";
import { wireRows } from "../live/wirerows.js";
import { html } from "../../../web/dom.js";
import { term } from "../../../web/term.js";
import { closePopover, openPopover } from "./popover.js";
import { titleOf } from "../state/fold.js";
import { sizeOfNew } from "../state/growth.js";
import { PHONE } from "../../../workbench/web/panels.js";
import { tell } from "../../../web/news.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").Wire} Wire */

const BELOW = 16; // px between the wire and the popover
/** @type {Record<string, string>} words of the glossary, by how a row begins */
const WORDS = { Forward: "value", "Passed on": "tangent", Arrives: "arriving cotangent", Local: "pullback", "Passed back": "passes" };
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
  if (matchMedia(PHONE).matches) tell("menu", {}); // it needs the canvas's whole height
  const rows = (/** @type {Wire} */ wire) => wireRows({ ...editor.shown, node: editor.drawing.node }, wire, editor.numbers, editor.isComputed);
  openPopover(editor, {
    label: "Wire", kind: "wire-pop", first: "[autofocus]", // the canvas keeps the keys: Delete removes the wire
    find: () => (editor.wire === id && !editor.selection.size ? (strand()?.wire ?? undefined) : undefined),
    look: rows,
    fill: (wire) => [
      html("b", {}, `${titleOf(wire.from)} \u2192 ${titleOf(wire.to)}`),
      html("dl", {}, ...rows(wire).flatMap(([row, says, kind]) => [html("dt", {}, wordOf(row)), html("dd", { class: kind }, says)])),
      html("div", { class: "region-buttons" }, ...buttons(editor, wire)),
    ],
    place: () => {
      const curve = strand()?.curve;
      const [x, y] = curve?.length ? pointAt(curve, 0.5).point : [0, 0];
      return [x, y + BELOW / editor.stage.view.k];
    },
    own: (wire) => [...editor.seen.nodes.filter((node) => node.id === wire.from || node.id === wire.to), ...boxOf(strand()?.curve)],
  });
}

/** What a row is about, explained. @param {string} row @returns {Node | string} */
function wordOf(row) {
  const word = Object.keys(WORDS).find((start) => row.startsWith(start));
  return word ? term(WORDS[word], row) : row;
}

/** The box of a wire. @param {import("../types.js").Cubic[]} [curve] @returns {import("../types.js").Box[]} */
function boxOf(curve) {
  if (!curve?.length) return [];
  const points = [0, 0.25, 0.5, 0.75, 1].map((t) => pointAt(curve, t).point);
  const box = bounds(points.map(([x, y]) => ({ x, y, w: 0, h: 0 })));
  return box ? [box] : [];
}

/** @param {Editor} editor @param {Wire} wire */
function buttons(editor, wire) {
  if (wire.of) return [];
  const act = (/** @type {string} */ text, /** @type {() => void} */ run, kind = "plain") =>
    html("button", { type: "button", class: kind, click: () => (closePopover(editor), run()) }, text);
  return [
    act("Stop here", () => stopAt(editor, wire)),
    act(`Rules of ${wire.to}`, () => editor.select([wire.to])),
    act("Remove", () => ((editor.wire = `${wire.to}:${wire.slot}`), removeWire(editor)), "plain danger"),
  ];
}

/** Put a node that stops the gradient into the wire. @param {Editor} editor @param {Wire} wire */
function stopAt(editor, { from, to, slot }) {
  const entry = editor.ops.get(PLAIN);
  const curve = editor.stage.strands.get(`${to}:${slot}`)?.curve;
  if (!entry || !curve) return;
  const { w, h } = sizeOfNew(entry);
  const [x, y] = pointAt(curve, 0.5).point;
  const position = freeSpot(editor.seen.nodes, [Math.round(x - w / 2), Math.round(y - h / 2)], { w, h });
  editor.send({ kind: "add", op: PLAIN, position, wire: { from, slot: 0 }, feeds: { to, slot }, rule: "stop" });
}
