// @ts-check
// Highlight why nothing arrives at the selected node: the wires from it to the cause, and the cause's nodes,
// as long as the node is selected and no pending edit may change the reason. Otherwise highlight the wire and
// the nodes at which NaN or infinity begins, if there is one.

import { wireId } from "../canvas/draw/wires.js";
import { nodesOf, wiresOf } from "../canvas/state/fold.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../base/cure.js").Explanation} Explanation */
/** @typedef {{ name: string, why?: Explanation }} About */

export class WhyZero {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    /** @type {About | undefined} */
    this.about = undefined;
    /** @type {Explanation | undefined} */
    this.origin = undefined;
    /** Wires that an answer's feedback points to. @type {Explanation | undefined} */
    this.pointed = undefined;
    /** What is marked: the reason, on which drawing. @type {unknown[]} */
    this.marked = [];
    editor.watchers.push(() => this.show());
  }

  /** @param {About | undefined} about the selected node, with the reason once it is known
   * @param {Explanation | undefined} origin where numbers stop being finite, once it is known */
  receive(about, origin) {
    Object.assign(this, { about, origin });
    this.show();
  }

  /** Point to the wire that the feedback to an answer names. @param {Explanation | undefined} pointed */
  point(pointed) {
    if (pointed?.wires?.join() === this.pointed?.wires?.join()) return;
    this.pointed = pointed;
    this.show();
  }

  show() {
    const { about, origin, pointed, editor } = this;
    const why = editor.single === about?.name && about?.why?.at?.length ? about.why : undefined;
    const reason = editor.isUnsure ? undefined : (pointed ?? why ?? origin);
    const what = reason ? [reason, editor.seen] : [];
    // Called at every change of the canvas: while reason and drawing are the same objects, nothing is marked anew.
    if (what.length === this.marked.length && what.every((one, i) => one === this.marked[i]))
      return;
    this.marked = what;
    const wires = new Set(reason?.wires);
    const at = new Set(reason?.at);
    const { classList } = editor.stage.host;
    classList.toggle("has-cause", reason === why && (wires.size > 0 || at.size > 0));
    classList.toggle("has-origin", reason === origin && reason !== undefined);
    for (const { root, wire } of editor.stage.strands.values())
      root.classList.toggle(
        "to-cause",
        wiresOf(wire).some((one) => wires.has(wireId(one))),
      );
    for (const { root, node } of editor.stage.cards.values())
      root.classList.toggle(
        "is-cause",
        nodesOf(node).some((name) => at.has(name)),
      );
  }
}
