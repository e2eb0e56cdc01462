// @ts-check
// Watch whether Python can be reached, as the host says it, and say while it cannot that edits are kept.

import { html, setText } from "../base/dom.js";
import { dispatch } from "../base/events.js";
import { host } from "../base/host.js";

/** Call `changed` when the connection may have changed and when a phone wakes up, `going` when the browser begins to
 * leave or reload the page, `leaving` when the page is left or suspended.
 * @param {() => void} changed @param {() => void} going @param {() => void} leaving @returns {() => void} stops it */
export function watchNetwork(changed, going, leaving) {
  const unwatch = host.reach.watch(changed);
  const seen = () => (document.visibilityState === "hidden" ? leaving() : changed());
  for (const kind of ["online", "offline"]) addEventListener(kind, changed);
  addEventListener("beforeunload", going);
  addEventListener("pagehide", leaving);
  document.addEventListener("visibilitychange", seen);
  return () => {
    unwatch();
    for (const kind of ["online", "offline"]) removeEventListener(kind, changed);
    removeEventListener("beforeunload", going);
    removeEventListener("pagehide", leaving);
    document.removeEventListener("visibilitychange", seen);
  };
}

// The status line.

/** Text of the line. @param {number} count of the edits that wait @param {string} [why] @returns {string} */
export function offlineSays(count, why = host.reach.says) {
  const what = count === 0 ? "What you do" : count === 1 ? "1 edit" : `${count} edits`;
  return `${why} ${what} ${count > 1 ? "are" : "is"} kept and sent later.`;
}

/** @param {HTMLElement} element of the canvas @param {number} count of the edits that wait */
export function showOffline(element, count) {
  const line = element.querySelector(".offline");
  const offline = host.reach.isOffline();
  host.reach.told(element, offline);
  if (!offline) return line?.remove();
  const over = host.reach.over();
  const isNew = !line || line.children.length > 0 !== Boolean(over);
  const now = isNew ? offlineLine(Boolean(over)) : line;
  if (isNew) (line?.remove(), element.append(now));
  setText(now.firstElementChild ?? now, over || offlineSays(count));
}

/** @param {boolean} over whether all that can be done is to copy the formula */
function offlineLine(over) {
  if (!over) return html("div", { class: "offline", role: "status" });
  const button = html("button", { type: "button" }, "Copy formula");
  button.addEventListener("click", () =>
    setText(button, copyFormula() ? "Copied" : "Copy it from its panel"),
  );
  return html("div", { class: "offline", role: "status" }, html("span"), button);
}

/** Copy in the click itself, which a page without https may do too. @returns {boolean} whether it was copied */
function copyFormula() {
  const field = /** @type {HTMLTextAreaElement} */ (html("textarea"));
  field.value = dispatch("formula", { text: "" }).text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}
