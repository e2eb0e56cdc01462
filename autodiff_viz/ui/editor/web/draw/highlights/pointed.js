// @ts-check
// Highlight the nodes that the caret or the pointer in the formula means, or the search for a node, and lightly
// the wires that they read.

import { seenAs, wiresOf } from "../../state/fold.js";

/** @typedef {import("../../editor.js").Editor} Editor */

export class Pointed {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    /** @type {Set<string>} */
    this.names = new Set();
    /** What has the classes. @type {Element[]} */
    this.marked = [];
    this.seen = editor.seen;
    editor.watchers.push(() => this.names.size && this.seen !== editor.seen && this.mark());
  }

  /** @param {Iterable<string>} names of nodes; those in a collapsed group are its card */
  show(names) {
    const wanted = new Set(names);
    if (wanted.size === this.names.size && [...wanted].every((name) => this.names.has(name))) return;
    this.names = wanted;
    this.mark();
  }

  mark() {
    const { stage, seen } = this.editor;
    for (const element of this.marked) element.classList.remove("pointed", "to-pointed");
    this.marked = [];
    this.seen = seen;
    const ids = new Set([...this.names].map((name) => seenAs(seen, name)));
    for (const id of ids) this.give(stage.cards.get(id)?.root, "pointed");
    if (ids.size) for (const { root, wire } of stage.strands.values()) if (wiresOf(wire).some(({ to }) => this.names.has(to))) this.give(root, "to-pointed");
  }

  /** @param {Element | undefined} element @param {string} name */
  give(element, name) {
    element?.classList.add(name);
    if (element) this.marked.push(element);
  }
}
