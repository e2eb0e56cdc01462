// @ts-check
// Ask about the graph: a popover with the questions, a row each, what is hidden, and one more question.

import { html } from "../base/dom.js";
import { classPage } from "./class_page.js";
import { closePopover, openPopover } from "../canvas/popovers/popover.js";
import {
  aboutText,
  HIDES,
  kindsFor,
  kindText,
  optionsOf,
  QUANTITIES,
  recordOf,
  recordOfItem,
  spoken,
  wiresFrom,
} from "./questions.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../types.js").AskingData} AskingData */
/** @typedef {import("../messages.js").QuestionRecord} QuestionRecord */
/** @typedef {import("../explain/play.js").Quantity} Quantity */

const WORDS = 400; // characters of a question
const OPTION = 60; // of an answer that its author gives
const FORMATIVE =
  "This page hides the numbers until they are answered. The link holds the graph, so this is for learning, not for marks.";

/** @param {Editor} editor */
export const isAsking = (editor) => Boolean(editor.drawing.asking);

/** Open the questions; the key goes to the one on view. @param {Editor} editor @param {unknown} _ @param {string} [key] */
export function askOrAnswer(editor, _, key) {
  if (key && editor.drawing.asking?.at !== undefined) editor.goToQuestion();
  else openAsk(editor);
}

/** Open the questions. @param {Editor} editor */
export function openAsk(editor) {
  if (!editor.shown.nodes.length) return;
  const chosen = editor.node(editor.single);
  /** What is to be asked next. */
  const draft = {
    node: chosen && !chosen.group ? chosen.id : usualNode(editor),
    of: /** @type {Quantity["of"]} */ ("cotangent"),
    kind: "",
    words: "",
    options: "",
    right: "",
  };
  let turn = 0; // counts changes of the draft, which is no part of the drawing
  const again = () => (turn++, editor.watchers.forEach((watch) => watch()));
  openPopover(editor, {
    label: "Ask",
    kind: "ask-pop",
    first: "[data-field='add']",
    find: () => editor,
    look: () => [
      turn,
      editor.drawing.asking?.hides,
      editor.drawing.asking?.items.map(({ says, kind, words, options }) => [
        says,
        kind,
        words,
        options,
      ]),
      editor.shown.nodes.map(({ id }) => id),
    ],
    fill: () => [
      ...rows(editor),
      ...oneMore(editor, draft, again),
      hidesField(editor),
      html("p", { class: "formative" }, `${FORMATIVE} `, classPage()),
    ],
  });
}

/** Show all numbers. @param {Editor} editor */
export function stopAsking(editor) {
  editor.endPlay();
  editor.send({ kind: "stop_asking" });
  editor.stage.surface.focus({ preventScroll: true });
}

/** The node that is asked about where none is selected: the first input that something arrives at.
 * @param {Editor} editor */
const usualNode = ({ shown: { nodes } }) =>
  (nodes.find(({ isInput, connected }) => isInput && connected) ?? nodes[0]).id;

/** @param {string} text @param {() => void} click @param {Record<string, any>} [more] */
const button = (text, click, more = {}) =>
  html("button", { type: "button", class: "plain", "data-field": text, click, ...more }, text);

/** @param {Editor} editor @param {QuestionRecord[]} questions @param {string} [hides] */
function send(editor, questions, hides = editor.drawing.asking?.hides ?? "cotangents") {
  editor.endPlay();
  editor.send({ kind: "ask", hides, questions });
}

/** The questions, with the change that is still on its way. @param {Editor} editor @returns {QuestionRecord[]} */
function records(editor) {
  const last = editor.mail.outbox.pending.filter(({ kind }) => kind === "ask").at(-1);
  if (last?.kind === "ask") return last.questions;
  return (editor.drawing.asking?.items ?? []).map(recordOfItem);
}

/** @param {Editor} editor @param {number} at */
const withoutQuestion = (editor, at) =>
  send(
    editor,
    records(editor).filter((_, i) => i !== at),
  );

