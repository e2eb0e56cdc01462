// @ts-check
// Show beside the question why nothing arrives, or where a NaN comes from, so that lesson and cause are read together.

import { Mend } from "../base/cure.js";
import { html, setText } from "../base/dom.js";
import { whenRefused } from "../canvas/popovers/notice.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../types.js").Drawing} Drawing */
/** @typedef {import("../base/cure.js").Explanation} Explanation */

/** The cause of what arrives at a node; true while it is worked out, null where none is found. Pure.
 * @param {Pick<Drawing, "node" | "check">} drawing @param {string} name @param {string} [reason] of the answer: the cause
 * until a cure for it is found @returns {Explanation | true | null} */
export function causeOf({ node, check }, name, reason) {
  const own = node?.name === name ? node : undefined;
  const found = own?.why ?? check?.origin;
  if (found || reason) return found ?? { says: bare(reason) };
  return !own || own.awaited === true || check?.state === "checking" || null;
}

/** Whether a sentence stands in a text, where names have no quotes. Pure. @param {string} text @param {string} sentence */
export const isSaid = (text, sentence) => bare(text).includes(bare(sentence));

/** @param {string | undefined} text */
const bare = (text = "") => text.replace(/['\x60]/g, "").replace(/\s+/g, " ");

/** Draw it; `editor.showCause` shows it for a node until a number changes.
 * @param {Editor} editor @param {() => string} said what is said of the answer, which need not be said again
 * @returns {HTMLElement} */
export function lessonCause(editor, said) {
  const mend = new Mend((edit, refused) => {
    editor.send(edit);
    editor.stage.surface.focus({ preventScroll: true }); // the button goes
    whenRefused(editor, refused);
    return editor.mail.outbox.last;
  });
  const looking = html("p", { class: "looking" });
  const root = html("div", { class: "cause", role: "status" }, looking, mend.root);
  root.hidden = true;
  /** @type {{ name: string, reason?: string, state: unknown } | null} */
  let about = null;

  let seen = ""; // what it says, which is brought into view
  const show = () => {
    const { drawing } = editor;
    if (about && (about.state !== drawing.state || editor.single !== about.name)) about = null;
    const cause = about && causeOf(drawing, about.name, about.reason);
    root.hidden = !cause;
    setText(looking, cause === true ? "Looking for the cause …" : "");
    mend.show(cause === true ? null : cause);
    const was = seen;
    seen = root.textContent ?? "";
    mend.says.hidden = isSaid(said(), mend.says.textContent ?? "");
    if (!root.hidden && seen !== was) root.scrollIntoView({ block: "nearest" });
  };
  editor.showCause = (name, reason) => {
    editor.select([name], true);
    about = { name, reason, state: editor.drawing.state };
    show();
  };
  editor.watchers.push(show);
  return root;
}
