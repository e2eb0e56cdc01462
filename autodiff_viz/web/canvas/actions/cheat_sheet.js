// @ts-check
// Show the cheat sheet: how to read the drawing, the gestures and the keys.

import { html, svg } from "../../base/dom.js";
import { icon } from "../../base/icons.js";
import { Tabs } from "../../dock/panels.js";
import { closePopover } from "../popovers/popover.js";

// Its rows as data: actions that have a key, by purpose, and gestures without one.

/** @typedef {import("./reading.js").Action} Action */
/** @typedef {keyof typeof BY_HAND} Section */
/**
 * @typedef {object} Line
 * @property {string[]} [keys]
 * @property {string} [hand]
 * @property {string} does
 */

/** Gestures and their effects, by section. */
const BY_HAND = {
  "Add and wire": [
    ["Drag port to port", "Wire, either way: what fits glows"],
    ["Drag a port to nothing", "Find an op that fits there"],
    ["Pull a wire off its slot", "Plug it in elsewhere, or remove it"],
    ["Drop a node on a wire", "Put it in between"],
  ],
  "Bend the gradient": [
    ["Click a region's tab", "Its name, what it keeps; drag it to move all"],
    ["Drag a node in or out", "Join a region or a group, or leave it"],
  ],
  "Play the pass": [
    [
      "Space, \u2190 \u2192, End, Esc",
      "On the bar below: play or pause, step, finish the phase, stop",
    ],
  ],
  "Compare two graphs": [
    [
      "Compare: without ...",
      "Beside the node or in its menu: pin it as A, show B without a rule, mute or checkpoint",
    ],
  ],
  "Select and change": [
    ["Shift + click, Shift + drag", "Select several; with a finger, hold a node"],
  ],
  "Walk by keyboard": [
    ["Arrows in a toolbar", "Go from button to button"],
    ["Caret in the formula", "Select the nodes that its line makes"],
    ["Esc in the formula", "Leave it for the canvas; Ctrl + Enter applies the text at once"],
  ],
  See: [
    ["Drag the canvas", "Move the view; on a node too with Space or the middle button"],
    ["Rest on a node", "Light what it depends on and what depends on it"],
    ["Wheel, pinch", "Zoom; two fingers on a trackpad, or Shift + wheel, move the view"],
  ],
  "Bring and take": [
    [
      "Drop a file, paste a link or code",
      "Open it in place of this graph; a PNG or SVG saved here holds its graph",
    ],
  ],
};

/** Tabs of the sheet, with the sections of each. @type {{ name: string, label: string, sections: string[] }[]} */
export const TABS = [
  { name: "read", label: "Read it", sections: [] },
  {
    name: "build",
    label: "Build",
    sections: ["Add and wire", "Select and change", "Bring and take"],
  },
  {
    name: "bend",
    label: "Bend and play",
    sections: ["Bend the gradient", "Play the pass", "Compare two graphs"],
  },
  { name: "move", label: "Move", sections: ["Walk by keyboard", "See"] },
];

/** The lines that have every word of a search, by section; a word may be a key or the beginning of one. Pure.
 * @param {{ title: string, lines: Line[] }[]} guide @param {string} text */
export function linesWith(guide, text) {
  const words = text
    .toLowerCase()
    .split(/[\s+]+/)
    .filter(Boolean);
  const has = (/** @type {string} */ title, /** @type {Line} */ { keys = [], hand = "", does }) => {
    const known = `${title} ${printed(keys).join(" ")} ${keys.join(" ")} ${hand} ${does}`;
    const all = known.toLowerCase().split(/[\s+,;:()]+/);
    return words.every((word) => all.some((one) => one.startsWith(word)));
  };
  return guide
    .map(({ title, lines }) => ({ title, lines: lines.filter((line) => has(title, line)) }))
    .filter(({ lines }) => lines.length);
}

/** @param {Record<string, Action>} actions @returns {{ title: string, lines: Line[] }[]} */
export const guideOf = (actions) =>
  Object.entries(BY_HAND).map(([title, gestures]) => ({
    title,
    lines: [
      ...Object.entries(actions)
        .filter(([, { guide }]) => guide === title)
        .map(([id, { label, says = label, hand }]) => ({
          // its own keys and those of the actions on its line
          keys: [
            actions[id],
            ...Object.values(actions).filter(({ besides }) => besides === id),
          ].flatMap(({ keys = [] }) => keys),
          hand,
          does: says,
        })),
      ...gestures.map(([hand, does]) => ({ hand, does })),
    ],
  }));

const SIGNS = /** @type {Record<string, string>} */ ({
  ArrowLeft: "←",
  ArrowUp: "↑",
  ArrowRight: "→",
  ArrowDown: "↓",
  Escape: "Esc",
});

/** Keys as printed: arrows held with another key in two words, or omitted beside the bare ones.
 * @param {string[]} keys @returns {string[]} */
export function printed(keys) {
  const held = keys.filter((key) => /\+Arrow/.test(key));
  const others = keys.filter((key) => !held.includes(key));
  return held.length && !others.length
    ? [`${held[0].split("+")[0]} + arrows`]
    : others.map((key) => SIGNS[key] ?? key);
}

