// @ts-check
// Construct a canvas with all its listeners.

import { closeFromOutside } from "../base/dismiss.js";
import { html } from "../base/dom.js";
import { askingBar } from "../asking/bar.js";
import { lightParting, twinsBar } from "../explain/compare.js";
import { forwardBar } from "../explain/forward.js";
import { openTransport } from "../explain/play_bar.js";
import { markRanges } from "../explain/precision.js";
import { listenToClipboard } from "./actions/clipboard.js";
import { noteHidden } from "./actions/hiding.js";
import { listenToKeyboardWire } from "./actions/keyboard.js";
import { answerKeys, listenToKeys } from "./actions/keys.js";
import { pageTools, makeOneTabStop, toolStrip } from "./actions/toolbar.js";
import { showElementTips } from "./draw/elements.js";
import { traceLineage } from "./draw/highlights.js";
import { openMinimap } from "./draw/minimap.js";
import { animateMoves } from "./draw/motion.js";
import { legend, showReads } from "./draw/reads.js";
import { keepDescriptions } from "./draw/screen_reader.js";
import { tellSteps } from "./draw/spoken_steps.js";
import { fillBySize } from "./draw/size_key.js";
import { Editor } from "./editor.js";
import { listenToDocuments } from "./gestures/drop.js";
import { listenToPointers } from "./gestures/gestures.js";
import { listenToPanning, listenToWheel } from "./gestures/pan_zoom.js";
import { keepFieldsInView, listenToHolding } from "./gestures/touch.js";
import { showNotices } from "./popovers/notice.js";
import { phoneBar } from "./popovers/phone_bar.js";
import { closePopover } from "./popovers/popover.js";
import { welcome } from "./popovers/welcome.js";
import { lessonBrief } from "../lesson/brief.js";
import { exerciseLine } from "../lesson/exercise.js";
import { openStage } from "../present/open.js";
import { listenToPrinting } from "./print.js";
import { listenToSliders } from "./scrub.js";
import { variantsBar } from "./variants.js";

/** @param {import("../types.js").PaletteGroup[]} palette @returns {Editor} */
export function openEditor(palette) {
  const editor = new Editor();
  editor.palette = palette;
  editor.ops = new Map(palette.flatMap(({ ops }) => ops.map((op) => [op.op, op])));
  const { host } = editor.stage;
  closeFromOutside(
    () => host.querySelector(".popover"),
    () => closePopover(editor),
    () => !host.isConnected && editor.drawing.rev >= 0,
    true,
  );
  listenToPointers(editor);
  listenToKeys(editor);
  listenToClipboard(editor);
  listenToPanning(editor);
  listenToWheel(editor);
  animateMoves(editor);
  traceLineage(editor);
  showElementTips(editor);
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
  listenToKeyboardWire(editor);
  listenToHolding(editor);
  keepFieldsInView(editor);
  listenToPrinting(host);
  editor.tools = pageTools(editor);
  const bench = openTransport(editor);
  answerKeys(editor, bench);
  welcome(editor);
  editor.root = html(
    "div",
    { class: "workspace" },
    toolStrip(editor),
    lessonBrief(editor),
    variantsBar(editor),
    exerciseLine(editor, (exercise) => editor.showExercise(exercise)),
    twinsBar(editor),
    forwardBar(editor),
    askingBar(editor),
    host,
    phoneBar(editor),
    bench,
  );
  for (const place of [editor.root, editor.tools])
    for (const bar of [place, ...place.querySelectorAll("*")])
      if (bar.role === "toolbar") makeOneTabStop(/** @type {HTMLElement} */ (bar));
  new ResizeObserver(() => editor.resized()).observe(host);
  keepDescriptions(editor);
  tellSteps(editor);
  openStage(editor);
  return editor;
}
