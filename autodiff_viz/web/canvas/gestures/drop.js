// @ts-check
// Open documents dropped or pasted onto the canvas; data that is dropped on an input becomes its value.

import { hasKeys } from "../actions/clipboard.js";
import { pointOf } from "../draw/stage.js";
import { isDocument, openText, readFile } from "../files/import_export.js";
import { toWorld } from "../state/geometry.js";

/** @typedef {import("../editor.js").Editor} Editor */

/** @param {Editor} editor */
export function listenToDocuments(editor) {
  const { host } = editor.stage;
  const mark = (/** @type {boolean} */ on) => host.classList.toggle("dropping", on);
  host.addEventListener("dragover", (event) => {
    if (!holdsDocument(event.dataTransfer)) return;
    event.preventDefault();
    mark(true);
  });
  host.addEventListener(
    "dragleave",
    (event) => host.contains(/** @type {Node | null} */ (event.relatedTarget)) || mark(false),
  );
  host.addEventListener("drop", (event) => {
    mark(false);
    if (!holdsDocument(event.dataTransfer)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    const id = /** @type {Element} */ (event.target)
      .closest?.("[data-id]")
      ?.getAttribute("data-id");
    const node = editor.shown.nodes.find((one) => one.id === id)?.id ?? null;
    if (file)
      readFile(editor, file, node, toWorld(editor.stage.view, pointOf(editor.stage, event)));
    else openText(editor, event.dataTransfer?.getData("text/uri-list") ?? "", "link");
  });
  document.addEventListener(
    "paste",
    (event) => {
      // before the listeners that paste into the graph
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (!hasKeys(host) || !isDocument(text)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      openText(editor, text, "pasted graph");
    },
    { capture: true },
  );
}

/** @param {DataTransfer | null} data */
const holdsDocument = (data) =>
  Boolean(data && (data.types.includes("Files") || data.types.includes("text/uri-list")));
