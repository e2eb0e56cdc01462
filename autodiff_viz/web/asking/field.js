// @ts-check
// Take the answer to a question in a window at its place on the canvas.

import { openPopover } from "../canvas/popovers/popover.js";
import { html } from "../base/dom.js";
import { pointAt } from "../canvas/state/geometry.js";
import { answerForm, write } from "./form.js";
import { isOpen, isWrong, spoken, verdictText } from "./questions.js";
import { keepUnread } from "./unread.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../explain/play.js").Quantity} Quantity */

const BELOW = 8; // px between a card and the window

/** @param {string} tag @param {string} text @param {boolean} [wrong] */
function said(tag, text, wrong = false) {
  const element = html(tag, { class: wrong ? "verdict wrong" : "verdict" });
  write(element, text);
  return element;
}

/** Open the field of a question. @param {Editor} editor @param {Quantity} about its place @param {number} at its index */
export function openField(editor, about, at) {
  const item = () => editor.drawing.asking?.items[at];
  let refused = "";
  openPopover(editor, {
    label: spoken(item()?.says ?? "Question"),
    kind: "answer-pop",
    first: "input, button",
    find: () => {
      const now = item();
      return isOpen(now) ? now : undefined;
    },
    look: (now) => [now.says, now.tries, now.form, refused],
    fill: (now) => [
      said("b", now.says),
      answerForm(editor, now, at, refused),
      said("p", refused ? "" : verdictText(now), isWrong(now)), // of the answer before
    ],
    place: () => {
      if (about.of === "passed") {
        const curve = editor.stage.strands.get(`${about.node}:${about.slot}`)?.curve;
        return curve?.length ? pointAt(curve, 0.5).point : undefined;
      }
      const node = editor.node(about.node);
      return node && [node.x, node.y + node.h + BELOW];
    },
    own: () => editor.seen.nodes.filter(({ id }) => id === about.node),
  });
  const root = /** @type {HTMLElement | null} */ (editor.stage.host.querySelector(".answer-pop"));
  if (root)
    keepUnread(editor, root, (reason) => {
      refused = reason;
      if (reason) editor.refresh();
    });
}
