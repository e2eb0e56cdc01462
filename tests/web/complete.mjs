// Writes the numbers of drawings made by Python as the canvas and the panel do: a drawing a line, in and out.
import { createInterface } from "node:readline";
import { readDrawing } from "../../autodiff_viz/web/canvas/state/read_drawing.js";
import { inFull, pieces } from "../../autodiff_viz/web/inspector/follow.js";
import { shortText } from "../../autodiff_viz/web/base/numbers.js";

const placed = (terms = [], isSum = false) =>
  pieces(terms, isSum).map((piece, i) => [...piece, ...terms[i].slice(2)]);

const panelOf = (node) => ({
  ...node,
  value: inFull(node.value),
  arriving: inFull(node.arriving),
  tangent: inFull(node.tangent),
  fork: placed(node.fork, true),
  added: placed(node.added, true),
  wires: node.wires.map((wire) => ({
    ...wire,
    terms: placed(wire.terms),
    pushes: placed(wire.pushes),
    passed: typeof wire.passed === "object" ? shortText(wire.passed) : (wire.passed ?? ""),
  })),
});

for await (const line of createInterface({ input: process.stdin })) {
  const drawing = readDrawing(JSON.parse(line));
  console.log(JSON.stringify({ ...drawing, ...(drawing.node && { node: panelOf(drawing.node) }) }));
}
