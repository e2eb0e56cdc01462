// @ts-check
// Draw a phone's four buttons below the canvas: add, bend, undo, and all the rest; the second and the last
// open menus in words.

import { html, setText } from "../../base/dom.js";
import { dispatch } from "../../base/events.js";
import { icon } from "../../base/icons.js";
import { placed } from "../actions/actions.js";
import { NO_FOCUS } from "../actions/reading.js";
import { answerKeys } from "../actions/keys.js";
import { closePopover, walkMenu } from "./popover.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {[id: string, action: import("../actions/reading.js").Action]} Named */

/** @param {Editor} editor */
export function phoneBar(editor) {
  const byName = Object.fromEntries(
    ["graph", "bar"].flatMap((place) => placed(/** @type {any} */ (place)).flat()),
  );
  const bend = tool("stop", "Bend", () => toggle(editor, "Bend", bendings(editor)), "menu");
  const undo = tool("undo", "Undo", () => byName.undo.do?.(editor, NO_FOCUS, ""));
  const more = tool("more", "More", () => toggle(editor, "More", others(editor)), "menu");
  editor.watchers.push(() => {
    const what = editor.shown.history.undo;
    undo.toggleAttribute("disabled", !what);
    undo.title = what ? `Undo: ${what}` : "Nothing to undo";
    bend.classList.toggle("on", editor.selection.size > 0);
  });
  const bar = html(
    "div",
    { class: "bar hands", role: "toolbar", "aria-label": "Tools" },
    tool("add", "Add", () => (dispatch("menu", {}), byName.add.do?.(editor, NO_FOCUS, ""))),
    bend,
    undo,
    more,
  );
  answerKeys(editor, bar);
  return bar;
}

/** @param {string} picture @param {string} word @param {() => void} click @param {string} [popup] */
const tool = (picture, word, click, popup) =>
  html(
    "button",
    { type: "button", class: `tool ${picture}`, "aria-haspopup": popup, click },
    icon(picture),
    html("span", { class: "word" }, word),
  );

/** What can be done with the selection. @param {Editor} editor @returns {Named[]} */
const bendings = (editor) =>
  offered(editor, [
    ...placed("top").flat(),
    ...(editor.selection.size ? placed("more").flat() : []),
  ]);

/** Everything else. @param {Editor} editor @returns {Named[]} */
const others = (editor) =>
  offered(
    editor,
    Object.entries(
      Object.fromEntries(
        /** @type {const} */ (["graph", "bar", "view", "look"]).flatMap((place) =>
          placed(place).flat(),
        ),
      ),
    ),
  ).filter(([id]) => !["add", "undo"].includes(id));

/** @param {Editor} editor @param {Named[]} actions */
const offered = (editor, actions) => actions.filter(([, { when }]) => !when || when(editor));

/** @param {Editor} editor @param {string} label @param {Named[]} actions */
function toggle(editor, label, actions) {
  closePopover(editor);
  dispatch("menu", {}); // it needs the canvas's whole height
  const rows = actions.map(([id, action]) => row(editor, id, action));
  const none = rows.length
    ? null
    : html("p", { class: "none" }, "Tap a node first: then its gradient can be bent.");
  const root = html(
    "div",
    { class: "popover by-hand", role: rows.length ? "menu" : "dialog", "aria-label": label },
    ...rows,
    none,
  );
  root.addEventListener("keydown", (event) => walkMenu(editor, root, event));
  editor.stage.host.append(root);
  root.querySelector("button")?.focus({ preventScroll: true });
}

/** @param {Editor} editor @param {string} id @param {import("../actions/reading.js").Action} action */
function row(editor, id, { label, icon: picture = id, on, do: act, undoes }) {
  const run = () => {
    closePopover(editor);
    act?.(editor, NO_FOCUS, "");
  };
  const checked = on
    ? { role: "menuitemcheckbox", "aria-checked": String(on(editor)) }
    : { role: "menuitem" };
  const entry = html(
    "button",
    { type: "button", class: "entry", ...checked, click: run },
    icon(picture),
    html("span", {}, label),
  );
  const step = undoes && editor.shown.history[undoes];
  if (undoes)
    setText(
      /** @type {Element} */ (entry.lastElementChild),
      step ? `${label}: ${step}` : `Nothing to ${undoes}`,
    );
  entry.toggleAttribute("disabled", Boolean(undoes && !step));
  return entry;
}
