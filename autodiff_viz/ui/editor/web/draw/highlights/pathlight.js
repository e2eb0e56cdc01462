// @ts-check
// Highlight one path of the list of paths: its nodes and wires stand out, all others fade.

import { nodesOf, wiresOf } from "../../state/fold.js";
import { wireId } from "../wires/wires.js";

/** @typedef {import("../../editor.js").Editor} Editor */
/** @typedef {{ nodes: string[], wires: string[] }} Lit */

export class PathLight {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    /** @type {Lit | null} */
    this.path = null;
    editor.watchers.push(() => this.path && this.mark(this.path));
  }

  /** @param {Lit | null} path */
  show(path) {
    if (path === this.path) return;
    this.path = path;
    this.editor.stage.host.classList.toggle("on-paths", path !== null);
    if (path) this.mark(path); // marks may stay, since they are visible only while a path is highlighted
  }

  /** @param {Lit} path */
  mark(path) {
    const [names, wires] = [new Set(path.nodes), new Set(path.wires)];
    const { cards, strands } = this.editor.stage;
    for (const { root, node } of cards.values()) root.classList.toggle("along", nodesOf(node).some((name) => names.has(name)));
    for (const { root, number, wire } of strands.values()) {
      const lit = wiresOf(wire).some((one) => wires.has(wireId(one)));
      for (const part of [root, number]) part.classList.toggle("along", lit);
    }
  }
}
