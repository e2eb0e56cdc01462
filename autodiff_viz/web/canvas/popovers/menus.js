// @ts-check
// Open menus: further actions on the selected nodes, by the last button of their toolbar, and those of the
// page's bar.

import { html, svg } from "../../base/dom.js";
import { icon } from "../../base/icons.js";
import { placed } from "../actions/actions.js";
import { keyOf, NO_FOCUS } from "../actions/reading.js";
import { align, ALIGNMENTS } from "../actions/arrange.js";
import { showStatus } from "../draw/stage.js";
import { closePopover, keepInside, walkMenu } from "./popover.js";

// The page's bar: files, pictures and links, and how the page looks.

/** @typedef {import("../editor.js").Editor} Editor */

/** @param {Editor} editor @param {"file" | "look"} place whose actions it has @param {string} label */
export function toggleMenu(editor, place, label) {
  closePopover(editor);
  const groups = placed(place).map((actions) =>
    actions
      .filter(([, { when, inMenu }]) => (inMenu?.() ?? true) && (!when || when(editor)))
      .map(([id, action]) => entry(editor, id, action)),
  );
  const root = html(
    "div",
    { class: "popover menu", role: "menu", "aria-label": label },
    ...groups.flatMap((items, i) => (i ? [line(), ...items] : items)),
  );
  root.addEventListener("keydown", (event) => walkMenu(editor, root, event));
  editor.stage.host.append(root);
  groups[0][0].focus();
}

const line = () => html("div", { class: "line-between", role: "separator" });

/** A menu entry; an action that can be on or off is toggled, and the menu stays open.
 * @param {Editor} editor @param {string} id @param {import("../actions/reading.js").Action} action */
function entry(editor, id, action) {
  const { label, icon: picture = id, on } = action;
  if (!on) {
    const waits = action.waits?.(editor);
    const run = () => {
      closePopover(editor);
      if (waits) showStatus(editor.stage, `${label}: ${waits}.`);
      else action.do?.(editor, NO_FOCUS, "");
    };
    return html(
      "button",
      {
        type: "button",
        role: "menuitem",
        class: "entry",
        "aria-disabled": waits ? "true" : null,
        click: run,
      },
      icon(picture),
      html("span", {}, label),
      waits && html("kbd", {}, waits),
      action.keys && html("kbd", {}, keyOf(action)),
    );
  }
  const toggle = (/** @type {Event} */ event) => {
    action.do?.(editor, NO_FOCUS, "");
    /** @type {Element} */ (event.currentTarget).setAttribute("aria-checked", String(on(editor)));
  };
  return html(
    "button",
    {
      type: "button",
      role: "menuitemcheckbox",
      "aria-checked": String(on(editor)),
      class: "entry",
      click: toggle,
    },
    html("span", { class: "tick", "aria-hidden": "true" }, "✓"),
    html("span", {}, label),
    action.keys && html("kbd", {}, keyOf(action)),
  );
}

/** @typedef {import("../actions/reading.js").Action} Action */

const LINES = /** @type {Record<string, string>} */ ({
  left: "M2.5 2v12M5 4h8v3H5zM5 9h5v3H5z",
  centre: "M8 2v12M4 4h8v3H4zM5.5 9h5v3h-5z",
  right: "M13.5 2v12M3 4h8v3H3zM6 9h5v3H6z",
  top: "M2 2.5h12M4 5v8h3V5zM9 5v5h3V5z",
  middle: "M2 8h12M4 4v8h3V4zM9 5.5v5h3v-5z",
  bottom: "M2 13.5h12M4 3v8h3V3zM9 6v5h3V6z",
  across: "M2.5 2v12M13.5 2v12M6.5 4.5h3v7h-3z",
  down: "M2 2.5h12M2 13.5h12M4.5 6.5h7v3h-7z",
});

/** @param {Editor} editor */
export function moreButton(editor) {
  const button = html(
    "button",
    {
      type: "button",
      class: "tool more",
      title: "More: duplicate, copy, align, arrange",
      "aria-label": "More",
      "aria-haspopup": "menu",
      click: () => toggleMore(editor, button),
    },
    icon("more"),
  );
  return button;
}

/** @param {Editor} editor @param {HTMLElement} button */
function toggleMore(editor, button) {
  closePopover(editor);
  const run = (/** @type {() => void} */ act) => () => {
    closePopover(editor);
    act();
  };
  const rows = placed("more")
    .flat()
    .map(([, action]) => action)
    .filter(({ when }) => !when || when(editor));
  const ways = /** @type {import("../actions/arrange.js").How[]} */ (
    Object.keys(ALIGNMENTS)
  ).filter((how) => editor.selection.size >= ALIGNMENTS[how].least);
  const root = html(
    "div",
    { class: "popover more-menu", role: "menu", "aria-label": "More" },
    ...rows.map((action) =>
      row(
        action,
        run(() => action.do?.(editor, NO_FOCUS, "")),
      ),
    ),
    ways.length > 0 &&
      html(
        "div",
        { class: "ways", role: "group", "aria-label": "Align" },
        ...ways.map((how) =>
          way(
            ALIGNMENTS[how].label,
            LINES[how],
            run(() => align(editor, how)),
          ),
        ),
      ),
  );
  root.addEventListener("keydown", (event) => walkMenu(editor, root, event));
  editor.stage.host.append(root);
  place(editor.stage.host, root, button);
  root.querySelector("button")?.focus();
}

/** @param {Action} action @param {() => void} act */
const row = (action, act) =>
  html(
    "button",
    { type: "button", class: "more-row", role: "menuitem", click: act },
    html("span", {}, action.label),
    html("kbd", {}, keyOf(action)),
  );

/** @param {string} label @param {string} lines @param {() => void} act */
const way = (label, lines, act) =>
  html(
    "button",
    {
      type: "button",
      class: "tool",
      role: "menuitem",
      title: label,
      "aria-label": label,
      click: act,
    },
    svg(
      "svg",
      { class: "icon", viewBox: "0 0 16 16", width: 18, height: 18, "aria-hidden": "true" },
      svg("path", { d: lines }),
    ),
  );

/** Place the menu below its button. @param {HTMLElement} host @param {HTMLElement} root @param {HTMLElement} button */
function place(host, root, button) {
  const [outer, inner] = [host.getBoundingClientRect(), button.getBoundingClientRect()];
  keepInside(host, root, [
    inner.right - outer.left - root.offsetWidth,
    inner.bottom - outer.top + 8,
  ]);
}
