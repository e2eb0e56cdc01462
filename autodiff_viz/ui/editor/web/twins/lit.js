// @ts-check
// Highlight the wire at which the backward sweeps of the two compared graphs part.

import { wireId } from "../draw/wires/wires.js";

/** Highlight the wires that Python names, and the card's wires that stand for them.
 * @param {import("../editor.js").Editor} editor */
export function lightParting(editor) {
  const { stage } = editor;
  let any = false;
  editor.watchers.push(() => {
    const lit = editor.drawing.twins?.lit ?? [];
    if (!any && !lit.length) return;
    any = lit.length > 0;
    for (const [id, { root, wire }] of stage.strands) root.classList.toggle("parts", isLit(lit, id, wire?.of));
    stage.host.classList.toggle("parted", any);
  });
}

/** Whether a wire on the canvas is highlighted, itself or as one that it stands for. Pure.
 * @param {string[]} lit @param {string} id @param {{ to: string, slot: number }[]} [of] */
export const isLit = (lit, id, of = []) => lit.includes(id) || of.some((wire) => lit.includes(wireId(wire)));
