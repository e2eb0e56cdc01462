// @ts-check
// Take a graph as a picture, which holds it, a file, a link or text, and open one.

import { shared } from "../../base/constants.js";
import { dataIn, isDataFile } from "../../base/data.js";
import { html } from "../../base/dom.js";
import { dispatch, listen } from "../../base/events.js";
import { presentLook, toFragment } from "../../dock/layout.js";
import { isDraft } from "../../formula/places.js";
import { showStatus, sizeOf } from "../draw/stage.js";
import { closePopover } from "../popovers/popover.js";
import { placeOf } from "../state/geometry.js";
import {
  afterAnswers,
  answeredItems,
  isOnPaper,
  isWithAnswers,
  withoutAnswers,
} from "./import_export.js";
import { bitmapOf, pictureOf } from "./picture.js";
import { digestOf } from "./session_store.js";

// The graph in a picture file, as the text of its link: an iTXt chunk of a PNG, a <metadata> element of an
// SVG. Bytes and text only. https://www.w3.org/TR/png-3/#11iTXt

const NAME = "autodiff_viz"; // keyword of the chunk, id of the element
const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
const FRAME = 12; // bytes of a chunk beside its data: length, name, checksum
const HEADER = SIGNATURE.length + FRAME + 13; // bytes of the signature and of the first chunk, whose data has 13

/** Beginnings of other pictures, which hold no graph. @type {[kind: string, at: number, begins: string][]} */
const OTHERS = [
  ["JPEG", 0, "\xff\xd8\xff"],
  ["GIF", 0, "GIF8"],
  ["WebP", 8, "WEBP"],
];

/** CRC-32 of a chunk's name and data. @param {Uint8Array} bytes */
export function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** The chunk's data begin so: keyword, no compression, no language, no translated keyword. */
const BEGINS = `${NAME}\0\0\0\0\0`;

/** @param {Uint8Array} bytes @param {number} [start] @param {number} [end] */
const lettersOf = (bytes, start = 0, end = bytes.length) => {
  let text = "";
  for (const byte of bytes.subarray(start, end)) text += String.fromCharCode(byte);
  return text;
};

/** The PNG file with the text of a link, or of a formula, in it. @param {Uint8Array} png @param {string} link */
export function withGraphInPng(png, link) {
  const body = new TextEncoder().encode(`iTXt${BEGINS}${link}`);
  const made = new Uint8Array(png.length + body.length + 8);
  const view = new DataView(made.buffer);
  made.set(png.subarray(0, HEADER));
  view.setUint32(HEADER, body.length - 4);
  made.set(body, HEADER + 4);
  view.setUint32(HEADER + 4 + body.length, crc32(body));
  made.set(png.subarray(HEADER), HEADER + 8 + body.length);
  return made;
}

/** The SVG file with the text of a link, or of a formula, in it. @param {string} svg @param {string} link */
export const withGraphInSvg = (svg, link) =>
  svg.replace(
    "</title>",
    () =>
      `</title><metadata id="${NAME}">${link.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</metadata>`,
  );

/** The kind of a picture file and the link in it, null if it has none; null if the file is no picture.
 * @param {Uint8Array} bytes @returns {{ kind: string, text: string | null } | null} */
export function graphIn(bytes) {
  if (SIGNATURE.every((byte, i) => bytes[i] === byte)) return { kind: "PNG", text: inPng(bytes) };
  const other = OTHERS.find(
    ([, at, begins]) => lettersOf(bytes, at, at + begins.length) === begins,
  );
  if (other) return { kind: other[0], text: null };
  if (!/^(\xef\xbb\xbf)?\s*<(\?xml|!--|!DOCTYPE svg|svg)\b/.test(lettersOf(bytes, 0, 200)))
    return null;
  const text = new TextDecoder().decode(bytes);
  return /<svg\b/.test(text) ? { kind: "SVG", text: inSvg(text) } : null;
}

