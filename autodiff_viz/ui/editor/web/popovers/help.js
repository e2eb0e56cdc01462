// @ts-check
// Show the cheat sheet: how to read the drawing, the gestures and the keys.

import { html, svg } from "../../../web/dom.js";
import { printed } from "../actions/guide.js";
import { icon } from "../draw/icons.js";
import { closePopover } from "./popover.js";

/** @param {import("../editor.js").Editor} editor @param {{ title: string, lines: import("../actions/guide.js").Line[] }[]} guide */
export function toggleHelp(editor, guide) {
  const wasOpen = editor.stage.host.querySelector(".sheet");
  closePopover(editor);
  if (wasOpen) return;
  const close = html("button", { type: "button", class: "tool", "aria-label": "Close", title: "Close  (Esc)", click: () => closePopover(editor) }, icon("close"));
  const body = html("div", { class: "sheet-body", tabindex: 0, role: "group", "aria-label": "All keys and gestures" },
    reading(), ...guide.map(({ title, lines }) => html("section", {}, html("h3", {}, title), ...lines.map(row))));
  const keydown = (/** @type {any} */ event) => {
    event.stopPropagation(); // keys must not reach the canvas
    if (event.key === "Escape" || event.key === "?") closePopover(editor);
  };
  const sheet = html("div", { class: "popover sheet", popover: "manual", role: "dialog", "aria-label": "Keys and gestures", keydown },
    html("div", { class: "sheet-head" }, html("h2", {}, "Keys and gestures"), html("a", { href: "words", target: "_blank" }, "All words"), close), body);
  editor.stage.host.append(sheet);
  sheet.showPopover(); // above the whole page: within the canvas it would have to scroll
  body.focus({ preventScroll: true });
}

const reading = () =>
  html("section", {}, html("h3", {}, "How to read it"),
    html("p", {}, "Values flow right, in ", html("b", { class: "blue" }, "blue"), ". Cotangents flow back left, in ",
      html("b", { class: "orange" }, "orange"), ". A wire is as thick as what it passes back."),
    html("div", { class: "legend" },
      sample("positive", "plus"), sample("negative", "minus"), sample("mixed", "both signs"), sample("zero", "zero")),
    html("p", {}, "A tensor is drawn small: its value from grey (minus) to ", html("b", { class: "blue" }, "blue"),
      " (plus), the cotangent that arrives from teal to ", html("b", { class: "orange" }, "orange"),
      "; 0 has no colour, \u00d7 is NaN. Each picture has its own scale: rest on the node to read it."));

/** @param {import("../actions/guide.js").Line} line */
const row = ({ keys = [], hand, does }) =>
  html("div", { class: "row" },
    html("span", {}, ...printed(keys).flatMap((key) => [html("kbd", {}, key), " "]), hand && html(keys.length ? "span" : "b", {}, hand)),
    html("span", {}, does));

/** @param {string} sign @param {string} text */
function sample(sign, text) {
  const arrows = /** @type {Record<string, string>} */ ({
    positive: "M14 8l12-7v14z", negative: "M14 8l12-7v14z", mixed: "M12 8l9-7 9 7-9 7z",
  });
  const width = sign === "zero" ? 1.5 : 4;
  return html("span", {}, svg("svg", { width: 44, height: 16, class: `wire ${sign}`, "aria-hidden": "true" },
    svg("path", { class: "line", d: "M0 8h44", "stroke-width": width }),
    svg("path", { class: "arrow", d: arrows[sign] ?? "" })), text);
}
