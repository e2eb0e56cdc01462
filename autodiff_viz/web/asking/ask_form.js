// @ts-check
// Ask about the graph: a popover with the questions, a row each, what is hidden, and one more question.

import { shared } from "../base/constants.js";
import { html, setText } from "../base/dom.js";
import { isAsking, records, send, stopAsking, withoutQuestion } from "./ask.js";
import { classPage } from "./class_page.js";
import { closePopover, openPopover } from "../canvas/popovers/popover.js";
import {
  aboutText,
  excess,
  HIDES,
  kindsFor,
  kindText,
  optionsOf,
  ownFault,
  QUANTITIES,
  recordOf,
  spoken,
  wiresFrom,
} from "./questions.js";
import { openField } from "./field.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../messages.js").QuestionRecord} QuestionRecord */
/** @typedef {import("../explain/play.js").Quantity} Quantity */

const { words: WORDS, option: OPTION, options: OPTIONS } = shared.limits;
const ALL_OPTIONS = 2 * OPTIONS * OPTION; // characters of their field: more than fit, so that what is too long is said and not cut
/** The right answers that were chosen on this page: the server, which keeps them all, tells the browser none.
 * @type {Map<string, string>} */
const chosenHere = new Map();
/** @param {{ of: string, node: string, slot?: number }} about @param {string[]} options */
const keyOf = ({ of, node, slot }, options) => JSON.stringify([of, node, slot ?? 0, options]);

const FORMATIVE =
  "This page hides the numbers until they are answered. The link holds the graph, so this is for learning, not for marks.";

/** Open the questions. @param {Editor} editor */
export function openAskForm(editor) {
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
    fault: "", // why it could not be asked
  };
  /** @type {Sent | null} */
  let sent = null;
  let turn = 0; // counts changes of the draft, which is no part of the drawing
  const again = () => (turn++, editor.watchers.forEach((watch) => watch()));
  openPopover(editor, {
    label: "Ask",
    kind: "ask-pop",
    first: "[data-field='add']",
    find: () => editor,
    look: () => [
      turn,
      refusalOf(editor, sent),
      editor.drawing.asking?.hides,
      editor.drawing.asking?.items.map(({ says, kind, words, options }) => [
        says,
        kind,
        words,
        options,
      ]),
      editor.shown.nodes.map(({ id }) => id),
    ],
    fill: () => {
      const refused = refusalOf(editor, sent);
      if (refused && sent && !draft.words && !draft.options && !draft.right) {
        Object.assign(draft, sent.draft, { fault: refused }); // no word is lost
        sent = null;
      }
      return [
        ...rows(editor),
        ...oneMore(editor, draft, again, (now) => (sent = now)),
        html("p", { class: "formative" }, `${FORMATIVE} `, classPage()),
      ];
    },
  });
}

/** What was typed, and the number of the edit that asks it. @typedef {{ seq: number, draft: { words: string, options: string, right: string } }} Sent */

/** Why a question that was sent is not asked; "" if it is, or as long as that is not known.
 * @param {Editor} editor @param {Sent | null} sent */
function refusalOf(editor, sent) {
  const found = sent && editor.drawing.notice?.find(({ seq }) => seq === sent.seq);
  return found ? [found.message, found.hint].filter(Boolean).join(" ") : "";
}

/** What is wrong with a field, below it: announced, and empty while nothing is. @param {string} [text] */
const faultLine = (text = "") => html("p", { class: "read-as unread", role: "alert" }, text);

/** The node that is asked about where none is selected: the first input that something arrives at.
 * @param {Editor} editor */
const usualNode = ({ shown: { nodes } }) =>
  (nodes.find(({ isInput, connected }) => isInput && connected) ?? nodes[0]).id;

