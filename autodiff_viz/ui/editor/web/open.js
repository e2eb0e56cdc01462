// @ts-check
// Construct a canvas with all its listeners.

import { Editor } from "./editor.js";
import { listenToClipboard } from "./actions/clipboard.js";
import { listenToDocuments } from "./gestures/drop.js";
import { listenToPointers } from "./gestures/gestures.js";
import { keepFieldsInView, listenToHolding } from "./gestures/hold.js";
import { noteHidden } from "./actions/hiding.js";
import { answerKeys, listenToKeys } from "./actions/keys.js";
import { tellElements } from "./draw/cards/elements.js";
import { legend } from "./draw/wires/legend.js";
import { openMinimap } from "./draw/viewport/minimap.js";
import { animateMoves } from "./draw/viewport/motion.js";
import { listenToPanning } from "./gestures/panning.js";
import { listenToWheel } from "./gestures/wheel.js";
import { traceLineage } from "./draw/highlights/tracing.js";
import { handBar } from "./popovers/hands.js";
import { showNotices } from "./popovers/notice.js";
import { listenToSliders } from "./live/scrub.js";
import { listenToReach } from "./actions/reach.js";
import { rove } from "./actions/roving.js";
import { forwardBar } from "./forward/bar.js";
import { twinsBar } from "./twins/bar.js";
import { variantsBar } from "./lesson/variants.js";
import { lightParting } from "./twins/lit.js";
import { markRanges } from "./draw/highlights/ranged.js";
import { fillBySize } from "./draw/highlights/sizekey.js";
import { showReads } from "./draw/wires/reads.js";
import { welcome } from "./popovers/welcome.js";
import { openTransport } from "./play/transport.js";
import { speak } from "./draw/screen_reader/spoken.js";
import { html } from "../../web/dom.js";
import { pageTools, toolStrip } from "./actions/toolbar.js";

/** @param {import("./types.js").PaletteGroup[]} palette @returns {Editor} */
export function openEditor(palette) {
  const editor = new Editor();
  editor.palette = palette;
  editor.ops = new Map(palette.flatMap(({ ops }) => ops.map((op) => [op.op, op])));
  const { host } = editor.stage;
  listenToPointers(editor);
  listenToKeys(editor);
  listenToClipboard(editor);
  listenToPanning(editor);
  listenToWheel(editor);
  animateMoves(editor);
  traceLineage(editor);
  tellElements(editor);
  host.append(legend());
  fillBySize(editor);
  noteHidden(editor);
  lightParting(editor);
  markRanges(editor);
  showReads(editor);
  openMinimap(editor);
  showNotices(editor);
  listenToSliders(editor);
  listenToDocuments(editor);
  listenToReach(editor);
  listenToHolding(editor);
  keepFieldsInView(editor);
  editor.tools = pageTools(editor);
  const bench = openTransport(editor);
  answerKeys(editor, bench);
  welcome(editor);
  editor.root = html("div", { class: "workspace" }, toolStrip(editor), variantsBar(editor), twinsBar(editor), forwardBar(editor), host, handBar(editor), bench);
  for (const place of [editor.root, editor.tools]) for (const bar of [place, ...place.querySelectorAll("*")]) if (bar.role === "toolbar") rove(/** @type {HTMLElement} */ (bar));
  new ResizeObserver(() => editor.resized()).observe(host);
  speak(editor);
  return editor;
}
