// @ts-check
// The sliders: called with every new word of Python's, on the same parent element.

import { html } from "../../web/dom.js";
import { Board } from "./board.js";

/** @type {WeakMap<Node, Board>} */
const boards = new WeakMap();

/** @param {ParentNode & Node} parent @param {string} css */
function open(parent, css) {
  const board = new Board();
  parent.querySelectorAll(".sliders").forEach((old) => old.remove()); // left by an older version of this code
  parent.append(html("style", {}, css), board.host);
  boards.set(parent, board);
  return board;
}

/** @param {{ data: any, parentElement: ParentNode & Node, setTriggerValue: (name: string, value: any) => void }} component
 * @param {string} css */
export default function sliders({ data, parentElement, setTriggerValue }, css) {
  const board = boards.get(parentElement) ?? open(parentElement, css);
  board.receive(data, (message) => setTriggerValue("outbox", message));
  return () => board.host.isConnected || board.close(); // Streamlit cleans up superseded calls too
}