/** @param {Uint8Array} bytes @returns {string | null} */
function inPng(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = SIGNATURE.length; at + FRAME <= bytes.length;) {
    const length = view.getUint32(at);
    const [start, end] = [at + 8, at + 8 + length];
    if (end + 4 > bytes.length) return null;
    const text = start + BEGINS.length;
    if (
      lettersOf(bytes, at + 4, start) === "iTXt" &&
      text <= end &&
      lettersOf(bytes, start, text) === BEGINS
    ) {
      return new TextDecoder().decode(bytes.subarray(text, end));
    }
    at = end + 4;
  }
  return null;
}

/** @param {string} text @returns {string | null} */
function inSvg(text) {
  const metadata = new RegExp(`<metadata id="${NAME}">([^<]*)</metadata>`).exec(text);
  return (
    metadata &&
    metadata[1].replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&").trim()
  );
}

/** @typedef {import("../editor.js").Editor} Editor */

const PATIENCE = 5000; // ms to wait for Python's answers before the present state is taken
const MOST_TEXT = shared.limits.document; // characters of a document
const MOST_BYTES = 64e6; // of a file; the largest picture that is saved here has less
/** Copy the link, once Python has answered every edit. @param {Editor} editor */
export const takeLink = (editor) => settled(editor).then(() => copyLink(editor));
/** @param {Editor} editor */
export const takeFormula = (editor) =>
  settled(editor).then(() => copy(editor, "Formula", dispatch("formula", { text: "" }).text));

/** Wait until Python has answered every edit and the address is up to date.
 * @param {Editor} editor */
async function settled({ stage }) {
  const end = Date.now() + PATIENCE;
  const busy = () =>
    stage.host.dataset.pending !== "0" ||
    document.querySelector("#av-first:not([data-stays]), [data-test-script-state=running]"); // the shell of a page that Streamlit has not drawn yet
  while (busy() && Date.now() < end) await new Promise((go) => setTimeout(go, 50));
}

/** @param {Editor} editor @param {"png" | "svg"} kind */
export const takePicture = async (editor, kind) => {
  if (!editor.shown.nodes.length) return showStatus(editor.stage, "There is nothing to draw yet.");
  try {
    await settled(editor); // the address then has the graph
    const picture = pictureOf(
      editor.stage,
      isOnPaper(),
      isWithAnswers() ? null : answeredItems(editor),
    );
    const text = documentText(editor);
    const file =
      kind === "png"
        ? await pngFile(picture, text)
        : new Blob([text ? withGraphInSvg(picture.text, text) : picture.text], {
            type: "image/svg+xml",
          });
    download(`autodiff_graph.${kind}`, file);
    const holds = text
      ? "It holds the graph: drop it on the canvas to open it."
      : "The graph itself is not in it: take it as JSON too.";
    showStatus(editor.stage, `Picture saved as autodiff_graph.${kind}. ${holds}`);
  } catch {
    showStatus(editor.stage, "This browser could not make the picture; try SVG.");
  }
};

/** The graph as text: its link; the formula of a graph that the address does not have; "" if its text has mistakes.
 * @param {Editor} editor */
const documentText = ({ drawing }) =>
  new URLSearchParams(location.search).has("g")
    ? withoutAnswers(location.search)
    : isDraft(drawing.formula)
      ? ""
      : dispatch("formula", { text: "" }).text;

/** @param {import("./picture.js").Picture} picture @param {string} held the graph as text */
async function pngFile(picture, held) {
  const bitmap = await bitmapOf(picture);
  return held
    ? new Blob([withGraphInPng(new Uint8Array(await bitmap.arrayBuffer()), held)], {
        type: "image/png",
      })
    : bitmap;
}

