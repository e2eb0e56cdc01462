// @ts-check
// The canvas component: called with every new drawing, on the same parent element.

import { Editor } from "./editor.js";
import { html } from "../../web/dom.js";
import { listenToClipboard } from "./clipboard.js";
import { listenToDocuments } from "./drop.js";
import { listenToPointers } from "./gestures.js";
import { toggleHelp } from "./help.js";
import { keepFieldsInView, listenToHolding } from "./hold.js";
import { listenToKeys } from "./keys.js";
import { openMinimap } from "./minimap.js";
import { animateMoves } from "./motion.js";
import { listenToPanning } from "./panning.js";
import { traceLineage } from "./tracing.js";
import { showNotices } from "./notice.js";
import { toggleMenu } from "./menu.js";
import { openPalette } from "./palette.js";
import { listenToSliders } from "./scrub.js";
import { listenToReach } from "./reach.js";
import { speak } from "./spoken.js";
import { footBar, topBar } from "./toolbar.js";

/** @type {WeakMap<Node, Editor>} */
const editors = new WeakMap();

/** @param {ParentNode & Node} parent @param {string} css @param {import("./types.js").PaletteGroup[]} palette */
function open(parent, css, palette) {
  const editor = new Editor();
  editor.palette = palette;
  editor.ops = new Map(palette.flatMap(({ ops }) => ops.map((op) => [op.op, op])));
  const { host } = editor.stage;
  listenToPointers(editor);
  listenToKeys(editor);
  listenToClipboard(editor);
  listenToPanning(editor);
  animateMoves(editor);
  traceLineage(editor);
  openMinimap(editor);
  showNotices(editor);
  listenToSliders(editor);
  listenToDocuments(editor);
  listenToReach(editor);
  listenToHolding(editor);
  keepFieldsInView(editor);
  host.append(...topBar(editor), footBar(editor, { add: () => openPalette(editor), help: () => toggleHelp(editor), menu: () => toggleMenu(editor) }));
  parent.querySelectorAll(".canvas").forEach((old) => old.remove()); // left by an older version of this code
  parent.append(html("style", {}, css), host);
  new ResizeObserver(() => editor.resized()).observe(host);
  speak(editor);
  editors.set(parent, editor);
  return editor;
}

/** @param {{ data: any, parentElement: ParentNode & Node, setTriggerValue: (name: string, value: any) => void }} component
 * @param {string} css @param {import("./types.js").PaletteGroup[]} palette */
export default function canvas({ data, parentElement, setTriggerValue }, css, palette) {
  const editor = editors.get(parentElement) ?? open(parentElement, css, palette);
  editor.receive(data, (message) => setTriggerValue("outbox", message));
  return () => editor.stage.host.isConnected || editor.close(); // Streamlit cleans up superseded calls too
}
