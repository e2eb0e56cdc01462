// @ts-check
// List the actions of a figure that lives without a server: those that change nothing, and its own.

import { dispatch } from "../base/events.js";
import { host } from "../base/host.js";
import { placedAmong, READING } from "../canvas/actions/reading.js";

/** @typedef {import("../canvas/actions/reading.js").Action} Action */
/** @typedef {import("../canvas/actions/reading.js").Place} Place */

const { none, present, ...others } = READING;

/** @type {Record<string, Action>} */
export const ACTIONS = {
  ...others,
  none: {
    ...none,
    do: (editor, focus, key) =>
      dispatch("bring-back", { done: false }).done || none.do?.(editor, focus, key),
  },
  present: { ...present, places: { view: "look" } },
  theme: {
    label: "Light or dark",
    keys: ["Shift+L"],
    places: { view: "look" },
    on: () => isDark(),
    do: (editor) => {
      host.setTheme(isDark() ? "light" : "dark");
      editor.refresh();
    },
  },
  pin: { label: "Unpin", keys: [] }, // the key that the row of a comparison names
};

/** Whether the page is dark, by the user's choice here or in the system. */
const isDark = () => {
  const { colorScheme } = document.documentElement.style;
  return colorScheme ? colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

/** The actions of a toolbar or menu, by group. @param {Place} place */
export const placed = (place) => placedAmong(ACTIONS, place);
