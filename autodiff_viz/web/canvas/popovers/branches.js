// @ts-check
// Edit groups of branches by commands and a popover: make one, set the number of branches, train one branch
// alone.

import { shared } from "../../base/constants.js";
import { html } from "../../base/dom.js";
import { tabOf } from "../draw/regions.js";
import { showStatus } from "../draw/stage.js";
import { idOf } from "../state/fold.js";
import { openPopover } from "./popover.js";
import { selectRegion } from "./region.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Group} Group */

const { branches: MOST } = shared.limits;

/** @param {Editor} editor @param {string | null | undefined} name @returns {Group | undefined} */
const ofName = ({ shown }, name) =>
  shown.groups.find((group) => group.branches && group.name === name);

/** The group of branches that a command is about: the one in focus, the smallest around the selection, or the only
 * one.
 * @param {Editor} editor @returns {Group | undefined} */
export function branchesOf(editor) {
  const { shown, selection, stage } = editor;
  const focused = /** @type {ShadowRoot} */ (stage.host.getRootNode()).activeElement;
  const at =
    focused?.closest("[data-region]")?.getAttribute("data-region") ??
    editor.node(focused?.getAttribute("data-id"))?.group?.name;
  const all = shown.groups.filter(({ branches }) => branches);
  const around = all.filter(
    ({ nodes }) => selection.size > 0 && [...selection].every((name) => nodes.includes(name)),
  );
  return (
    ofName(editor, at) ??
    around.sort((a, b) => a.nodes.length - b.nodes.length)[0] ??
    (selection.size === 0 && all.length === 1 ? all[0] : undefined)
  );
}

/** Add or remove one branch. @param {Editor} editor @param {number} by @param {string | null} [name] */
export function stepBranches(editor, by, name) {
  const group = name ? ofName(editor, name) : branchesOf(editor);
  if (!group)
    return showStatus(
      editor.stage,
      "Select nodes of a group of branches first, or make one: Shift + B.",
    );
  setBranches(editor, group, (group.branches?.length ?? 0) + by);
}

/** @param {Editor} editor @param {Group} group @param {number} k */
function setBranches(editor, { name, branches = [] }, k) {
  if (k < 1)
    return showStatus(
      editor.stage,
      `${name} has one branch; delete the group if it is not needed.`,
    );
  if (k > MOST) return showStatus(editor.stage, `${name} may have ${MOST} branches.`);
  if (k !== branches.length) editor.send({ kind: "branches", group: name, k });
}

/** Open the settings of the branches; if the selected nodes are in none, make branches of them.
 * @param {Editor} editor */
export function branchesKey(editor) {
  const group = branchesOf(editor);
  if (group) return openBranches(editor, group.name);
  if (editor.selection.size) editor.send({ kind: "make_branches", nodes: [...editor.selection] });
  else showStatus(editor.stage, "Select the nodes of the first branch.");
}

/** Open the settings of a group of branches. @param {Editor} editor @param {string} name */
export function openBranches(editor, name) {
  openPopover(editor, {
    label: `Branches of ${name}`,
    kind: "branches-pop",
    find: () => ofName(editor, name),
    first: "input",
    look: ({ branches, alone, stopped }) => [branches, alone, stopped],
    place: (group) => below(editor, group),
    fill: (group) => [
      html("label", {}, html("span", {}, "Number"), amount(editor, group)),
      html("label", {}, html("span", {}, "Train"), trained(editor, group)),
      html(
        "div",
        { class: "region-buttons" },
        button("Select its nodes", () => selectRegion(editor, group.name)),
      ),
    ],
  });
}

/** @param {string} text @param {() => void} run @param {Record<string, any>} [more] */
const button = (text, run, more = {}) =>
  html("button", { type: "button", class: "plain", "data-field": text, click: run, ...more }, text);

/** @param {Editor} editor @param {Group} group */
function amount(editor, group) {
  const k = group.branches?.length ?? 0;
  const field = /** @type {HTMLInputElement} */ (
    html("input", { type: "number", min: 1, max: MOST, step: 1, "data-field": "k" })
  );
  field.value = String(k);
  field.addEventListener("change", () =>
    setBranches(editor, group, Math.round(Number(field.value)) || k),
  );
  const step = (
    /** @type {number} */ by,
    /** @type {string} */ sign,
    /** @type {string} */ label,
  ) =>
    button(sign, () => stepBranches(editor, by, group.name), {
      "aria-label": label,
      disabled: by < 0 ? k <= 1 : k >= MOST,
    });
  return html(
    "span",
    { class: "amount-field" },
    step(-1, "\u2212", "One branch less"),
    field,
    step(1, "+", "One branch more"),
  );
}

/** @param {Editor} editor @param {Group} group */
function trained(editor, { name, branches = [], alone, stopped }) {
  const option = (/** @type {string} */ value, /** @type {string} */ text) =>
    html("option", { value, selected: value === alone }, text);
  const field = /** @type {HTMLSelectElement} */ (
    html(
      "select",
      { "data-field": "alone" },
      stopped
        ? html("option", { value: "some", selected: true, disabled: true }, "some are stopped")
        : "",
      html("option", { value: "", selected: !alone && !stopped }, "all branches"),
      ...branches.map((branch) => option(branch, `only ${branch}`)),
    )
  );
  field.addEventListener("change", () =>
    editor.send({ kind: "tune", group: name, branch: field.value || null }),
  );
  return field;
}

/** The point below the group's tab or card.
 * @param {Editor} editor @param {Group} group @returns {import("../../types.js").Point | undefined} */
function below({ seen }, { name }) {
  const card = seen.nodes.find(({ id }) => id === idOf(name));
  const tab = tabOf(seen, name);
  return card ? [card.x, card.y + 70] : tab && [tab.x, tab.y + tab.h + 6];
}
