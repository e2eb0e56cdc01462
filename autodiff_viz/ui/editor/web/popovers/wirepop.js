// @ts-check
// Show the numbers of a clicked wire: the value that it carries forward, the cotangent that arrives at its
// reader, the reader's equation, and its share in the sum at a fork; with what can be done there.

import { removeWire } from "../actions/commands.js";
import { freeSpot, pointAt } from "../draw/geometry.js";
import { shareOf } from "../state/wireshare.js";
import { html } from "../../../web/dom.js";
import { closePopover, openPopover } from "./popover.js";
import { sizeOfNew } from "../state/growth.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../types.js").Wire} Wire */

const BELOW = 16; // px between the wire and the popover
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
  openPopover(editor, {
    label: "Wire", kind: "wire-pop", first: "[autofocus]", // the canvas keeps the keys: Delete removes the wire
    find: () => (editor.wire === id && !editor.selection.size ? (strand()?.wire ?? undefined) : undefined),
    look: (wire) => rowsOf(editor, wire),
    fill: (wire) => [
      html("b", {}, `${wire.from} \u2192 ${wire.to}`),
      html("dl", {}, ...rowsOf(editor, wire).flatMap(([term, says, kind]) => [html("dt", {}, term), html("dd", { class: kind }, says)])),
      html("div", { class: "region-buttons" }, ...buttons(editor, wire)),
    ],
    place: () => {
      const curve = strand()?.curve;
      const [x, y] = curve?.length ? pointAt(curve, 0.5).point : [0, 0];
      return [x, y + BELOW / editor.stage.view.k];
    },
  });
}

/** Lines of the popover: a term, its numbers and their colour. @param {Editor} editor @param {Wire} wire @returns {[string, string, string][]} */
function rowsOf(editor, wire) {
  const { shown, drawing } = editor;
  const [from, to] = [editor.node(wire.from), editor.node(wire.to)];
  const told = drawing.node?.name === wire.to ? drawing.node.wires?.find(({ slot, to: producer }) => slot === wire.slot && producer === wire.from) : undefined;
  const equation = told?.terms?.map(([text]) => text).join("") ?? "";
  const { reverse } = wire;
  const { connected, cotangent } = to ?? { connected: false, cotangent: "" };
  const share = reverse ? "" : shareOf(shown, wire);
  /** @type {[string, string, string][]} */
  const rows = [
    ["Forward", [from?.shape, from?.value].filter(Boolean).join(" "), "blue"],
    ["Passed on", reverse ? wire.passed || "unknown: forward mode is blocked" : "", "tangent"],
    [`Arrives at ${wire.to}`, connected ? cotangent : "nothing: no path to the output", "orange"],
    [equation ? "Local \u00d7 arriving" : "Passed back", equation || (reverse ?? wire).passed || "nothing yet", "orange"],
    [`Share at ${wire.from}`, share, ""],
  ];
  return rows.filter(([, says]) => says);
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
