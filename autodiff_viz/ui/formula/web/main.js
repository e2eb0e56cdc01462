// @ts-check
// The formula editor: called with every new word of Python's, on the same parent element.

import { html } from "../../editor/web/dom.js";
import { Formula } from "./editor.js";
import { listenToKeys } from "./keys.js";

/** @type {WeakMap<Node, Formula>} */
const formulas = new WeakMap();

/** @param {ParentNode & Node} parent @param {string} css */
function open(parent, css) {
  const formula = new Formula();
  listenToKeys(formula);
  parent.querySelectorAll(".formula").forEach((old) => old.remove()); // left by an older version of this code
  parent.append(html("style", {}, css), formula.host);
  formulas.set(parent, formula);
  return formula;
}

/** @param {{ data: any, parentElement: ParentNode & Node, setTriggerValue: (name: string, value: any) => void }} component
 * @param {string} css */
export default function formula({ data, parentElement, setTriggerValue }, css) {
  const editor = formulas.get(parentElement) ?? open(parentElement, css);
  editor.receive(data, (message) => setTriggerValue("outbox", message));
  return () => editor.host.isConnected || editor.close(); // Streamlit cleans up superseded calls too
}
