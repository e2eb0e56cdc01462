// @ts-check
// Run commands on groups: make one of the selected nodes, ungroup, collapse, expand, rename.

import { tabOf } from "../draw/regions.js";
import { showStatus } from "../draw/stage.js";
import { openField } from "../popovers/fields.js";
import { folded, idOf, nodesOf } from "../state/fold.js";
import { makeRoom } from "../state/make_room.js";
import { predict } from "../state/predict.js";
import { membersAt } from "./arrange.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Group} Group */

/** The group that consists of exactly the selected nodes. @param {Editor} editor */
export const groupOf = ({ shown, selection }) =>
  shown.groups.find(
    ({ nodes }) => nodes.length === selection.size && nodes.every((name) => selection.has(name)),
  );

/** @param {Editor} editor */
export function toggleGroup(editor) {
  const group = groupOf(editor);
  if (group) ungroup(editor, group.name);
  else if (editor.selection.size) editor.send({ kind: "group", nodes: [...editor.selection] });
  else showStatus(editor.stage, "Select the nodes to group first.");
}

/** Dissolve a group; if it is a card, what is around it makes room for its nodes. @param {Editor} editor @param {string} name */
export const ungroup = (editor, name) =>
  editor.send(withRoom(laidOut(editor), { kind: "ungroup", group: name }));

/** Collapse or expand a group; when it is opened from its card, what is around it makes room.
 * @param {Editor} editor @param {string} name @param {boolean} on */
export function collapse(editor, name, on) {
  const { stage } = editor;
  const byKeys = stage.host.classList.contains("by-keys");
  const edit = collapsing(name, on);
  editor.send(on ? edit : withRoom(laidOut(editor), edit));
  if (byKeys)
    (on
      ? stage.cards.get(idOf(name))?.root
      : stage.regions.tabs.get(name)?.root.querySelector(".tab")
    )?.focus({ preventScroll: true });
  showStatus(stage, on ? `Collapsed ${name}` : `Opened ${name}`);
}

/** @param {string} group @param {boolean} on @returns {import("../../messages.js").CollapseEdit} */
const collapsing = (group, on) => ({ kind: "collapse", group, on });

/** The graph and its cards as they are laid out, where they are not as they are seen. @param {Editor} editor */
const laidOut = ({ shown, seen }) => ({ shown, seen: seen.turn ? folded(shown) : seen });

/** The edit with the new places of all nodes that have to move; itself if there is room, or no card.
 * @param {Pick<Editor, "shown" | "seen">} state
 * @param {import("../../messages.js").CollapseEdit | import("../../messages.js").UngroupEdit} edit
 * @returns {import("../../messages.js").CollapseEdit | import("../../messages.js").UngroupEdit} */
function withRoom({ shown, seen }, edit) {
  const card = seen.nodes.find(({ id }) => id === idOf(edit.group));
  if (!card?.group) return edit;
  const opened = folded(predict(shown, [{ seq: 0, ...edit }]));
  const places = makeRoom(opened, card.group.nodes, card, edit.kind !== "ungroup");
  return Object.keys(places).length
    ? { ...edit, positions: membersAt({ shown, seen: opened }, places) }
    : edit;
}

/** Collapse or expand the groups of the selection: those inside it, else the smallest one around it; without a
 * selection, the card in focus.
 * @param {Editor} editor */
export function toggleCollapse(editor) {
  const cards = editor.chosen.filter(({ group }) => group);
  const focused = editor.node(
    /** @type {ShadowRoot} */ (editor.stage.host.getRootNode()).activeElement?.getAttribute(
      "data-id",
    ),
  );
  if (!cards.length && !editor.selection.size && focused?.group) cards.push(focused);
  if (cards.length) return cards.forEach(({ group }) => collapse(editor, group?.name ?? "", false));
  const groups = groupsOfSelection(editor);
  if (!groups.length)
    return showStatus(editor.stage, "Select nodes of a group first, or make one of them: g.");
  groups.forEach(({ name }) => collapse(editor, name, true));
}

