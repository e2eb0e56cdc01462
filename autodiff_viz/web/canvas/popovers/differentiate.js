// @ts-check
// Differentiate a node by another: add a grad node with both wires, as one edit. The node by which is chosen
// in a list.

import { html } from "../../base/dom.js";
import { showStatus } from "../draw/stage.js";
import { freshName, roomOfNew } from "../state/edits.js";
import { freeSpot } from "../state/geometry.js";
import { choicesFor, pairOf } from "../state/reachability.js";
import { closePopover, openPopover } from "./popover.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Point} Point */

const GRAD = "grad";
const APART = 72; // px between the node and its gradient
const BELOW = 10; // px between the node and the list

/** Add the gradient of the selected node by one of those that it depends on; of an input, the gradient of the output by it;
 * of two selected nodes, that of one by the other.
 * @param {Editor} editor @param {Point} [at] corner of the new card */
export function differentiate(editor, at) {
  const { shown, selection, single } = editor;
  const pair = pairOf(shown, [...selection]);
  if (pair) return add(editor, pair.of, pair.by, at);
  if (single === null)
    return showStatus(editor.stage, "Select one node, or two of which one depends on the other.");
  const choices = choicesFor(shown, single);
  if (!choices.length)
    return showStatus(
      editor.stage,
      `Nothing to differentiate: ${single} depends on no other node, and the output does not depend on it.`,
    );
  if (choices.length === 1) return add(editor, choices[0].of, choices[0].by, at);
  choose(editor, single, at);
}

/** @param {Editor} editor @param {string} of @param {Point} [at] */
function choose(editor, of, at) {
  openPopover(editor, {
    label: `Differentiate ${of} by`,
    kind: "by-list",
    first: "button",
    find: () => (editor.single === of ? editor.node(of) : undefined),
    look: () => choicesFor(editor.shown, of),
    fill: () => [
      html("b", {}, `Differentiate ${of} by`),
      html(
        "div",
        { class: "by-rows", role: "group" },
        ...choicesFor(editor.shown, of).map(({ by, says }) =>
          html(
            "button",
            {
              type: "button",
              class: "more-row",
              "data-by": by,
              click: () => (closePopover(editor), add(editor, of, by, at)),
              keydown: walk,
            },
            html("code", {}, by),
            html("kbd", {}, says),
          ),
        ),
      ),
    ],
    place: (node) => [node.x, node.y + node.h + BELOW],
  });
}

/** The arrow keys go from row to row. @param {Event} event */
function walk(event) {
  const [row, { key }] = [
    /** @type {HTMLElement} */ (event.currentTarget),
    /** @type {KeyboardEvent} */ (event),
  ];
  const to = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[key];
  if (!to) return;
  /** @type {HTMLElement} */ (to).focus();
  event.preventDefault();
}

/** @param {Editor} editor @param {string} of @param {string} by @param {Point} [at] */
function add(editor, of, by, at) {
  const [entry, node] = [editor.ops.get(GRAD), editor.node(of)];
  if (!entry || !node) return;
  const position = freeSpot(
    editor.seen.nodes,
    at ?? [node.x + node.w + APART, node.y],
    roomOfNew(entry, editor.node(by)),
  );
  editor.selection = new Set([freshName(editor.shown, GRAD)]); // as Python will select it
  editor.wire = null;
  editor.send({ kind: "add", op: GRAD, position, wire: { from: of, slot: 0 }, by });
  editor.stage.surface.focus({ preventScroll: true });
}
