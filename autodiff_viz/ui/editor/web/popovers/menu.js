// @ts-check
// Open the menus of the page's bar: of files, pictures and links, and of how the page looks.

import { keyOf, NO_FOCUS, placed } from "../actions/actions.js";
import { html } from "../../../web/dom.js";
import { icon } from "../draw/icons.js";
import { closePopover, walkMenu } from "./popover.js";

/** @typedef {import("../editor.js").Editor} Editor */

/** @param {Editor} editor @param {"file" | "look"} place whose actions it has @param {string} label */
export function toggleMenu(editor, place, label) {
  const wasOpen = editor.stage.host.querySelector(`.menu[aria-label="${label}"]`);
  closePopover(editor);
  if (wasOpen) return;
  const groups = placed(place).map((actions) => actions.filter(([, { when }]) => !when || when(editor)).map(([id, action]) => entry(editor, id, action)));
  const root = html("div", { class: "popover menu", role: "menu", "aria-label": label },
    ...groups.flatMap((items, i) => (i ? [line(), ...items] : items)));
  root.addEventListener("keydown", (event) => walkMenu(editor, root, event));
  editor.stage.host.append(root);
  groups[0][0].focus();
}

const line = () => html("div", { class: "line-between", role: "separator" });

/** A menu entry; an action that can be on or off is toggled, and the menu stays open.
 * @param {Editor} editor @param {string} id @param {import("../actions/actions.js").Action} action */
function entry(editor, id, action) {
  const { label, icon: picture = id, on } = action;
  if (!on) {
    const run = () => {
      closePopover(editor);
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
    html("span", { class: "tick", "aria-hidden": "true" }, "✓"), html("span", {}, label), action.keys && html("kbd", {}, keyOf(action)));
}
