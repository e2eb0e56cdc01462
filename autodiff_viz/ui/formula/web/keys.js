// @ts-check
// Handle the keys of the formula editor, and keep them from Streamlit, whose own shortcuts (r, c) would also
// answer.

import { commented, indented, newLine } from "./caret.js";

/** @typedef {import("./editor.js").Formula} Formula */

/** @type {Record<string, (formula: Formula) => void>} while completions are on view */
const CHOOSING = {
  ArrowDown: ({ popup }) => popup.mark(popup.marked + 1),
  ArrowUp: ({ popup }) => popup.mark(popup.marked - 1),
  Enter: ({ popup }) => popup.take(),
  Tab: ({ popup }) => popup.take(),
  Escape: ({ popup }) => popup.close(),
};

/** @type {Record<string, (formula: Formula) => void>} */
const WRITING = {
  Enter: (formula) => formula.replace(newLine(formula.typing)),
  "ctrl+Enter": (formula) => formula.confirm(),
  Escape: (formula) => formula.leave(),
  "ctrl+f": (formula) => formula.find(),
  "ctrl+/": (formula) => formula.become(commented(formula.typing)),
};

/** @param {Formula} formula */
export function listenToKeys(formula) {
  const { host, area } = formula;
  for (const kind of ["keydown", "keyup", "keypress"]) host.addEventListener(kind, (event) => event.stopPropagation());
  area.addEventListener("keydown", (event) => {
    if (event.isComposing) return; // an input method uses the keys
    const act = actionOf(formula, event);
    if (!act) return;
    event.preventDefault();
    act(formula);
  });
}

/** @param {Formula} formula @param {KeyboardEvent} event */
function actionOf(formula, event) {
  const ctrl = event.ctrlKey || event.metaKey;
  if (event.altKey || (event.shiftKey && event.key !== "/")) return null; // on some keyboards / needs shift
  if (formula.popup.open && !ctrl && CHOOSING[event.key]) return CHOOSING[event.key];
  if (event.key === "Tab") return formula.begun ? () => formula.become(indented(formula.typing)) : null;
  return WRITING[`${ctrl ? "ctrl+" : ""}${ctrl && event.key.length === 1 ? event.key.toLowerCase() : event.key}`]; // F with caps lock
}