/** Ask no longer what one question asks; with the last one no number is hidden either.
 * @param {Editor} editor @param {number} at */
export function removeQuestion(editor, at) {
  if (records(editor).length > 1) withoutQuestion(editor, at);
  else stopAsking(editor);
}

/** @param {Editor} editor */
function hidesField(editor) {
  const now = editor.drawing.asking?.hides ?? "cotangents";
  const field = choice("hides", Object.entries(HIDES), now, (value) =>
    send(editor, records(editor), value),
  );
  return html("label", {}, html("span", {}, "Hide"), field);
}

/** @param {string} name @param {[string, string][]} options @param {string} now @param {(value: string) => void} change
 * @param {string} [label] where no element is its label */
function choice(name, options, now, change, label) {
  const field = /** @type {HTMLSelectElement} */ (
    html(
      "select",
      { "data-field": name, "aria-label": label },
      ...options.map(([value, text]) => html("option", { value, selected: value === now }, text)),
    )
  );
  field.addEventListener("change", () => change(field.value));
  return field;
}

/** A row for each question: its words, its place in the order, and a button that removes it. @param {Editor} editor */
function rows(editor) {
  const items = editor.drawing.asking?.items ?? [];
  const moved = (/** @type {number} */ from, /** @type {number} */ to) => {
    const all = records(editor);
    all.splice(to, 0, ...all.splice(from, 1));
    send(editor, all);
  };
  return items.map((item, i) => {
    const words = /** @type {HTMLInputElement} */ (
      html("input", {
        type: "text",
        "data-field": `words ${i}`,
        "aria-label": `Words of question ${i + 1}`,
        placeholder: spoken(item.says),
        maxlength: WORDS,
      })
    );
    words.value = item.words ?? "";
    const change = (/** @type {Partial<QuestionRecord>} */ of) =>
      send(
        editor,
        records(editor).map((one, at) => (at === i ? { ...one, ...of } : one)),
      );
    words.addEventListener("change", () => change({ words: words.value.trim() }));
    const about = `${kindText(item.kind, item.of)}: ${aboutText(editor.shown, item)}`;
    return html(
      "div",
      { class: "question-row", role: "group", "aria-label": `Question ${i + 1}` },
      html("span", { class: "about" }, `${i + 1}. ${about}`),
      button("\u2191", () => moved(i, i - 1), {
        "aria-label": `Question ${i + 1} earlier`,
        "data-field": `up ${i}`,
        disabled: i === 0,
      }),
      button("\u2193", () => moved(i, i + 1), {
        "aria-label": `Question ${i + 1} later`,
        "data-field": `down ${i}`,
        disabled: i === items.length - 1,
      }),
      button("\u00d7", () => withoutQuestion(editor, i), {
        "aria-label": `Remove question ${i + 1}`,
        "data-field": `gone ${i}`,
      }),
      words,
      ...optionFields(item, i, change),
    );
  });
}

/** The options of a question, and which is right: that is kept by the server unless another one is chosen.
 * @param {import("../types.js").AskedItem} item @param {number} i @param {(of: Partial<QuestionRecord>) => void} change */
function optionFields({ options }, i, change) {
  if (!options) return [];
  const field = /** @type {HTMLInputElement} */ (
    html("input", {
      type: "text",
      "data-field": `options ${i}`,
      "aria-label": `Options of question ${i + 1}, between semicolons`,
      maxlength: WORDS,
    })
  );
  field.value = options.join("; ");
  field.addEventListener("change", () => change({ options: optionsOf(field.value) }));
  const right = choice(
    `right ${i}`,
    [
      ["", "right: as before"],
      ...options.map((one) => /** @type {[string, string]} */ ([one, one])),
    ],
    "",
    (value) => value && change({ right: value, own: undefined }),
    `Right answer of question ${i + 1}`,
  );
  return [field, right];
}

