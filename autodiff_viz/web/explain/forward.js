// @ts-check
// Draw the row above the canvas in forward mode, with the sentence that compares both modes.

import { html } from "../base/dom.js";
import { listen } from "../base/events.js";
import { arrowhead, icon } from "../base/icons.js";
import { setExplained, term } from "../base/term.js";
import { ACTIONS } from "../canvas/actions/actions.js";
import { toggleForward } from "../canvas/actions/commands.js";
import { answerKeys } from "../canvas/actions/keys.js";
import { keyOf } from "../canvas/actions/reading.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */

/** The colours of both modes, where the legend beside the tools has no room. */
const keys = () =>
  html(
    "div",
    { class: "forward-keys" },
    html("span", { class: "tangent-key" }, arrowhead(), term("tangent")),
    html("span", { class: "orange" }, arrowhead(true), term("cotangent")),
  );

/** @param {Editor} editor */
export function forwardBar(editor) {
  const says = html("p", { class: "forward-says", role: "status" });
  const close = html(
    "button",
    {
      type: "button",
      class: "tool",
      title: `End forward mode  (${keyOf(ACTIONS.forward)})`,
      "aria-label": "End forward mode",
      click: () => toggleForward(editor),
    },
    icon("close"),
  );
  const root = html(
    "div",
    { class: "bar forward-bar", role: "toolbar", "aria-label": "Forward mode", hidden: true },
    html("b", {}, "Forward mode"),
    keys(),
    says,
    close,
  );
  answerKeys(editor, root);
  listen(
    "numbers",
    ({ numbers }) => root.classList.toggle("late", numbers !== null),
    () => !root.isConnected && editor.drawing.rev >= 0,
  );
  editor.watchers.push(() => {
    const { forward } = editor.drawing;
    if (root.hidden && !forward) return;
    root.hidden = !forward;
    const runs = Boolean(forward?.blocked); // else cards and wires have no tangents
    editor.root.classList.toggle("is-forward", runs);
    editor.stage.host.classList.toggle("forward-mode", runs);
    root.classList.toggle("unsure", editor.isUnsure);
    root.classList.toggle("blocked", Boolean(forward?.blocked?.length));
    setExplained(says, forward?.says ?? "");
    says.title = forward?.says ?? "";
  });
  return root;
}
