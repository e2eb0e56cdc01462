// @ts-check
// Handle clicks: one selects or opens the element under the pointer, two rename it or add a node.

import { openAnswer } from "../../asking/answer.js";
import { wireAsked } from "../../asking/questions.js";
import { PHONE, showPanel } from "../../dock/panels.js";
import { collapse, renameGroup } from "../actions/groups.js";
import { openBranches, stepBranches } from "../popovers/branches.js";
import { editConstant, editName, editRule, editValue } from "../popovers/fields.js";
import { openPalette } from "../popovers/palette.js";
import { openRegion, selectRegion } from "../popovers/region.js";
import { openWire, selectWire } from "../popovers/wire.js";
import { toWorld } from "../state/geometry.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("./gestures.js").Target} Target */

const CLICK_MS = 500; // within which the click comes after the release

/** @param {Editor} editor @param {Target} target */
export function click(editor, { part, id, slot, wire, region, extend, group, step, of }) {
  if (part === "asked" && id && of && !extend && openAnswer(editor, { of, node: id })) return;
  if (part !== "asked" && wire && openAnswer(editor, wireAsked(wire))) return;
  if (part === "pill" && id) return editConstant(editor, id, slot);
  if (part === "editable" && id && !extend) {
    editor.select([id]);
    return editValue(editor, id);
  }
  if (part === "opens" && id && !extend) return (editor.select([id]), editRule(editor, id));
  if (part === "step" && group) return stepBranches(editor, step, group);
  if (part === "amount" && group) return openBranches(editor, group);
  if (part === "opener")
    return collapse(editor, region ?? editor.node(id)?.group?.name ?? "", region !== null);
  if (part === "tab" && region)
    return void (isGroupName(editor, region)
      ? selectRegion(editor, region)
      : openRegion(editor, region));
  if (part === "slot" && id && !editor.node(id)?.group && !editor.node(id)?.slots[slot]?.wired)
    return editConstant(editor, id, slot);
  if (id && extend) return editor.toggle(id);
  if (id) {
    const again = editor.single === id;
    editor.select([id]);
    if (!again || !matchMedia(PHONE).matches) return;
    // A first tap leaves the sheet as it is. Not before the tap's own click: that would be of what comes under the finger.
    const about = { once: true, signal: AbortSignal.timeout(CLICK_MS) };
    return editor.stage.surface.addEventListener("click", () => showPanel("node"), about);
  }
  if (wire) {
    selectWire(editor, wire);
    openWire(editor, wire);
    return;
  }
  editor.select([]);
  editor.wire = null;
  editor.refresh();
}

/** @param {Editor} editor @param {Target} target @param {Point} start */
export function doubleClick(editor, target, start) {
  const { part, id, wire, region } = target;
  if (part === "step" || part === "amount") return click(editor, target);
  const group = editor.node(id)?.group;
  if (group && part !== "slot" && part !== "out") return collapse(editor, group.name, false);
  if (part === "tab" && region && isGroupName(editor, region)) return renameGroup(editor, region);
  if (id && (part === "name" || part === "node"))
    (part === "node" && editor.node(id)?.isInput ? editValue : editName)(editor, id);
  else if (!id && !wire && !region)
    openPalette(editor, { at: toWorld(editor.stage.view, start), from: null });
}

/** @param {Editor} editor @param {string} name */
const isGroupName = ({ shown }, name) => shown.groups.some((group) => group.name === name);
