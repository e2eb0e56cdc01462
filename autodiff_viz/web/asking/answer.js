// @ts-check
// Take the answer to a question at its place on the canvas.

import { openPopover } from "../canvas/popovers/popover.js";
import { html } from "../base/dom.js";
import { pointAt } from "../canvas/state/geometry.js";
import { answerForm, write } from "./form.js";
import { isOpen, isWrong, questionAt, spoken, verdictText, wireAsked } from "./questions.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../explain/play.js").Quantity} Quantity */

const BELOW = 8; // px between a card and the field

/** @param {string} tag @param {string} text @param {boolean} [wrong] */
function said(tag, text, wrong = false) {
  const element = html(tag, { class: wrong ? "verdict wrong" : "verdict" });
  write(element, text);
  return element;
}

/** Open the field of the question about a place; false if nothing is asked there.
 * @param {Editor} editor @param {Quantity} about */
export function openAnswer(editor, about) {
  const at = questionAt(editor.drawing.asking, about);
  if (at < 0) return false;
  const item = () => editor.drawing.asking?.items[at];
  editor.goToQuestion(at);
  openPopover(editor, {
    label: spoken(item()?.says ?? "Question"),
    kind: "answer-pop",
    first: "input, button",
    find: () => {
      const now = item();
      return isOpen(now) ? now : undefined;
    },
    look: (now) => [now.says, now.tries, now.form],
    fill: (now) => [
      said("b", now.says),
      answerForm(editor, now, at),
      said("p", verdictText(now), isWrong(now)),
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
  return true;
}

/** Open the field of the question about the node or the wire that has the focus; false if nothing is asked there.
 * @param {Editor} editor @param {string | null} node @param {string | null} wire */
export function answerFocused(editor, node, wire) {
  if (wire) return openAnswer(editor, wireAsked(wire));
  const about = (/** @type {"cotangent" | "value"} */ of) => ({ of, node: node ?? "" });
  return openAnswer(editor, about("cotangent")) || openAnswer(editor, about("value"));
}
