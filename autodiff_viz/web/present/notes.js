// @ts-check
// Show the presenter's notes in a window of its own, with the next step and the time, and drive the stage from there.

import { html, setText } from "../base/dom.js";
import { host } from "../base/host.js";
import { clock } from "./course.js";
import { openLine } from "./signals.js";
import { paragraphs, worded } from "./words.js";

/** @typedef {import("./signals.js").Order} Order */

/** @type {[key: string, order: Order, word: string, label: string][]} */
const ORDERS = [
  ["ArrowLeft", "back", "\u2190 Back", "Back"],
  ["ArrowRight", "next", "On \u2192", "On"],
  ["ArrowDown", "skip", "Next step \u2193", "To the next step"],
  ["h", "hide", "Hide", "Hide what comes back, or show it"],
  ["a", "ask", "Ask", "Ask what arrives, or answer"],
  ["b", "blank", "Blank", "Blank the stage"],
];
/** @type {Record<string, Order>} */
const ALSO = { PageDown: "next", PageUp: "back", " ": "next", ".": "blank", ArrowUp: "return" };
/** @type {Partial<Record<Order, "hidden" | "asking" | "blank">>} */
const STATES = { hide: "hidden", ask: "asking", blank: "blank" };
const WAITING = "No stage is open yet. Press Present in the lab; these notes follow by themselves.";
const GONE = "The stage was left.";

/** @param {ParentNode & Node} parent @param {string} css @returns {() => void} ends it */
export function openNotesPage(parent, css) {
  /** @type {import("./signals.js").StageState | null} */
  let state = null;
  let wanted = location.hash.slice(1);
  const [title, place, time] = ["h1", "span", "span"].map((tag) =>
    html(tag, { class: `notes-${tag}` }),
  );
  time.className = "notes-time";
  const caption = html("p", { class: "notes-caption" });
  const says = html("p", { class: "notes-says", role: "status" });
  const text = html("div", {
    class: "notes-text",
    tabindex: 0,
    role: "group",
    "aria-label": "Notes",
  });
  const next = html("p", { class: "notes-next" });
  const press = (/** @type {Order} */ order) =>
    state && line.send({ kind: "order", id: state.id, order });
  const buttons = ORDERS.map(([, order, word, label]) =>
    html(
      "button",
      { type: "button", "aria-label": label, title: label, click: () => press(order) },
      word,
    ),
  );
  const tell = () => {
    setText(title, state?.title || (state ? "Your graph" : "Notes"));
    setText(place, state?.place ?? "");
    caption.replaceChildren(...worded(state ? state.question || state.caption : WAITING));
    setText(says, state?.says ?? "");
    setText(next, state?.next ? `Next: ${state.next}` : "");
    text.replaceChildren(...paragraphs(state?.notes ?? ""));
    for (const [i, [, order]] of ORDERS.entries()) {
      const button = /** @type {HTMLButtonElement} */ (buttons[i]);
      button.disabled = !state;
      const held = STATES[order];
      if (held) button.setAttribute("aria-pressed", String(Boolean(state?.[held])));
    }
    tick();
  };
  const tick = () => setText(time, state ? clock(Date.now() - state.since) : "");
  const line = openLine((heard) => {
    if (heard.kind === "state" && (!wanted || heard.state.id === wanted))
      [state, wanted] = [heard.state, heard.state.id];
    else if (heard.kind === "gone" && heard.id === state?.id) {
      [state, wanted] = [null, ""];
      tell();
      return setText(caption, GONE);
    } else return;
    tell();
  });
  const keydown = (/** @type {KeyboardEvent} */ event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const target = /** @type {Element} */ (event.composedPath()[0]);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.matches("button") && (key === " " || key === "Enter")) return;
    if (
      target === text &&
      key.startsWith("Arrow") &&
      key.length > 7 &&
      text.scrollHeight > text.clientHeight
    )
      return;
    const order = ORDERS.find(([one]) => one === key)?.[1] ?? ALSO[key];
    event.stopImmediatePropagation(); // Streamlit's own shortcuts (r, c) would answer too
    if (!order) return;
    event.preventDefault();
    press(order);
  };
  addEventListener("keydown", keydown, true);
  const timer = setInterval(tick, 500);
  const notes = html(
    "div",
    { class: "notes" },
    html("div", { class: "notes-head" }, title, place, time),
    caption,
    says,
    text,
    next,
    html("div", { class: "notes-orders", role: "toolbar", "aria-label": "Stage" }, ...buttons),
  );
  host.mount(parent, { notes: css }, { notes });
  tell();
  line.send({ kind: "hello" });
  return () => {
    clearInterval(timer);
    removeEventListener("keydown", keydown, true);
    line.close();
  };
}
