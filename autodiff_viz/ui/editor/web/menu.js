// @ts-check
// The file menu: a button on the toolbar and what it opens.

import { keyOf, NO_FOCUS, placed } from "./actions.js";
import { html } from "../../web/dom.js";
import { icon } from "./icons.js";
import { closePalette } from "./palette.js";

/** @typedef {import("./editor.js").Editor} Editor */

/** @param {Editor} editor */
export function toggleMenu(editor) {
  const wasOpen = editor.stage.host.querySelector(".menu");
  closePalette(editor);
  if (wasOpen) return;
  const groups = placed("file").map((actions) => actions.map(([id, action]) => entry(editor, id, action)));
  const root = html("div", { class: "popover menu", role: "menu", "aria-label": "File" },
    ...groups.flatMap((items, i) => (i ? [line(), ...items] : items)));
  root.addEventListener("keydown", (event) => walk(editor, root, event));
  editor.stage.host.append(root);
  groups[0][0].focus();
}

const line = () => html("div", { class: "line-between", role: "separator" });

/** What is on or off is toggled, and the menu stays. @param {Editor} editor @param {string} id @param {import("./actions.js").Action} action */
function entry(editor, id, action) {
  const { label, icon: picture = id, on } = action;
  if (!on) {
    const run = () => {
      closePalette(editor);
      action.do?.(editor, NO_FOCUS, "");
    };
    return html("button", { type: "button", role: "menuitem", class: "entry", click: run },
      icon(picture), html("span", {}, label), action.keys && html("kbd", {}, keyOf(action)));
  }
  const toggle = (/** @type {Event} */ event) => {
    action.do?.(editor, NO_FOCUS, "");
    /** @type {Element} */ (event.currentTarget).setAttribute("aria-checked", String(on(editor)));
  };
  return html("button", { type: "button", role: "menuitemcheckbox", "aria-checked": String(on(editor)), class: "entry", click: toggle },
    html("span", { class: "tick", "aria-hidden": "true" }, "✓"), html("span", {}, label));
}

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
