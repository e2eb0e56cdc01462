// @ts-check
// Show in one sentence what the page is for, with two ways to begin. A newcomer sees it over the first graph;
// after the first gesture it never comes again in this browser. Whoever has made a graph finds the way back to it there,
// and where a lesson was closed.

import { shared } from "../../base/constants.js";
import { html } from "../../base/dom.js";
import { host as place } from "../../base/host.js";
import { BROWSER, readList, writeList } from "../../base/store.js";
import { isOwnGraph, lastGraph, noteLent, wasLent } from "../../base/visits.js";

const NAME = "welcomed";
const BELOW = 8; // px

/** @param {import("../editor.js").Editor} editor */
export function welcome(editor) {
  const returns = offerReturn(editor);
  const last = lastGraph();
  const isNew = !readList(BROWSER, NAME).length && place.offers("welcome");
  if (!isNew && (!last || isOwnGraph(location.search))) return;
  const { host } = editor.stage;
  const greeting = [
    html(
      "p",
      {},
      "See how gradients flow back",
      html("span", { class: "rest" }, " through a computation, bend them, and watch what changes."),
    ),
    html("button", { type: "button", click: () => editor.startPlay() }, "Play it"),
    html("a", { href: `?lesson=${shared.first_lesson}`, target: "_self" }, "First lesson"),
  ];
  const back = html("a", { href: last, target: "_self" }, "Continue your last graph");
  const root = html(
    "div",
    { class: "welcome", role: "note", hidden: true },
    ...(isNew ? greeting : []),
    last && back,
  );
  editor.stage.covered = () => (root.hidden ? 0 : root.offsetTop + root.offsetHeight + BELOW);
  const ending = new AbortController();
  const end = () => {
    ending.abort();
    editor.stage.covered = () => 0; // what is on view stays where it is
    root.remove();
    writeList(BROWSER, NAME, [{ since: 1 }]);
  };
  editor.watchers.push(() => {
    if (ending.signal.aborted) return;
    const { lesson, tour, history, rev, asking } = editor.drawing;
    const isOther = lesson || tour || asking || history.undo || !returns.hidden;
    root.hidden = Boolean(isOther) || rev < 0;
  });
  host.append(root);
  // The first gesture anywhere; the buttons of the line itself do what they say first.
  for (const kind of ["pointerdown", "keydown", "wheel"])
    document.addEventListener(
      kind,
      (event) => {
        if (root.hidden || event.composedPath().includes(root)) return;
        end();
      },
      { capture: true, passive: true, signal: ending.signal },
    );
  root.addEventListener("click", () => setTimeout(end));
  root.addEventListener("pointerdown", (event) => event.stopPropagation()); // the canvas pans
}

/** Offer the way back to the visitor's own graph where a lesson was closed, until the graph that it left is changed.
 * @param {import("../editor.js").Editor} editor @returns {HTMLElement} its line */
function offerReturn(editor) {
  const { host } = editor.stage;
  const back = html("a", { target: "_self" }, "Back to your graph");
  const root = html("div", { class: "welcome", role: "note", hidden: true }, back);
  /** What the open lesson shows; "" without one. */
  let ofLesson = "";
  /** What a closed lesson has left. @type {string | undefined} */
  let left;
  editor.watchers.push(() => {
    const { lesson, graph, history, rev } = editor.drawing;
    if (rev < 0) return;
    const now = JSON.stringify([graph, history.at]);
    left ??= wasLent(location.search) ? now : ""; // the page was loaded anew
    if (lesson) left = "";
    else if (now === ofLesson) left = now;
    ofLesson = lesson ? now : "";
    const isLeft = left === now;
    noteLent(isLeft);
    const own = isLeft ? lastGraph() : "";
    if (own) back.setAttribute("href", own);
    root.hidden = !own;
  });
  host.append(root);
  root.addEventListener("pointerdown", (event) => event.stopPropagation()); // the canvas pans
  return root;
}
