// @ts-check
// Draw the present exercise of the open lesson as a line above the canvas, so that its text and its tick are in view
// whichever panel is.

import { html, setText } from "../base/dom.js";
import { spoken } from "../asking/questions.js";
import { prose } from "../tour/words.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** An exercise, as lab/exercises.py sends it. @typedef {object} Exercise
 * @property {string} says what to do and what to watch, in Markdown
 * @property {boolean} done
 * @property {number} parts how many of its parts are done
 * @property {string[]} moves inputs whose sliders it moves
 * @property {Record<string, number>} aims of these, by name, the values to reach; none of one that any value does for
 * @property {string[]} bends nodes to which it gives a rule
 */
/** What was on view. @typedef {{ lesson: string, at: number, parts: number[] }} Shown */

/** The index of the exercise on view; -1 for none. It stays, ticked, until another one is begun. Pure.
 * @param {Exercise[]} exercises @param {string} lesson its key @param {Shown | null} before */
export function presentOf(exercises, lesson, before) {
  const open = exercises.findIndex(({ done }) => !done);
  if (before?.lesson !== lesson) return open;
  const begun = exercises.findIndex(({ parts }, i) => parts > (before.parts[i] ?? 0));
  if (begun >= 0) return begun;
  return before.at in exercises ? before.at : open;
}

/** The exercise to go on with after one; -1 if all are done. Pure. @param {Exercise[]} exercises @param {number} at */
export function nextAfter(exercises, at) {
  const after = exercises.findIndex(({ done }, i) => i > at && !done);
  return after < 0 ? exercises.findIndex(({ done }) => !done) : after;
}

/** What its button offers once it is done; "" for nothing. Pure.
 * @param {Exercise[]} exercises @param {number} at
 * @param {{ after?: string | null, place?: string | null } | null} lesson `after`: key of the next one */
export function offerAfter(exercises, at, lesson) {
  if (!exercises[at].done) return "";
  if (nextAfter(exercises, at) >= 0) return "Next try";
  if (lesson?.after) return "Next lesson";
  return lesson?.place ? "Back to the path" : "Go on"; // to the next track, or to all lessons
}

// Streamlit's, at the head of the lesson and at its foot, which may be out of view
const NEXT_LESSON = ".st-key-next_lesson button:enabled";
const GO_ON = ".st-key-part_onward button";

/** @param {Editor} editor @param {(exercise: Exercise | undefined) => void} shown hears which is on view */
export function exerciseLine(editor, shown) {
  const mark = html("span", { class: "mark", role: "img" });
  const which = html("span", { class: "which" });
  const words = html("div", { class: "words" });
  const next = html("button", { type: "button", class: "press" });
  const root = html("section", { class: "exercise", "aria-label": "Exercise" }, mark, which, words);
  root.append(next);
  root.hidden = true;
  /** @type {Shown | null} */
  let before = null;
  let said = "";

  const show = () => {
    const { lesson, exercises } = editor.drawing;
    const isFrame = editor.root.classList.contains("embedded");
    const at = lesson && exercises && !isFrame ? presentOf(exercises, lesson.key, before) : -1;
    const exercise = exercises?.[at];
    before =
      lesson && exercises
        ? { lesson: lesson.key, at, parts: exercises.map((one) => one.parts) }
        : null;
    root.hidden = !exercise;
    shown(exercise);
    if (!exercise || !exercises) return;
    const { done, parts, says } = exercise;
    root.classList.toggle("done", done);
    setText(mark, done ? "\u2713" : parts ? "\u25D0" : "\u25CB");
    mark.setAttribute("aria-label", done ? "done" : parts ? "begun" : "not done yet");
    setText(which, `Try ${at + 1} of ${exercises.length}`);
    if (said !== says) words.replaceChildren(...prose((said = says)));
    words.title = spoken(says); // in a low window it is cut
    const offer = offerAfter(exercises, at, lesson ?? null);
    next.hidden = !offer;
    setText(next, offer);
  };
  next.addEventListener("click", () => {
    const { exercises } = editor.drawing;
    const at = before && exercises ? nextAfter(exercises, before.at) : -1;
    const way = document.querySelector(NEXT_LESSON) ?? document.querySelector(GO_ON);
    if (at < 0) /** @type {HTMLElement | null} */ (way)?.click();
    else if (before) before.at = at;
    show();
    editor.stage.surface.focus({ preventScroll: true }); // the button goes
  });
  editor.watchers.push(show);
  return root;
}
