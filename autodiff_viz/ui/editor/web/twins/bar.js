// @ts-check
// Draw the row above the canvas while a graph is pinned: which of the two is on view, and where they differ,
// in a sentence.

import { answerKeys } from "../actions/keys.js";
import { keyOf, ACTIONS } from "../actions/actions.js";
import { icon } from "../draw/icons.js";
import { html, setText } from "../../../web/dom.js";
import { setExplained } from "../../../web/term.js";
import { hear } from "../../../web/news.js";

/** @typedef {import("../editor.js").Editor} Editor */

const LETTERS = /** @type {const} */ (["A", "B"]);

/** @param {Editor} editor */
export function twinsBar(editor) {
  const flip = (/** @type {string} */ letter) => letter !== editor.drawing.twins?.letter && editor.send({ kind: "flip" });
  const buttons = LETTERS.map((letter) => html("button", {
    type: "button", class: "tool letter", title: `Show ${letter}  (${keyOf(ACTIONS.flip)})`, "aria-label": `Show ${letter}`, click: () => flip(letter),
  }, letter));
  const says = html("p", { class: "twins-says", role: "status" });
  const unpin = html("button", {
    type: "button", class: "tool unpin", title: `Unpin: end the comparison  (${keyOf(ACTIONS.pin)})`, "aria-label": "Unpin", click: () => editor.send({ kind: "unpin" }),
  }, icon("close"));
  const root = html("div", { class: "bar twins", role: "toolbar", "aria-label": "Comparison", hidden: true },
    html("div", { class: "letters" }, ...buttons), says, unpin);
  answerKeys(editor, root);
  hear("numbers", ({ numbers }) => root.classList.toggle("late", numbers !== null), () => !root.isConnected && editor.drawing.rev >= 0);
  hear("play", ({ isComputed }) => root.classList.toggle("played", isComputed !== null), () => !root.isConnected && editor.drawing.rev >= 0);
  editor.watchers.push(() => {
    const { twins } = editor.drawing;
    if (root.hidden && !twins) return;
    root.hidden = !twins;
    if (!twins) return setText(says, "");
    root.dataset.kind = twins.kind;
    root.classList.toggle("unsure", editor.isUnsure);
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(LETTERS[i] === twins.letter)));
    setExplained(says, twins.says);
    says.title = twins.says;
  });
  return root;
}