/** @param {import("../editor.js").Editor} editor @param {{ title: string, lines: Line[] }[]} guide */
export function toggleHelp(editor, guide) {
  const wasOpen = editor.stage.host.querySelector(".sheet");
  closePopover(editor);
  if (wasOpen) return;
  const close = html(
    "button",
    {
      type: "button",
      class: "tool",
      "aria-label": "Close",
      title: "Close  (Esc)",
      click: () => closePopover(editor),
    },
    icon("close"),
  );
  const columns = html("div", { class: "sheet-columns" });
  const body = html(
    "div",
    { class: "sheet-body", tabindex: 0, role: "group", "aria-label": "All keys and gestures" },
    columns,
  );
  let chosen = "build";
  const search = /** @type {HTMLInputElement} */ (
    html("input", {
      type: "search",
      class: "sheet-search",
      placeholder: "Search keys",
      "aria-label": "Search keys and gestures",
      input: () => show(chosen),
    })
  );
  const tabs = new Tabs("Keys and gestures", (name) => ((search.value = ""), show(name)));
  const show = (/** @type {string} */ name) => {
    const text = search.value.trim();
    chosen = name;
    const sections = TABS.find((tab) => tab.name === name)?.sections ?? [];
    const shown = text
      ? linesWith(guide, text)
      : guide.filter(({ title }) => sections.includes(title));
    tabs.show(
      TABS.map((tab) => ({ name: tab.name, label: tab.label })),
      text ? null : name, // a search is through all
    );
    columns.replaceChildren(
      ...(!text && !sections.length ? reading() : []),
      ...shown.map(({ title, lines }) =>
        html("section", {}, html("h3", {}, title), ...lines.map(row)),
      ),
      ...(text && !shown.length
        ? [html("p", {}, `No key or gesture has \u201c${text}\u201d.`)]
        : []),
    );
  };
  const keydown = (/** @type {any} */ event) => {
    event.stopPropagation(); // keys must not reach the canvas
    const inField = event.composedPath()[0] === search;
    if (event.key === "Escape" || (event.key === "?" && !inField)) closePopover(editor);
    else if (event.key === "/" && !inField) (event.preventDefault(), search.focus());
  };
  const sheet = html(
    "div",
    {
      class: "popover sheet",
      popover: "manual",
      role: "dialog",
      "aria-label": "Keys and gestures",
      keydown,
    },
    html(
      "div",
      { class: "sheet-head" },
      html("h2", {}, "Keys and gestures"),
      search,
      html("a", { href: "words", target: "_blank" }, "All words"),
      close,
    ),
    tabs.root,
    body,
  );
  show(chosen);
  editor.stage.host.append(sheet);
  sheet.showPopover(); // above the whole page: within the canvas it would have to scroll
  body.focus({ preventScroll: true });
}

const reading = () => [
  html(
    "section",
    {},
    html(
      "p",
      {},
      "Values flow right, in ",
      html("b", { class: "blue" }, "blue"),
      ". Cotangents flow back left, in ",
      html("b", { class: "orange" }, "orange"),
      ". A wire is as thick as what it passes back.",
    ),
    html(
      "div",
      { class: "legend" },
      sample("positive", "plus"),
      sample("negative", "minus"),
      sample("mixed", "both signs"),
      sample("zero", "zero"),
    ),
  ),
  html(
    "section",
    {},
    html(
      "p",
      {},
      "A tensor is drawn small: its value from grey (minus) to ",
      html("b", { class: "blue" }, "blue"),
      " (plus), the cotangent that arrives from teal to ",
      html("b", { class: "orange" }, "orange"),
      "; 0 has no colour, \u00d7 is NaN. Each picture has its own scale: rest on the node to read it.",
    ),
    html(
      "p",
      {},
      "At a checkpoint ",
      html("b", { class: "mark runs" }, "\u00d72"),
      " says that a node runs twice, the second time on the way back; ",
      html("b", { class: "mark dropped" }, "dropped"),
      " that JAX leaves this second run out, since no derivative needs its result.",
    ),
  ),
];

/** @param {Line} line */
const row = ({ keys = [], hand, does }) =>
  html(
    "div",
    { class: "row" },
    html(
      "span",
      {},
      ...printed(keys).flatMap((key) => [html("kbd", {}, key), " "]),
      hand && html(keys.length ? "span" : "b", {}, hand),
    ),
    html("span", {}, does),
  );

/** @param {string} sign @param {string} text */
function sample(sign, text) {
  const arrows = /** @type {Record<string, string>} */ ({
    positive: "M14 8l12-7v14z",
    negative: "M14 8l12-7v14z",
    mixed: "M12 8l9-7 9 7-9 7z",
  });
  const width = sign === "zero" ? 1.5 : 4;
  return html(
    "span",
    {},
    svg(
      "svg",
      { width: 44, height: 16, class: `wire ${sign}`, "aria-hidden": "true" },
      svg("path", { class: "line", d: "M0 8h44", "stroke-width": width }),
      svg("path", { class: "arrow", d: arrows[sign] ?? "" }),
    ),
    text,
  );
}
