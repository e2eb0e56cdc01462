// @ts-check
// A canvas with all that listens to it.

import { Editor } from "./editor.js";
import { listenToClipboard } from "./clipboard.js";
import { listenToDocuments } from "./drop.js";
import { listenToPointers } from "./gestures.js";
import { keepFieldsInView, listenToHolding } from "./hold.js";
import { listenToKeys } from "./keys.js";
import { openMinimap } from "./minimap.js";
import { animateMoves } from "./motion.js";
import { listenToPanning } from "./panning.js";
import { traceLineage } from "./tracing.js";
import { showNotices } from "./notice.js";
import { listenToSliders } from "./scrub.js";
import { listenToReach } from "./reach.js";
import { speak } from "./spoken.js";
import { footBar, topBar } from "./toolbar.js";

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
  animateMoves(editor);
  traceLineage(editor);
  openMinimap(editor);
  showNotices(editor);
  listenToSliders(editor);
  listenToDocuments(editor);
  listenToReach(editor);
  listenToHolding(editor);
  keepFieldsInView(editor);
  host.append(...topBar(editor), footBar(editor));
  new ResizeObserver(() => editor.resized()).observe(host);
  speak(editor);
  return editor;
}
