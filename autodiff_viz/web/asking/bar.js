// @ts-check
// Draw the question above the canvas, on a phone below it: the question, the field, and what is said of the
// answer; then the pass is played up to the number, and the next question follows.

import { html, setText } from "../base/dom.js";
import { icon } from "../base/icons.js";
import { answerKeys } from "../canvas/actions/keys.js";
import { copy } from "../canvas/files/import_export.js";
import { refill } from "../canvas/popovers/popover.js";
import { openAsk, removeQuestion, stopAsking } from "./ask.js";
import { showPanel } from "../dock/panels.js";
import { lessonCause } from "../lesson/cause.js";
import { PLAY, showWhy } from "../lesson/reveal.js";
import { answersThatCame } from "./came.js";
import { answerForm, write } from "./form.js";
import { keepResult, resultsOf } from "./results.js";
import {
  isOpen,
  isPast,
  isWrong,
  nextOpen,
  offersAfter,
  spoken,
  verdictText,
} from "./questions.js";
import { keepUnread } from "./unread.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../types.js").AskingData} AskingData */

/** Whether the last edit was an answer that could not be read. @param {import("../types.js").Drawing} drawing */
const wasUnread = ({ notice, ack }) =>
  notice?.some(({ code, seq }) => code === "unread-answer" && seq === ack);

