// @ts-check
// Why nothing arrives at the selected node: the wires from it to the cause are lit, and the cause's nodes are marked,
// as long as the node is selected and no edit is pending that may change the reason.

import { nodesOf, wiresOf } from "../state/fold.js";
import { wireId } from "./wires.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {{ name: string, why?: import("../../../web/mend.js").Explanation }} About */

export class Cause {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    /** @type {About | undefined} */
    this.about = undefined;
    /** What is marked: the reason, on which drawing. @type {unknown[]} */
    this.marked = [];
    editor.watchers.push(() => this.show());
  }

  /** @param {About | undefined} about the selected node, with the reason once it is known */
  receive(about) {
    this.about = about;
    this.show();
  }

  show() {
    const { about, editor } = this;
    const holds = about?.why && editor.single === about.name && !editor.isUnsure;
    const what = holds ? [about.why, editor.seen] : [];
    if (what.length === this.marked.length && what.every((one, i) => one === this.marked[i])) return;
    this.marked = what;
    const wires = new Set(holds ? about.why?.wires : []);
    const at = new Set(holds ? about.why?.at : []);
    editor.stage.host.classList.toggle("has-cause", wires.size > 0 || at.size > 0);
    for (const { root, wire } of editor.stage.strands.values()) root.classList.toggle("to-cause", wiresOf(wire).some((one) => wires.has(wireId(one))));
    for (const { root, node } of editor.stage.cards.values()) root.classList.toggle("is-cause", nodesOf(node).some((name) => at.has(name)));
  }
}
