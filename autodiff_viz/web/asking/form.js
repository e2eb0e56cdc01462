// @ts-check
// Build the field of an answer: it says how what is typed is read, before it is committed.

import { shared } from "../base/constants.js";
import { html, setText } from "../base/dom.js";
import { isCount, pieces, spoken } from "./questions.js";
import { readAnswer } from "./answers.js";

/** @typedef {import("../canvas/editor.js").Editor} Editor */
/** @typedef {import("../types.js").AskedItem} AskedItem */

/** Write a text with the names of nodes as code. @param {HTMLElement} element @param {string} text */
export function write(element, text) {
  if (element.dataset.said === text) return;
  element.dataset.said = text;
  element.replaceChildren(
    ...pieces(text).map((piece) => (piece.isName ? html("code", {}, piece.text) : piece.text)),
  );
}

const BUTTONS = 6; // choices that are buttons; of more a name is typed

/** The field, or a button for each choice, with "I do not know".
 * @param {Editor} editor @param {AskedItem} item @param {number} at its index @param {string} refused why the last text
 * could not be read @returns {HTMLElement} */
export function answerForm(editor, item, at, refused = "") {
  const { form } = item;
  const send = (/** @type {string} */ text) => editor.send({ kind: "answer", at, text });
  const unknown = html(
    "button",
    { type: "button", class: "unknown", "data-field": "?", click: () => send("?") },
    "I do not know",
  );
  const choices = form.form === "choice" ? (form.choices ?? []) : [];
  if (choices.length && choices.length <= BUTTONS && item.kind !== "cause")
    return html(
      "div",
      {
        class: "answer-form",
        role: "group",
        "aria-label": `Answers to: ${spoken(item.says)}`,
        keydown: (/** @type {any} */ { key, ctrlKey, metaKey, altKey }) => {
          const chosen =
            item.options && !(ctrlKey || metaKey || altKey) && choices[Number(key) - 1];
          if (chosen) send(chosen.words[0]);
        },
      },
      ...choices.map(({ words: [word] }) =>
        html(
          "button",
          { type: "button", class: "choice", "data-field": word, click: () => send(word) },
          word,
        ),
      ),
      unknown,
    );
  const field = /** @type {HTMLInputElement} */ (
    html("input", {
      type: "text",
      class: "answer-field",
      "data-field": "answer",
      "aria-label": spoken(item.says),
      title: item.hint,
      placeholder: isCount(item.of)
        ? "a whole number"
        : (HINTS[item.kind === "cause" ? "cause" : form.form] ?? ""),
      maxlength: shared.limits.answer,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      inputmode: "text", // a phone's keys for numbers have neither a minus sign nor a bar
    })
  );
  const read = html("span", { class: "read-as", role: "status" }, refused);
  const answer = /** @type {HTMLButtonElement} */ (
    html("button", { type: "submit", class: "commit" }, "Answer")
  );
  const show = () => {
    const text = field.value.trim();
    const { answer: back, unread } = text ? readAnswer(form, text) : {};
    setText(read, back?.readAs ?? unread?.hint ?? ""); // what is half typed is no mistake yet
    read.classList.remove("unread");
    answer.toggleAttribute("disabled", !text);
  };
  field.addEventListener("input", show);
  show();
  if (refused) {
    setText(read, refused);
    read.classList.add("unread");
  }
  const commit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    send(text);
    field.select(); // who types on before the verdict has come does not lengthen the last answer
  };
  const root = html("form", { class: "answer-form", submit: commit }, field, answer, unknown, read);
  if (item.kind === "cause") fillByClick(editor, root, field, show);
  return root;
}

/** @type {Record<string, string>} */
const HINTS = { number: "1/2, 0.5, 5e-1", shape: "2x3", cause: "click a node" };

/** A click on a node puts its name into the field. @param {Editor} editor @param {HTMLElement} root
 * @param {HTMLInputElement} field @param {() => void} show */
function fillByClick(editor, root, field, show) {
  let chosen = editor.single;
  const watch = () => {
    if (!root.isConnected) {
      editor.watchers = editor.watchers.filter((other) => other !== watch);
      return;
    }
    if (editor.single === chosen) return;
    chosen = editor.single;
    if (!chosen) return;
    field.value = chosen;
    show();
  };
  // Once it stands on the page; a watcher of an element that is not there yet would end at once.
  queueMicrotask(() => (editor.watchers = [...editor.watchers, watch]));
}