/** @param {Editor} editor */
export function askingBar(editor) {
  const place = html("button", {
    type: "button",
    class: "tool which",
    title: "All questions",
    click: () => openAsk(editor),
  });
  const says = html("p", { class: "asking-says" });
  const verdict = html("p", { class: "verdict" });
  const form = html("div", { class: "asking-form" });
  const next = html("div", { class: "asking-next" });
  const heard = html("div", { class: "unseen", role: "status" });
  const came = answersThatCame();
  const close = html(
    "button",
    {
      type: "button",
      class: "tool close",
      title: "Stop asking: show all numbers",
      "aria-label": "Stop asking",
      click: () => stopAsking(editor),
    },
    icon("close"),
  );
  const root = html(
    "section",
    { class: "asking", "aria-label": "Question", hidden: true },
    place,
    says,
    form,
    next,
    close,
    verdict,
    lessonCause(editor, () => verdict.textContent ?? ""),
    came.root,
    heard,
  );
  answerKeys(editor, root);

  const page = globalThis.document.documentElement.dataset;
  let at = 0; // the question on view
  let [seen, key] = ["", ""];
  let refused = "";
  let said = -1; // the question whose reason has been shown
  let changed = ""; // the graph of a lesson that has changed since the answer: its tries are what is on view then
  /** What the last drawing had of the question on view. @type {{ key: string, at: number, isOpen: boolean } | null} */
  let before = null;

  /** @param {AskingData} asking @param {number} to */
  const go = (asking, to) => {
    editor.endPlay();
    at = to;
    refused = "";
    before = null;
    show(asking);
  };

  /** @param {AskingData} asking */
  const show = (asking) => {
    const { items } = asking;
    const item = items[at];
    const { lesson } = editor.drawing;
    const graph = lesson && item?.revealed ? `${lesson.key} ${lesson.variant}` : "";
    const past = isPast(item) || (graph !== "" && graph === changed);
    // It keeps its height, so that the sliders below stay under the finger.
    if (past !== root.classList.contains("past"))
      root.style.minHeight = past ? `${root.offsetHeight}px` : "";
    root.classList.toggle("past", past);
    changed = past ? graph : "";
    const many =
      items.length > 1 ? `${at + 1} of ${items.length}` : items.length ? "Question" : "Hidden";
    setText(place, many);
    root.classList.toggle("many", items.length > 1);
    write(says, item ? item.says : "The numbers are hidden. Nothing is asked yet.");
    const text = item ? verdictText(item, Boolean(lesson)) : "";
    const unread = refused || wasUnread(editor.drawing);
    write(verdict, unread ? "" : text); // of the answer before
    root.classList.toggle("right", Boolean(item?.revealed && item.verdict?.right));
    verdict.classList.toggle("wrong", isWrong(item));
    root.classList.toggle("told", Boolean(text));
    const now = JSON.stringify([
      at,
      item?.says,
      item?.form,
      item?.tries.length,
      isOpen(item),
      refused,
    ]);
    if (now !== seen) {
      const has = () => form.contains(/** @type {ShadowRoot} */ (root.getRootNode()).activeElement);
      const had = has();
      refill(form, item && isOpen(item) ? [answerForm(editor, item, at, refused)] : []);
      if (had && !has() && isOpen(item)) focusForm();
      seen = now;
    }
    const { tour } = editor.drawing;
    if (tour) keepResult(tour, asking);
    const results = (tour && resultsOf(tour)) || (asking.summary ?? "");
    const count = results.split("\n").length;
    const ahead = nextOpen(asking, at);
    const after = item ? [] : [press("Ask", () => openAsk(editor))];
    let leads = ""; // what a lesson's reader does next, beside which all else is less prominent
    if (item) {
      /** @type {Record<import("./questions.js").Offer, [text: string, click: () => void]>} */
      const does = {
        undo: ["Undo", () => editor.send({ kind: "undo" })],
        remove: ["Remove the question", () => removeQuestion(editor, at)],
        why: ["Show why", () => ((said = at), showWhy(editor, item), show(asking))],
        play: ["Play it", () => editor.playTo(item)],
        next: ["Next question", () => (go(asking, ahead), focusForm())],
        back: ["Back to the lesson", () => showPanel("lesson")],
        copy: [
          count > 1 ? `Copy my results of ${count} steps` : "Copy my result",
          () => copy(editor, count > 1 ? "Results" : "Result", results),
        ],
      };
      const { offers, main } = offersAfter(item, {
        lesson: Boolean(lesson),
        path: Boolean(lesson?.place),
        shown: said === at,
        more: ahead >= 0,
        result: Boolean(asking.summary),
      });
      for (const offer of offers) {
        const kind = [offer === main && "main", offer === "back" && "back"].filter(Boolean);
        after.push(press(...does[offer], kind.join(" ")));
      }
      if (lesson && main && !past) leads = main;
    }
    const labels = after.map(({ textContent, className }) => `${textContent} ${className}`).join();
    page.avMain = leads;
    if (labels !== next.dataset.of) {
      const had = /** @type {ShadowRoot} */ (root.getRootNode()).activeElement;
      const from = had && next.contains(had) ? had.textContent : null;
      next.replaceChildren(...after);
      next.dataset.of = labels;
      const same = after.find(({ textContent }) => textContent === from);
      if (same) same.focus({ preventScroll: true });
      else if (from !== null) focusNext();
    }
    // A screen reader hears the question when it changes, and the verdict when it comes.
    const told = [spoken(text), isOpen(item) || !item ? says.textContent : ""]
      .filter(Boolean)
      .join(" ");
    if (told !== key) setText(heard, (key = told));
    const state = item ? { key: `${item.of} ${item.node}`, at, isOpen: isOpen(item) } : null;
    const was = before;
    before = state;
    // Just answered: the pass is played up to the number; in a lesson off the stage, where that is the reason, once
    // the tries are used up. No panel opens by itself: what was said of the answer is read first.
    if (was?.isOpen && state && was.key === state.key && !state.isOpen && item?.revealed) {
      const had = root.contains(/** @type {ShadowRoot} */ (root.getRootNode()).activeElement);
      if (editor.drawing.lesson && !editor.root.classList.contains("on-stage")) {
        if (!item.verdict?.right && (lesson?.reveal ?? PLAY) === PLAY) showWhy(editor, item);
      } else if (!item.own) editor.playTo(item); // the pass computes no answer of its author's
      if (had || !form.childElementCount) focusNext();
    }
  };

  const focusNext = () =>
    /** @type {HTMLElement | null} */ (
      next.querySelector(".main:not(.back)") ?? next.lastElementChild
    )?.focus({ preventScroll: true });

  const focusForm = () =>
    /** @type {HTMLElement | null} */ (form.querySelector("input, button"))?.focus({
      preventScroll: true,
    });

  /** @param {string} text @param {() => void} click @param {string} [kind] */
  const press = (text, click, kind = "") =>
    html("button", { type: "button", class: `press ${kind}`.trim(), click }, text);

  editor.goToQuestion = (to) => {
    const { asking } = editor.drawing;
    if (!asking) return;
    const open = to ?? (isOpen(asking.items[at]) ? at : (asking.at ?? at));
    if (open !== at) go(asking, open);
    if (to === undefined) focusForm();
  };

  keepUnread(editor, form, (reason) => {
    refused = reason;
    if (reason && editor.drawing.asking) show(editor.drawing.asking);
  });

  let document = "";
  let answered = false; // whether the last drawing had an answer
  editor.watchers.push(() => {
    const { asking, graph } = editor.drawing;
    came.follow();
    if (root.hidden && !asking) return;
    root.hidden = !asking;
    editor.root.classList.toggle("is-asking", Boolean(asking));
    editor.stage.host.classList.toggle("hides", Boolean(asking?.hiding));
    if (!asking) {
      [at, seen, key, before, said] = [0, "", "", null, -1];
      page.avMain = "";
      return;
    }
    // Another document, or other questions: the first one that is open.
    const other = JSON.stringify([
      graph,
      asking.items.map(({ of, node, kind }) => [of, node, kind]),
    ]);
    if (other !== document || at >= asking.items.length) {
      if (!(isOpen(asking.items[at]) && document))
        at = asking.at ?? Math.max(asking.items.length - 1, 0);
      document = other;
      said = -1;
    }
    // The lesson is started again: its first question comes, not the one on view.
    const had = answered;
    answered = asking.items.some(({ tries, revealed }) => revealed || tries.length > 0);
    if (had && !answered) {
      at = asking.at ?? at;
      said = -1;
      before = null;
    }
    show(asking);
  });
  return root;
}