/** The name of a group without the number at its end: "for i" of "for i 3", "block" of "block_1". @param {string} name */
export const stemOf = (name) => name.replace(/[ _]*\d+$/, "");

/** The groups whose names differ from that of this group at most in the number at the end.
 * @param {Group[]} groups @param {string} name */
export const namesakes = (groups, name) =>
  groups.filter((group) => stemOf(group.name) === stemOf(name));

/** The group that is meant: that of a selected card, of the card in focus, or the smallest around the selection.
 * @param {Editor} editor @returns {Group | undefined} */
function meant(editor) {
  const focused = editor.node(
    /** @type {ShadowRoot} */ (editor.stage.host.getRootNode()).activeElement?.getAttribute(
      "data-id",
    ),
  );
  const card = [...editor.chosen, ...(focused ? [focused] : [])].find(({ group }) => group)?.group
    ?.name;
  return card === undefined
    ? groupsOfSelection(editor)[0]
    : editor.shown.groups.find(({ name }) => name === card);
}

/** Whether a selected node is in a group that has namesakes. @param {Editor} editor */
export const hasNamesakes = (editor) => {
  const group = touchesGroup(editor) && meant(editor);
  return (
    Boolean(group) && namesakes(editor.shown.groups, /** @type {Group} */ (group).name).length > 1
  );
};

/** Collapse all groups of one name, or open them if the group that is meant is a card. @param {Editor} editor */
export function toggleNamesakes(editor) {
  const group = meant(editor);
  if (!group)
    return showStatus(editor.stage, "Select nodes of a group first, or make one of them: g.");
  const on = !group.collapsed;
  const all = namesakes(editor.shown.groups, group.name).filter(
    ({ collapsed }) => collapsed !== on,
  );
  let state = laidOut(editor);
  const edits = all.map(({ name }) => {
    const edit = collapsing(name, on);
    const roomy = on ? edit : withRoom(state, edit);
    const shown = predict(state.shown, [{ seq: 0, ...roomy }]);
    state = on ? state : { shown, seen: folded(shown) };
    return roomy;
  });
  edits.forEach((edit, i) => (i + 1 < edits.length ? editor.mail.send(edit) : editor.send(edit))); // drawn once
  showStatus(
    editor.stage,
    `${on ? "Collapsed" : "Opened"} ${all.length} groups named ${stemOf(group.name)}`,
  );
}

/** Whether a selected node is in a group. @param {Editor} editor */
export const touchesGroup = ({ shown, selection }) =>
  shown.groups.some(({ nodes }) => nodes.some((name) => selection.has(name)));

/** @param {Editor} editor @returns {Group[]} */
function groupsOfSelection({ seen, selection }) {
  const within = seen.groups.filter(({ nodes }) =>
    nodes.every((id) =>
      nodesOf(seen.nodes.find((node) => node.id === id)).every((name) => selection.has(name)),
    ),
  );
  const outer = within.filter(
    (group) =>
      !within.some(
        (other) =>
          other !== group &&
          other.nodes.length > group.nodes.length &&
          group.nodes.every((id) => other.nodes.includes(id)),
      ),
  );
  if (outer.length || !selection.size) return outer;
  const around = seen.groups.filter(({ nodes }) =>
    [...selection].every((name) => nodes.includes(name)),
  );
  return around.sort((a, b) => a.nodes.length - b.nodes.length).slice(0, 1);
}

/** Rename a group in a field on its tab or its card. @param {Editor} editor @param {string} name */
export function renameGroup(editor, name) {
  const card = editor.seen.nodes.find(({ id }) => id === idOf(name));
  const tab = tabOf(editor.seen, name);
  const box = card
    ? { x: card.x + 24, y: card.y + 3, w: card.w - 50 }
    : tab && { x: tab.x + 20, y: tab.y - 3, w: Math.max(tab.w, 90) };
  if (box)
    openField(editor, [box.x, box.y], box.w, name, `Name of group ${name}`, (typed) =>
      editor.send({ kind: "rename_region", region: name, name: typed }),
    );
}