/** @param {string} name @param {Blob} blob */
function download(name, blob) {
  const href = URL.createObjectURL(blob);
  html("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10000); // the browser reads it after the click
}

const LONGEST = 180_000; // ms; Streamlit waits no longer for a file either
const LOOK = 100; // ms between two looks at its button, which is disabled while the file is written

/** Press the page's button for a file that Python writes, and say what becomes of it: the first figure of a server takes
 * seconds, on a busy one a minute.
 * @param {Editor} editor @param {string} key */
export const pressDownload = async (editor, key) => {
  const { stage } = editor;
  const name = shared.files[key];
  const place = () => document.querySelector(`.st-key-${key}`);
  const button = () => /** @type {HTMLButtonElement | null} */ (place()?.querySelector("button"));
  const look = () => new Promise((go) => setTimeout(go, LOOK));
  showStatus(stage, `Writing ${name} \u2026`, LONGEST);
  const end = Date.now() + LONGEST;
  // A page that has just been opened has no buttons yet: on a server that starts, for seconds.
  while (!button() && Date.now() < end) await look();
  await settled(editor);
  if (!button() || button()?.disabled)
    return showStatus(
      stage,
      afterAnswers(editor)
        ? `${name} cannot be written before the answers.`
        : "The graph cannot be written yet: see what is wrong with it beside the canvas.",
    );
  button()?.click();
  do await look();
  while (button()?.disabled && Date.now() < end);
  const why = place()?.querySelector("[data-testid=stDownloadButtonError]")?.textContent;
  showStatus(
    stage,
    why === undefined && Date.now() < end
      ? `Saved as ${name}.`
      : `${name} could not be written${why ? `: ${why}` : ""}. Try once more; the graph is as it was.`,
  );
};

const SHORT_MS = 2500; // to wait for the short link: a browser lets a page copy for some five seconds after a press

/** The short link, as Share gives it; "" if it does not come in time, or there is none.
 * @param {"here" | ""} tour what of a tour it has @returns {Promise<string>} */
const shortLink = (tour) =>
  new Promise((take) => {
    let waits = true;
    const end = (/** @type {string} */ link) => ((waits = false), take(link));
    listen(
      "shared",
      ({ of, shared }) => of === "copy" && end(shared.elsewhere ? "" : shared.short),
      () => !waits,
    );
    setTimeout(() => waits && end(""), SHORT_MS);
    dispatch("wants-share", { of: "copy", parameters: tour ? { tour } : {} });
  });

/** Copy the address with the layout. @param {Editor} editor */
async function copyLink(editor) {
  const { stage, choice } = editor;
  const kept = digestOf(location.search); // what the address has no room for
  if (kept && !new URLSearchParams(location.search).has("g")) return offerFile(editor);
  const place = choice === "own" ? placeOf(stage.view, sizeOf(stage)) : null;
  const alone = kept
    ? ` It holds ${editor.drawing.twins?.letter ?? "the graph"} alone: both are too large for a link.`
    : "";
  const long = location.href.split(/[?#]/)[0] + withoutAnswers(location.search);
  const link = (!kept && (await shortLink("here"))) || long;
  return copy(editor, "Link", link + toFragment(presentLook(), place), alone);
}

/** Copy the link of the tour alone, which opens at its first step. @param {Editor} editor */
export const takeTourLink = async (editor) => {
  await settled(editor);
  const tour = new URLSearchParams(location.search).get("tour");
  if (tour) {
    const long = `${location.href.split(/[?#]/)[0]}?tour=${tour}`;
    return copy(editor, "Link", (await shortLink("")) || long, " It opens step 1.");
  }
  offerFile(editor, "This tour is too large for a link", "download_tour");
};

/** Say that the graph has no room in a link, and offer it as a file.
 * @param {Editor} editor @param {string} [title] @param {string} [key] of the page's button for the file */
function offerFile(editor, title = "This graph is too large for a link", key = "download_json") {
  const text =
    "It is kept in this browser alone. To have it elsewhere, save it as a file: dropped on a canvas, the file opens.";
  const save = () => (closePopover(editor), pressDownload(editor, key));
  dialog(
    editor,
    title,
    text,
    null,
    html("button", { type: "button", class: "tool main", click: save }, "Save as JSON"),
  );
}

/** Copy a text; if the browser does not allow it, show the text to copy by hand.
 * @param {Editor} editor @param {string} what @param {string} text @param {string} [besides] said when it is copied */
export const copy = async (editor, what, text, besides = "") => {
  try {
    await navigator.clipboard.writeText(text);
    showStatus(editor.stage, `${what} copied.${besides}`);
  } catch {
    showText(editor, what, text);
  }
};

/** @param {Editor} editor @param {string} what @param {string} text */
function showText(editor, what, text) {
  const field = textField("Text to copy");
  field.value = text;
  field.readOnly = true;
  dialog(
    editor,
    `Copy the ${what.toLowerCase()}`,
    "This browser lets no page copy by itself: press Ctrl+C.",
    field,
  );
  field.select();
}

/** @param {Editor} editor */
export function openTextField(editor) {
  const field = textField("Graph to open");
  const go = html(
    "button",
    { type: "button", class: "tool main", click: () => openText(editor, field.value) },
    "Open",
  );
  dialog(
    editor,
    "Open a link or text",
    "Paste a link to a graph, its JSON, or formula text. Undo brings this graph back.",
    field,
    go,
  );
}

/** @param {string} label */
const textField = (label) =>
  /** @type {HTMLTextAreaElement} */ (
    html("textarea", { "aria-label": label, rows: 5, spellcheck: "false", autocomplete: "off" })
  );

/** @param {Editor} editor @param {string} title @param {string} text @param {HTMLElement | null} field @param {HTMLElement} [action] */
function dialog(editor, title, text, field, action) {
  closePopover(editor);
  const close = html(
    "button",
    { type: "button", class: "tool", click: () => closePopover(editor) },
    action ? "Cancel" : "Close",
  );
  const keydown = (/** @type {any} */ event) => {
    event.stopPropagation();
    if (event.key === "Escape") closePopover(editor);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) action?.click(); // as in the formula
  };
  const root = html(
    "div",
    { class: "popover text-dialog", role: "dialog", "aria-label": title, keydown },
    html("b", {}, title),
    html("p", {}, text),
    field,
    html("div", { class: "row" }, close, action),
  );
  editor.stage.host.append(root);
  (field ?? action ?? close).focus();
}

/** Set an input to the data in a file; without one it becomes a new input.
 * @param {Editor} editor @param {File} file @param {string | null} node @param {import("../../types.js").Point | null} at */
async function readData(editor, file, node, at) {
  const held = await dataIn(file);
  if (typeof held === "string") return showStatus(editor.stage, held);
  closePopover(editor);
  editor.send({ kind: "data", node, at, ...held });
}

/** @param {Editor} editor @param {File} file @param {string | null} [node] on which it was dropped
 * @param {import("../../types.js").Point | null} [at] the place where, if on none */
export const readFile = async (editor, file, node = null, at = null) => {
  if (isDataFile(file.name)) return readData(editor, file, node, at);
  if (file.size > MOST_BYTES)
    return showStatus(
      editor.stage,
      `Not opened: ${file.name} is larger than ${MOST_BYTES / 1e6} MB.`,
    );
  const picture = graphIn(new Uint8Array(await file.arrayBuffer()));
  if (picture?.text === null)
    return showStatus(
      editor.stage,
      `Not opened: ${file.name} is a ${picture.kind} picture without a graph in it. PNG and SVG files saved here hold theirs, unless another program has written them anew.`,
    );
  if (!picture && file.size > 4 * MOST_TEXT) return tooLong(editor, file.name); // bytes
  openText(editor, picture?.text ?? (await file.text()), file.name);
};

/** Open `text` in place of the graph; Python determines its format.
 * @param {Editor} editor @param {string} text @param {string} [name] */
export function openText(editor, text, name = "text") {
  closePopover(editor);
  if (text.length > MOST_TEXT) return tooLong(editor, name);
  if (!text.trim()) return showStatus(editor.stage, `Nothing to open: the ${name} is empty.`);
  editor.send({ kind: "import", text });
  showStatus(editor.stage, `Opening the ${name} ...`);
}

/** @param {Editor} editor @param {string} name */
const tooLong = (editor, name) =>
  showStatus(
    editor.stage,
    `Not opened: the ${name} is longer than ${MOST_TEXT / 1e6} million characters.`,
  );
