// @ts-check
// Start and update the lab component: the entry point, called with every message from Python on the same
// parent element.

import { readAnswer } from "./connection/socket.js";
import { Lab } from "./lab.js";
import { openNotesPage } from "./present/notes.js";

/** @type {WeakMap<Node, Lab>} */
const labs = new WeakMap();

/** @param {{ data: import("./types.js").Written, parentElement: ParentNode & Node,
 *   setTriggerValue: (name: string, value: any) => void }} component
 * @param {Record<string, string>} css by folder @param {import("./types.js").Constants} constants */
export default function main({ data, parentElement, setTriggerValue }, css, constants) {
  if (data.notes) return openNotesPage(parentElement, css.present);
  const lab = labs.get(parentElement) ?? new Lab(parentElement, css, constants);
  labs.set(parentElement, lab);
  lab.receive(readAnswer(data), (message) => setTriggerValue("outbox", message));
  return () => lab.isHere || lab.close(); // Streamlit cleans up superseded calls too
}
