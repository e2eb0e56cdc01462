// @ts-check
// Write the canvas's output for screen readers: a list of the graph, updated when idle, and a line about
// every edit that Python has answered.

import { html, keep, setText } from "../../../../web/dom.js";
import { spoken } from "../cards/nodes.js";
import { isOfData, isWrittenOut, linesOf, spokenStep } from "./reading.js";
import { say } from "../stage.js";

/** @typedef {import("../../editor.js").Editor} Editor */
/** @typedef {{ root: HTMLElement, text: HTMLElement, wires: HTMLElement, said: string }} Line */

const WRITTEN = "The copies now differ, so the formula writes the loop out. Undo brings it back.";
const LATER = 400; // ms without a change before the list is written

/** @param {Editor} editor */
export function speak(editor) {
  const list = html("ul", { "aria-label": "Nodes and wires" });
  const told = html("div", { "aria-live": "polite", class: "told" });
  editor.stage.host.append(html("div", { class: "unseen" }, list, told));
  /** @type {Map<string, Line>} */
  const lines = new Map();
  let [written, drawing, timer] = [editor.seen, editor.drawing, 0];
  const write = () => {
    if (written === editor.seen || editor.dragged) return;
    written = editor.seen;
    list.setAttribute("aria-label", `Nodes and wires: ${written.nodes.length} nodes, ${written.wires.length} wires`);
    const items = linesOf(written, spoken);
    keep(list, lines, items, ({ id }) => id, makeLine, writeLine);
    items.forEach(({ id }, i) => inPlace(list, /** @type {Line} */ (lines.get(id)).root, i));
  };
  editor.watchers.push(() => {
    if (editor.drawing !== drawing) {
      const what = drawing.rev < 0 ? "" : spokenStep(drawing, editor.drawing);
      if (drawing.rev >= 0 && isWrittenOut(drawing.history, editor.drawing.history)) say(editor.stage, WRITTEN);
      if (drawing.rev >= 0 && isOfData(drawing.history, editor.drawing.history)) say(editor.stage, editor.drawing.history.undo ?? "");
      drawing = editor.drawing;
      if (what) told.textContent = what;
    }
    if (written === editor.seen || editor.dragged) return;
    clearTimeout(timer);
    timer = window.setTimeout(write, LATER);
  });
}

/** @returns {Line} */
function makeLine() {
  const [text, wires] = [html("span"), html("ul")];
  return { root: html("li", {}, text), text, wires, said: "" };
}

/** @param {Line} line @param {{ text: string, wires: string[] }} item */
function writeLine(line, { text, wires }) {
  setText(line.text, text);
  const said = wires.join("\n");
  if (said === line.said) return;
  line.said = said;
  line.wires.replaceChildren(...wires.map((wire) => html("li", {}, wire)));
  if (wires.length) line.root.append(line.wires);
  else line.wires.remove();
}

/** @param {Element} list @param {Element} item @param {number} index */
function inPlace(list, item, index) {
  if (list.children[index] !== item) list.insertBefore(item, list.children[index]);
}
