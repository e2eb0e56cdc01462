// @ts-check
// Edit the settings of a region, opened from its tab, and preview nodes dragged into or out of a region.

import { POLICIES, shared } from "../../base/constants.js";
import { html } from "../../base/dom.js";
import { term } from "../../base/term.js";
import { mayEdit } from "../../embed/gate.js";
import { membersAt } from "../actions/arrange.js";
import { compareWithout } from "../actions/commands.js";
import { shapesOf, tabOf } from "../draw/regions.js";
import { showStatus } from "../draw/stage.js";
import { namesIn } from "../state/fold.js";
import { framesOf } from "../state/frames.js";
import { describeMoves, membershipAt, withMoves } from "../state/membership.js";
import { withPositions } from "../state/predict.js";
import { highlightPath } from "./notice.js";
import { closePopover, openPopover } from "./popover.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Region} Region */

/** Return a function that shows, during a drag, which regions the nodes would join or leave.
 * @param {Editor} editor @param {import("../../types.js").GraphNode[]} nodes
 * @returns {(places: Record<string, import("../../types.js").Point>) => void} places of nodes and cards */
export function beginMembership(editor, nodes) {
  const { shown, seen } = editor;
  const moving = new Set(nodes.map(({ id }) => id));
  const own = nodes.filter(({ tab }) => !tab || !moving.has(tab)); // a tab that goes with its layer stays where it belongs
  const movesAt = membershipAt(
    seen,
    own.map(({ id }) => id),
    shapesOf(framesOf(seen), seen.nodes),
  );
  let said = "";
  return (places) => {
    const moves = movesAt(places);
    const positions = membersAt(editor, places);
    editor.memberMoves = moves && {
      join: named(seen, moves.join),
      leave: named(seen, moves.leave),
    };
    editor.drag(positions);
    const text = editor.memberMoves
      ? describeMoves(
          withMoves(withPositions(shown, positions), editor.memberMoves),
          editor.memberMoves,
        )
      : "";
    if (text && text !== said) showStatus(editor.stage, text);
    said = text;
  };
}

/** @param {import("../../types.js").Drawing} seen @param {Record<string, string[]>} moves */
const named = (seen, moves) =>
  Object.fromEntries(Object.entries(moves).map(([name, ids]) => [name, namesIn(seen, ids)]));

/** Select the nodes of a region or a group.
 * @param {Editor} editor @param {string} name @returns {string} one of its nodes */
export function selectRegion(editor, name) {
  const nodes = framesOf(editor.seen).find((region) => region.name === name)?.nodes ?? [];
  editor.select(nodes);
  return nodes[0];
}

/** Open the settings of a region. @param {Editor} editor @param {string} name */
export function openRegion(editor, name) {
  if (!mayEdit(editor, "policy")) return;
  let known = name;
  openPopover(editor, {
    label: `Checkpoint region ${name}`,
    find: () => editor.shown.regions.find((one) => one.name === known),
    first: "select",
    look: (region) => region,
    fill: (region) => content(editor, region, (renamed) => (known = renamed)),
    place: (region) => {
      const tab = tabOf(editor.seen, region.name);
      return tab && [tab.x, tab.y + tab.h + 6];
    },
    shown: ({ path }) => path?.length && highlightPath(editor, path),
    closed: () => highlightPath(editor, []),
  });
}

/** @param {Editor} editor @param {Region} region @param {(name: string) => void} onRename */
function content(editor, region, onRename) {
  const { name, problem, offer, edit } = region;
  return [
    labelled("Name", nameField(editor, region, onRename)),
    labelled(term("kept", "Keeps"), policyField(editor, region)),
    POLICIES[region.policy]?.takesNames ? savedField(editor, region) : "",
    problem ? html("div", { class: "region-problem", role: "status" }, problem) : "",
    html(
      "div",
      { class: "region-buttons" },
      offer && edit ? button("notice-offer", offer, () => editor.send(edit)) : null,
      button("plain", "Select its nodes", () => selectRegion(editor, name)),
      button("plain", "Compare: without it", () => {
        closePopover(editor);
        compareWithout(editor, { what: "region", name });
      }),
      button("plain danger", "Remove", () => {
        closePopover(editor);
        editor.send({ kind: "uncheckpoint", region: name });
      }),
    ),
  ];
}

/** @param {string | Node} text @param {HTMLElement} control */
const labelled = (text, control) => html("label", {}, html("span", {}, text), control);

/** @param {string} kind @param {string} text @param {() => void} run */
const button = (kind, text, run) =>
  html("button", { type: "button", class: kind, "data-field": text, click: run }, text);

/** @param {Editor} editor @param {Region} region @param {(name: string) => void} onRename */
function nameField(editor, { name }, onRename) {
  const field = /** @type {HTMLInputElement} */ (
    html("input", {
      type: "text",
      "data-field": "name",
      maxlength: shared.limits.name,
      spellcheck: "false",
      autocomplete: "off",
    })
  );
  field.value = name;
  field.addEventListener("change", () => {
    const typed = field.value.trim();
    if (!typed || typed === name) return;
    const taken = framesOf(editor.shown).some((other) => other.name === typed);
    if (!taken) onRename(typed);
    editor.send({ kind: "rename_region", region: name, name: typed });
  });
  return field;
}

/** @param {Editor} editor @param {Region} region */
function policyField(editor, { name, policy, nodes }) {
  const field = /** @type {HTMLSelectElement} */ (
    html(
      "select",
      { "data-field": "policy" },
      ...Object.entries(POLICIES).map(([value, { keeps }]) =>
        html("option", { value, selected: value === policy }, keeps),
      ),
    )
  );
  field.addEventListener("change", () =>
    editor.send({
      kind: "policy",
      region: name,
      policy: field.value,
      saved: POLICIES[field.value].takesNames ? nodes : [],
    }),
  );
  return field;
}

/** @param {Editor} editor @param {Region} region */
function savedField(editor, { name, policy, nodes, saved = [] }) {
  const boxes = nodes.map((id) => {
    const box = /** @type {HTMLInputElement} */ (
      html("input", { type: "checkbox", "data-field": `saved ${id}`, checked: saved.includes(id) })
    );
    box.addEventListener("change", () =>
      editor.send({
        kind: "policy",
        region: name,
        policy,
        saved: box.checked ? [...saved, id] : saved.filter((other) => other !== id),
      }),
    );
    return html("label", { class: "saved" }, box, id);
  });
  return html(
    "div",
    { class: "saved-names", role: "group", "aria-label": "Nodes whose values it keeps" },
    ...boxes,
  );
}
