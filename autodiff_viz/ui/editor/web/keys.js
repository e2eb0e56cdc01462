// @ts-check
// The keyboard. Nothing typed on the canvas reaches Streamlit, whose own keys (r, c) would answer too.

import { NODE_ACTIONS, VIEW_ACTIONS } from "./actions.js";
import { nudge } from "./arrange.js";
import { branchesKey } from "./branches.js";
import { duplicate } from "./duplicate.js";
import { editConstant, editName, editValue } from "./field.js";
import { seenAs } from "./fold.js";
import { neighbour } from "./geometry.js";
import { collapse, groupOf, renameGroup, toggleCollapse } from "./groups.js";
import { toggleHelp } from "./help.js";
import { MORE_ACTIONS } from "./more.js";
import { closeNotice } from "./notice.js";
import { closePalette, openPalette } from "./palette.js";
import { openRegion } from "./regionpop.js";
import { editRule } from "./rulefield.js";
import { reachKey } from "./reach.js";
import { revealing } from "./stage.js";
import { FILE_ACTIONS } from "./take.js";

/** @typedef {import("./editor.js").Editor} Editor */

/** @type {Record<string, import("./types.js").Point>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @type {Record<string, (editor: Editor) => void>} */
export const KEYS = {
  ...Object.fromEntries(Object.values({ ...NODE_ACTIONS, ...VIEW_ACTIONS }).map(({ key, run }) => [key.toLowerCase(), run])),
  backspace: NODE_ACTIONS.delete.run,
  "=": VIEW_ACTIONS.nearer.run,
  "ctrl+y": VIEW_ACTIONS.redo.run,
  "ctrl+a": (editor) => editor.select(editor.shown.nodes.map((node) => node.id)),
  "ctrl+d": (editor) => duplicate(editor),
  "shift+f": (editor) => editor.fit(editor.selection),
  "shift+g": toggleCollapse,
  "shift+b": branchesKey,
  "]": MORE_ACTIONS.moreOf.run,
  "[": MORE_ACTIONS.fewer.run,
  "ctrl+o": FILE_ACTIONS.open.run,
  "ctrl+s": FILE_ACTIONS.json.run,
  a: (editor) => openPalette(editor),
  "/": (editor) => openPalette(editor),
  "?": toggleHelp,
  f2: rename,
  e: editFirstConstant,
  t: (editor) => editRule(editor, editor.single),
  escape: (editor) => editor.giveUp() || closePalette(editor) || closeNotice(editor) || editor.select([]),
};

/** @param {Editor} editor */
export function listenToKeys(editor) {
  const { host, surface } = editor.stage;
  surface.setAttribute("tabindex", "0");
  for (const kind of ["keydown", "keyup", "keypress"]) host.addEventListener(kind, (event) => event.stopPropagation());
  host.addEventListener("keyup", (event) => event.key === "Tab" && host.classList.add("by-keys")); // shows the focus
  host.addEventListener("pointerdown", () => host.classList.remove("by-keys"));
  host.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("input, textarea, .region-pop")) return;
    const region = target.closest(".tab")?.closest("[data-region]")?.getAttribute("data-region");
    const onGroup = editor.shown.groups.some(({ name }) => name === region);
    if (region && onGroup && event.key === "F2") return event.preventDefault(), renameGroup(editor, region);
    if (region && ["Enter", " "].includes(event.key)) return event.preventDefault(), onGroup ? collapse(editor, region, true) : openRegion(editor, region);
    if (target.closest(".bar") && ["Enter", " "].includes(event.key)) return; // a button's own
    if (reachKey(editor, event)) return event.preventDefault();
    const focused = target.getAttribute("data-id");
    const act = KEYS[nameOf(event)] ?? (ARROWS[event.key] && (() => event.altKey ? nudge(editor, ARROWS[event.key]) : walk(editor, focused, ARROWS[event.key])))
      ?? (focused && ["Enter", " "].includes(event.key) ? () => enter(editor, focused) : null);
    if (!act) return;
    event.preventDefault();
    act(editor);
  });
}

/** "ctrl+shift+z", with the command key of a Mac as ctrl. A character keeps no shift of its own.
 * @param {KeyboardEvent} event */
function nameOf(event) {
  const ctrl = event.ctrlKey || event.metaKey;
  if (event.shiftKey && ["B", "F", "G"].includes(event.key)) return `shift+${event.key.toLowerCase()}`;
  return `${ctrl ? "ctrl+" : ""}${ctrl && event.shiftKey ? "shift+" : ""}${event.key.toLowerCase()}`;
}

/** Move the focus to the next node in the direction of the arrow.
 * @param {Editor} editor @param {string | null} focused @param {import("./types.js").Point} direction */
function walk(editor, focused, direction) {
  const here = editor.node(focused ?? seenAs(editor.seen, editor.single ?? ""));
  const next = here ? neighbour(editor.seen.nodes, here, direction) : editor.seen.nodes[0];
  if (!next) return;
  editor.stage.host.classList.add("by-keys");
  const view = revealing(editor.stage, next);
  if (view) editor.look(view);
  editor.stage.cards.get(next.id)?.root.focus();
}

/** Enter selects; once more on a collapsed group opens it. @param {Editor} editor @param {string} id */
function enter(editor, id) {
  const group = editor.isSelected(id) && editor.node(id)?.group;
  if (group) collapse(editor, group.name, false);
  else editor.select([id]);
}

/** The group that is selected, else the node. @param {Editor} editor */
function rename(editor) {
  const [card] = editor.chosen;
  const group = groupOf(editor);
  if (group && (card?.group || !editor.single)) renameGroup(editor, group.name);
  else if (editor.single) editName(editor, editor.single);
}

/** @param {Editor} editor */
function editFirstConstant(editor) {
  if (editor.single && editor.node(editor.single)?.isInput) return editValue(editor, editor.single);
  const slot = editor.node(editor.single)?.slots.findIndex(({ wired }) => !wired) ?? -1;
  if (editor.single && slot >= 0) editConstant(editor, editor.single, slot);
}
