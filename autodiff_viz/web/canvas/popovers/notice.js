// @ts-check
// Show a refused edit beside the node that it is about, with the reason and a button that sends a correction.
// The path of a loop is highlighted.

import { html } from "../../base/dom.js";
import { nodesOf, visibleCard, wiresOf } from "../state/fold.js";
import { toWorld } from "../state/geometry.js";
import { standClear } from "./popover.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../../types.js").Notice} Notice */
/** @typedef {(reason: string, notice: Notice) => void} Reopen */

const BELOW = 14; // px from a node to what is said of it
const READ_MS = 500; // for which a reason is on view at least before an edit that follows takes it away
const NARROW = 480; // px; below it there is no room beside a node

/** Texts that may be refused: by the number of their edit, a function that reopens the field with the reason.
 * @type {WeakMap<Editor, Map<number, Reopen>>} */
const typed = new WeakMap();
/** Notices that the user has closed, or that a field has shown. @type {WeakMap<Editor, string>} */
const closed = new WeakMap();

/** @param {Editor} editor */
export function showNotices(editor) {
  const root = html("div", { class: "notice", role: "alert" });
  root.hidden = true;
  editor.stage.host.append(root);
  let [shown, timer] = ["", 0];
  /** @type {unknown[]} what it has been placed for */
  let placed = [];
  const noteLater = (/** @type {Notice[]} */ notices) => {
    const { key } = editor.mail.outbox;
    clearTimeout(timer);
    timer = window.setTimeout(
      () => key === editor.mail.outbox.key && note(editor, notices),
      READ_MS,
    );
  };
  editor.watchers.push(() => {
    const { notices, key } = present(editor);
    if (key !== shown) {
      shown = key;
      if (notices.length) noteLater(notices);
      if (!answered(editor, notices, key)) fill(editor, root, notices);
      highlightPath(editor, root.hidden ? [] : (notices[0]?.path ?? []));
    } else if (!root.hidden) highlightPath(editor, notices[0]?.path ?? []);
    const now = [root.hidden, key, editor.stage.view, editor.seen.nodes, editor.stage.size];
    if (now.every((one, i) => one === placed[i])) return;
    placed = now;
    if (!root.hidden) place(editor, root, notices[0]);
  });
}

/** Call `reopen` with the reason if edit number `editor.mail.outbox.last` is refused.
 * @param {Editor} editor @param {Reopen} reopen */
export function whenRefused(editor, reopen) {
  typed.set(editor, new Map([...(typed.get(editor) ?? []), [editor.mail.outbox.last, reopen]]));
}

/** @param {Editor} editor @returns {boolean} whether one was open */
export function closeNotice(editor) {
  const { notices, key } = present(editor);
  if (!notices.length) return false;
  closed.set(editor, key);
  editor.refresh();
  return true;
}

/** The notices to show: none while the next edit is pending. @param {Editor} editor */
function present(editor) {
  const { notice, ack } = editor.drawing;
  const key = notice?.length ? `${ack} ${JSON.stringify(notice)}` : "";
  const open = key && closed.get(editor) !== key && !editor.pending.length;
  return open ? { notices: /** @type {Notice[]} */ (notice), key } : { notices: [], key: "" };
}

/** Whether the reason was shown in the field where the text was typed.
 * @param {Editor} editor @param {Notice[]} notices @param {string} key */
function answered(editor, notices, key) {
  const waiting = typed.get(editor);
  const reopen = waiting?.get(notices[0]?.seq ?? -1);
  for (const seq of waiting?.keys() ?? []) if (seq <= editor.drawing.ack) waiting?.delete(seq);
  if (!reopen || editor.stage.host.querySelector(".inline, .popover:not(.answer-pop)"))
    return false;
  closed.set(editor, key);
  reopen([notices[0].message, notices[0].hint].filter(Boolean).join(" "), notices[0]);
  return true;
}

/** Note that reasons have been read, which goes to Python with the next edit. @param {Editor} editor @param {Notice[]} notices */
const note = (editor, notices) => (editor.noticed = notices.map(({ seq }) => seq ?? null));

/** @param {Editor} editor @param {HTMLElement} root @param {Notice[]} notices */
function fill(editor, root, notices) {
  root.hidden = !notices.length;
  const [first] = notices;
  if (!first) return root.replaceChildren();
  const { message, hint, offer, edit } = first;
  const close = html(
    "button",
    {
      type: "button",
      class: "notice-close",
      "aria-label": "Close",
      title: "Close  (Esc)",
      click: () => closeNotice(editor),
    },
    "×",
  );
  const mend =
    offer &&
    edit &&
    html(
      "button",
      {
        type: "button",
        class: "notice-offer",
        click: () => (note(editor, notices), editor.send(edit)),
      },
      offer,
    );
  root.replaceChildren(
    html("b", {}, message),
    hint && !mend ? html("span", {}, hint) : "",
    mend || "",
    close,
  );
}

/** Place a notice near its node, or at the foot if a path is highlighted, where it covers neither these nor, if there is room, other nodes.
 * @param {Editor} editor @param {HTMLElement} root @param {Notice} notice */
function place(editor, root, { node: id, path = [] }) {
  const { stage, seen } = editor;
  const { clientWidth: w, clientHeight: h } = stage.host;
  const own = new Set((path.length ? path : [id ?? ""]).map((name) => visibleCard(seen, name)));
  const about = seen.nodes.filter((node) => own.has(node.id));
  const [node] = path.length || w < NARROW ? [] : about;
  const half = root.offsetWidth / 2 / stage.view.k;
  const [x, y] = node
    ? [node.x + node.w / 2, node.y + node.h + BELOW / stage.view.k]
    : toWorld(stage.view, [w / 2, h]);
  standClear(editor, root, [x - half, y], about);
}

/** Highlight a path: its nodes and the wires between them. @param {Editor} editor @param {string[]} path */
export function highlightPath({ stage }, path) {
  const steps = new Set(path.slice(1).map((to, i) => `${path[i]}>${to}`));
  for (const { root, node } of stage.cards.values())
    root.classList.toggle(
      "on-path",
      nodesOf(node).some((name) => path.includes(name)),
    );
  for (const { root, wire } of stage.strands.values())
    root.classList.toggle(
      "on-path",
      wiresOf(wire).some(({ from, to }) => steps.has(`${from}>${to}`)),
    );
}
