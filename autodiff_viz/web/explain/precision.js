// @ts-check
// Mark the wires and nodes whose numbers leave the range of their dtype, while the figure of precision is
// chosen.

import { nodesOf } from "../canvas/state/fold.js";
import { isLit } from "./compare.js";

/** Wires (as ids) and nodes whose numbers are lost. @typedef {{ under: string[], over: string[] }} Ranged */

/** Mark the wires and nodes that Python names, and the cards that stand for them.
 * @param {import("../canvas/editor.js").Editor} editor */
export function markRanges(editor) {
  const { stage } = editor;
  let any = false;
  editor.watchers.push(() => {
    const { under = [], over = [] } = editor.drawing.ranged ?? {};
    if (!any && !under.length && !over.length) return;
    any = under.length + over.length > 0;
    for (const [id, { root, wire }] of stage.strands)
      mark(root, isLit(under, id, wire?.of), isLit(over, id, wire?.of));
    for (const { root, node } of stage.cards.values())
      mark(root, has(under, nodesOf(node)), has(over, nodesOf(node)));
    stage.host.classList.toggle("ranged", any);
  });
}

/** @param {Element} root @param {boolean} under @param {boolean} over */
function mark(root, under, over) {
  root.classList.toggle("underflows", under && !over);
  root.classList.toggle("overflows", over);
}

/** @param {string[]} marked @param {string[]} names */
const has = (marked, names) => names.some((name) => marked.includes(name));
