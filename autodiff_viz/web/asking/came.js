// @ts-check
// Show that the address came with answers of another tab, and how to start afresh.

import { html } from "../base/dom.js";
import { readList, TAB, writeList } from "../base/store.js";
import { withoutAnswers } from "../canvas/files/import_export.js";

const NAME = "answers";
const answersIn = (/** @type {string} */ search) => new URLSearchParams(search).get("guess") ?? "";

/** The line that says so, with the way to begin afresh; empty where the answers are this tab's own: after a reload, say.
 * It goes once something is answered here. @returns {{ root: HTMLElement, follow: () => void }} */
export function answersThatCame() {
  const first = answersIn(location.search);
  let came = first !== "" && readList(TAB, NAME)[0]?.answers !== first;
  const afresh = html(
    "button",
    {
      type: "button",
      class: "press",
      click: () => (location.search = withoutAnswers(location.search)),
    },
    "Start afresh",
  );
  const root = html(
    "p",
    { class: "came" },
    "With the answers of whoever copied this address. ",
    afresh,
  );
  const follow = () => {
    const now = answersIn(location.search);
    came &&= now === first;
    root.hidden = !came;
    if (!came) writeList(TAB, NAME, [{ answers: now }]);
  };
  addEventListener("pagehide", follow); // the address may have changed since
  follow();
  return { root, follow };
}
