// @ts-check
// The file menu: a button on the toolbar and what it opens.

import { html } from "../../web/dom.js";
import { icon } from "./icons.js";
import { closePalette } from "./palette.js";
import { FILE_ACTIONS, isOnPaper, togglePaper } from "./take.js";

/** @typedef {import("./editor.js").Editor} Editor */

/** @param {Editor} editor */
export function toggleMenu(editor) {
  const wasOpen = editor.stage.host.querySelector(".menu");
  closePalette(editor);
  if (wasOpen) return;
  const items = Object.values(FILE_ACTIONS).map((action) => entry(action, () => {
    closePalette(editor);
    action.run(editor);
  }));
  const paper = html("button", {
    type: "button", role: "menuitemcheckbox", "aria-checked": String(isOnPaper()), class: "entry",
    click: (event) => /** @type {Element} */ (event.currentTarget).setAttribute("aria-checked", String(togglePaper())),
  }, html("span", { class: "tick", "aria-hidden": "true" }, "✓"), html("span", {}, "Pictures on white"));
  const root = html("div", { class: "popover menu", role: "menu", "aria-label": "File" },
    ...items.slice(0, 2), line(), ...items.slice(2, 4), paper, line(), ...items.slice(4, 6), line(), ...items.slice(6));
  root.addEventListener("keydown", (event) => walk(editor, root, event));
  editor.stage.host.append(root);
  items[0].focus();
}

const line = () => html("div", { class: "line-between", role: "separator" });

/** @param {import("./take.js").FileAction} action @param {() => void} run */
const entry = ({ label, key, icon: name }, run) =>
  html("button", { type: "button", role: "menuitem", class: "entry", click: run },
    icon(name), html("span", {}, label), key && html("kbd", {}, key));

/** @param {Editor} editor @param {HTMLElement} root @param {KeyboardEvent} event */
function walk(editor, root, event) {
  event.stopPropagation();
  const items = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(".entry")]);
  const at = items.findIndex((item) => item.matches(":focus"));
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (event.key === "Escape" || event.key === "Tab") closePalette(editor);
  else if (to === undefined) return;
  else items.at(to % items.length)?.focus();
  event.preventDefault();
}
