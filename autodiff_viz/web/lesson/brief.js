// @ts-check
// Draw the lesson's question above the graph on a phone, where its panel is a sheet below: title, set-up, and what is
// asked. The answer stands below the graph.

import { html, setText } from "../base/dom.js";
import { write } from "../asking/form.js";
import { isOpen } from "../asking/questions.js";
import { prose } from "../tour/words.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */

/** @param {Editor} editor */
export function lessonBrief(editor) {
  const title = html("h2", {});
  const place = html("div", { class: "place" }); // on the path that is followed
  const words = html("div", { class: "words" });
  const says = html("p", { class: "says" });
  const root = html(
    "section",
    { class: "brief", "aria-label": "Lesson" },
    place,
    title,
    words,
    says,
  );
  root.hidden = true;
  let shown = "";
  editor.watchers.push(() => {
    const { lesson, asking } = editor.drawing;
    const item = asking?.items.find(isOpen);
    const asks = Boolean(lesson && item) && !editor.root.classList.contains("embedded"); // a frame shows what its address says
    root.hidden = !asks;
    editor.root.classList.toggle("predicts", asks);
    document.documentElement.dataset.avPredict = asks ? "open" : lesson && asking ? "done" : "none";
    const now = JSON.stringify([lesson?.key, lesson?.title, lesson?.text]);
    if (lesson && now !== shown) {
      shown = now;
      title.textContent = lesson.title;
      words.replaceChildren(...prose(lesson.text));
    }
    setText(place, lesson?.place ?? "");
    write(says, item?.says ?? "");
  });
  return root;
}