/** @param {string} text @param {() => void} click @param {Record<string, any>} [more] */
const button = (text, click, more = {}) =>
  html("button", { type: "button", class: "plain", "data-field": text, click, ...more }, text);

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
function optionFields(item, i, change) {
  const { options } = item;
  if (!options) return [];
  const key = keyOf(item, options);
  const known = options.find((one) => one === (chosenHere.get(key) ?? item.answer)) ?? "";
  const field = /** @type {HTMLInputElement} */ (
    html("input", {
      type: "text",
      "data-field": `options ${i}`,
      "aria-label": `Options of question ${i + 1}, between semicolons`,
      maxlength: ALL_OPTIONS,
    })
  );
  field.value = options.join("; ");
  const fault = faultLine();
  field.addEventListener("input", () => setText(fault, excess(optionsOf(field.value), "")));
  field.addEventListener("change", () => {
    const now = optionsOf(field.value);
    const found =
      excess(now, "") || (now.length < 2 ? "Give at least two options, between semicolons." : "");
    setText(fault, found);
    if (found) return;
    if (known) chosenHere.set(keyOf(item, now), known);
    change({ options: now });
  });
  const right = choice(
    `right ${i}`,
    [
      ...(known ? [] : [/** @type {[string, string]} */ (["", "right: the one chosen before"])]),
      ...options.map((one) => /** @type {[string, string]} */ ([one, `right: ${one}`])),
    ],
    known,
    (value) => {
      if (!value) return;
      chosenHere.set(key, value);
      change({ right: value, own: undefined });
    },
    `Right answer of question ${i + 1}`,
  );
  return [field, fault, right];
}

/** The fields of one more question. @param {Editor} editor
 * @param {{ node: string, of: Quantity["of"], kind: string, words: string, options: string, right: string, fault: string }} draft
 * @param {() => void} again @param {(sent: Sent) => void} keep takes what is sent, in case it is refused */
function oneMore(editor, draft, again, keep) {
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
  const fault = faultLine(draft.fault);
  const add = () => {
    const [options, right] = [optionsOf(draft.options), draft.right.trim()];
    setText(fault, (draft.fault = ownFault(kind, options, right)));
    if (draft.fault) return;
    const own = {
      ...(kind === "choice" && { options }),
      ...(right && ["choice", "number"].includes(kind) && { right }),
    };
    const record = recordOf(graph, kind, about, draft.words.trim(), own);
    if (kind === "choice") chosenHere.set(keyOf(about, options), right);
    const { words, options: typed, right: chosen } = draft;
    Object.assign(draft, { words: "", options: "", right: "" });
    send(editor, [...records(editor), record]);
    keep({ seq: editor.mail.outbox.last, draft: { words, options: typed, right: chosen } });
  };
  /** @param {"words" | "options" | "right"} name @param {string} label @param {string} placeholder @param {number} most */
  const text = (name, label, placeholder, most) => {
    const field = /** @type {HTMLInputElement} */ (
      html("input", { type: "text", "data-field": name, placeholder, maxlength: most })
    );
    field.value = draft[name];
    field.addEventListener("input", () => {
      draft[name] = field.value;
      const options = kind === "choice" ? optionsOf(draft.options) : [];
      setText(fault, (draft.fault = excess(options, draft.right.trim())));
    });
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
    ...(kind === "choice"
      ? [text("options", "Options", `2 to ${OPTIONS}, between semicolons`, ALL_OPTIONS)]
      : []),
    ...(kind === "choice" ? [text("right", "Right", "one of them", 2 * OPTION)] : []),
    ...(kind === "number" ? [text("right", "Right", "JAX's number, or your own", 2 * OPTION)] : []),
    hidesField(editor),
    fault,
    html(
      "div",
      { class: "region-buttons" },
      button(records(editor).length ? "Ask this too" : "Ask", add, {
        "data-field": "add",
        class: "plain main",
      }),
      ...(isAsking(editor)
        ? [
            button("Done", () => closePopover(editor)),
            button("Remove the questions", () => (closePopover(editor), stopAsking(editor))),
          ]
        : []),
    ),
  ];
}

/** The field of a question, which comes with the form. */
export const openAnswerField = openField;
