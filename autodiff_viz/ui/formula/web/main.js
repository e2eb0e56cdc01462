// @ts-check
// The formula editor: called with every new word of Python's, on the same parent element.

import { html } from "../../web/dom.js";
import { Formula } from "./editor.js";
import { listenToKeys } from "./keys.js";
import { answer } from "../../web/hail.js";

/** @type {WeakMap<Node, Formula>} */
const formulas = new WeakMap();

/** @typedef {import("./types.js").Word} Word */

/** @param {ParentNode & Node} parent @param {string} css @param {Word[]} words */
function open(parent, css, words) {
  const formula = new Formula(words);
  listenToKeys(formula);
  answer("formula", formula.host, () => formula.area.value);
  parent.querySelectorAll(".formula").forEach((old) => old.remove()); // left by an older version of this code
  parent.append(html("style", {}, css), formula.host);
  formulas.set(parent, formula);
  return formula;
}

/** @param {{ data: any, parentElement: ParentNode & Node, setTriggerValue: (name: string, value: any) => void }} component
 * @param {string} css @param {Word[]} words of the language */
export default function formula({ data, parentElement, setTriggerValue }, css, words) {
  const editor = formulas.get(parentElement) ?? open(parentElement, css, words);
  editor.receive(data, (message) => setTriggerValue("outbox", message));
  return () => editor.host.isConnected || editor.close(); // Streamlit cleans up superseded calls too
}