/** The fields of one more question. @param {Editor} editor
 * @param {{ node: string, of: Quantity["of"], kind: string, words: string, options: string, right: string }} draft
 * @param {() => void} again */
function oneMore(editor, draft, again) {
  const { shown } = editor;
  const graph = { ...shown, twins: editor.drawing.twins };
  if (!shown.nodes.some(({ id }) => id === draft.node)) draft.node = usualNode(editor);
  const wires = wiresFrom(shown, draft.node);
  if (draft.of === "passed" && !wires.length) draft.of = "cotangent";
  const hasRegions = shown.regions.length > 0;
  const output = shown.nodes.find(({ isOutput }) => isOutput)?.id ?? draft.node;
  if (!hasRegions && ["kept", "runs"].includes(draft.of)) draft.of = "cotangent";
  const [wire] = wires;
  /** @type {Quantity} */
  const about =
    draft.of === "passed"
      ? { of: "passed", node: wire.to, slot: wire.slot }
      : { of: draft.of, node: draft.of === "kept" ? output : draft.node };
  const kinds = kindsFor(graph, about);
  const kind = kinds.includes(draft.kind) ? draft.kind : kinds[0];
  const names = shown.nodes.map(({ id }) => /** @type {[string, string]} */ ([id, id]));
  const whats = /** @type {[string, string][]} */ (
    Object.entries(QUANTITIES).filter(([of]) =>
      of === "passed" ? wires.length : hasRegions || !["kept", "runs"].includes(of),
    )
  );
  const kindsOffered = kinds.map(
    (one) => /** @type {[string, string]} */ ([one, kindText(one, draft.of)]),
  );
  const take = (/** @type {"node" | "of" | "kind"} */ name) => (/** @type {any} */ value) => {
    draft[name] = value;
    again();
  };
  const add = () => {
    const [options, right] = [optionsOf(draft.options), draft.right.trim()];
    const own = {
      ...(kind === "choice" && { options }),
      ...(right && ["choice", "number"].includes(kind) && { right }),
    };
    const record = recordOf(graph, kind, about, draft.words.trim(), own);
    Object.assign(draft, { words: "", options: "", right: "" });
    send(editor, [...records(editor), record]);
  };
  /** @param {"words" | "options" | "right"} name @param {string} label @param {string} placeholder @param {number} most */
  const text = (name, label, placeholder, most) => {
    const field = /** @type {HTMLInputElement} */ (
      html("input", { type: "text", "data-field": name, placeholder, maxlength: most })
    );
    field.value = draft[name];
    field.addEventListener("input", () => (draft[name] = field.value));
    field.addEventListener("keydown", (event) => event.key === "Enter" && add());
    return html("label", {}, html("span", {}, label), field);
  };
  const pair = html(
    "div",
    { class: "pair", role: "group", "aria-label": "What is asked for" },
    choice("of", whats, draft.of, take("of"), "Ask for"),
    choice("node", names, draft.node, take("node"), "Node"),
  );
  return [
    html("div", { class: "label" }, html("span", {}, "Ask for"), pair),
    html("label", {}, html("span", {}, "Kind"), choice("kind", kindsOffered, kind, take("kind"))),
    text("words", "Words", "in your own words, if you like", WORDS),
    ...(kind === "choice" ? [text("options", "Options", "2 to 6, between semicolons", WORDS)] : []),
    ...(kind === "choice" ? [text("right", "Right", "one of them", OPTION)] : []),
    ...(kind === "number" ? [text("right", "Right", "JAX's number, or your own", OPTION)] : []),
    html(
      "div",
      { class: "region-buttons" },
      button(records(editor).length ? "Ask this too" : "Ask", add, {
        "data-field": "add",
        class: "plain main",
      }),
      ...(isAsking(editor)
        ? [button("Stop asking", () => (closePopover(editor), stopAsking(editor)))]
        : []),
    ),
  ];
}
