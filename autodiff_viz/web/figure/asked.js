// @ts-check
// Ask before numbers are shown, in a figure that lives without a server: the file judges an answer, and unpacks
// what is hidden for that alone. Whoever searches the file finds it: it asks to be thought about, no more.

import { askingBar } from "../asking/bar.js";
import { judged } from "../asking/judge.js";
import { showNotices } from "../canvas/popovers/notice.js";
import { Figure } from "./figure.js";
import { unpacked } from "./source.js";

const TRIES = 2; // as in asking/question.py

/** @typedef {import("./source.js").Source} Source */
/** @typedef {import("./source.js").State} State */
/** @typedef {import("../types.js").AskedItem} AskedItem */
/** @typedef {import("../types.js").Notice} Notice */
/** @typedef {{ tables: import("../asking/judge.js").Table[], after: State[], of: string, words: string[] }} Hidden */

/** @param {import("./figure.js").Held} held @param {Record<string, string>} css by place */
export default function asked(held, css) {
  const figure = new Figure(held, css, { bar: askingBar, take });
  showNotices(figure.editor);
  figure.begin(held);
}

/** Answer, reveal, or show all. @param {Source} source @param {any} edit @returns {Promise<Notice[] | null>} why an answer could not be read */
export async function take(source, edit) {
  const { at } = source;
  const { hidden, drawing } = source.states[at];
  if (!hidden || !drawing.asking) return null;
  /** @type {Hidden} */
  const { tables, after, of, words } = await unpacked(hidden);
  const before = source.asked.get(at)?.items ?? drawing.asking.items;
  const items = /** @type {AskedItem[]} */ ([...before]);
  if (edit.kind === "stop_asking")
    items.forEach((item, i) => (items[i] = revealed(item, tables[i])));
  else if (before[edit.at] && !before[edit.at].revealed) {
    const [item, table] = [before[edit.at], tables[edit.at]];
    if (edit.kind === "reveal") items[edit.at] = revealed(item, table);
    else {
      const { judgement, unread } = judged(table, edit.text);
      if (!judgement) return [{ code: "unread", seq: edit.seq, ...unread }];
      items[edit.at] = answered(item, table, edit.text.trim(), judgement);
    }
  }
  const open = items.findIndex((item) => !item.revealed);
  const summary = open < 0 ? summed(items, tables, of, words) : undefined;
  source.asked.set(at, { items, after, level: open < 0 ? items.length : open, summary });
  return [];
}

/** The result as one line to paste, as asking/summary.py writes it.
 * @param {AskedItem[]} items @param {import("../asking/judge.js").Table[]} tables @param {string} of the lesson or graph
 * @param {string[]} words of each question, in quotation marks; none of a lesson */
function summed(items, tables, of, words) {
  const parts = items.map(({ kind, tries }, i) => {
    const said = tries.map((text) => {
      const { judgement } = judged(tables[i], text);
      const { right, unknown, near, mistake, readAs } = judgement ?? {};
      if (kind === "choice" && readAs && !right && !unknown) return wordsInLine(readAs);
      return right ? "right" : unknown ? "unknown" : near ? "near" : mistake || "wrong";
    });
    const count = said.length === 1 ? "1 try" : `${said.length} tries`;
    return [kind, ...words.slice(i, i + 1), ...(said.length ? [count, ...said] : ["open"])].join(
      " ",
    );
  });
  return `av1 ${of}: ${parts.join("; ")}`;
}

/** An option as it stands in a line. @param {string} readAs */
const wordsInLine = (readAs) =>
  `"${readAs
    .slice(readAs.indexOf(": ") + 2)
    .replaceAll("`", "")
    .replace(/[";:\s]+/g, " ")
    .trim()
    .slice(0, 80)
    .trim()}"`;

/** A question with one more answer. @param {AskedItem} item @param {import("../asking/judge.js").Table} table @param {string} text
 * @param {import("../asking/judge.js").Judgement} judgement @returns {AskedItem} */
function answered(item, table, text, { right, near, unknown, readAs, says, wire, mistake }) {
  const tries = [...item.tries, text];
  const verdict = {
    right,
    near,
    readAs,
    says,
    wire: wire ? wire.join(":") : undefined,
    mistake: mistake || undefined,
  };
  const after = { ...item, tries, verdict };
  return right || near || unknown || tries.length >= TRIES ? revealed(after, table) : after;
}

/** A question with its answer. @param {AskedItem} item @param {import("../asking/judge.js").Table} table @returns {AskedItem} */
const revealed = (item, { kind, answer: { text, accepted, reason } }) => ({
  ...item,
  revealed: true,
  answer: text,
  reason,
  ...(kind === "number" && { accepted }),
});
