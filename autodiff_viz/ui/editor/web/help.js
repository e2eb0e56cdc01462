// @ts-check
// The cheat sheet: how to read the picture, the gestures and the keys.

import { NODE_ACTIONS, VIEW_ACTIONS } from "./actions.js";
import { html, svg } from "../../web/dom.js";
import { MORE_ACTIONS } from "./more.js";
import { closePalette } from "./palette.js";

const GESTURES = [
  ["Drag the canvas", "move the view; two fingers or Ctrl + wheel zoom"],
  ["Drag port to port", "wire, in either direction; drop a slot's wire on nothing to remove it"],
  ["Double-click the canvas", "add a node there"],
  ["Shift + click, Shift + drag", "select several"],
  ["Drag a node into a region, or out of it", "join it or leave it; drag the region's tab to move it whole"],
  ["Click the mark of a rule, or press t", "change its function, or what it goes backward as"],
  ["Click a region's tab", "its name, what it keeps, remove it"],
  ["Click a constant or an input's value", "change it; double-click a node to rename it"],
  ["Ctrl + C, X, V", "copy, cut, paste nodes as formula text, in any tab"],
  ["Alt + drag, Alt + arrow keys", "drag a copy away; move a little"],
  ["Arrow keys, Enter", "walk from node to node, select"],
];

/** @param {import("./editor.js").Editor} editor */
export function toggleHelp(editor) {
  const wasOpen = editor.stage.host.querySelector(".sheet");
  closePalette(editor);
  if (wasOpen) return;
  const keys = Object.values({ ...NODE_ACTIONS, ...VIEW_ACTIONS, ...MORE_ACTIONS, arrange: VIEW_ACTIONS.arrange }).map(({ key, label }) => row(html("kbd", {}, key), label));
  const sheet = html("div", { class: "popover sheet", role: "dialog", "aria-label": "Keys and gestures", tabindex: -1 },
    html("h2", {}, "How to read it"),
    html("p", {}, "Values flow right, in ", html("b", { class: "blue" }, "blue"), ". Cotangents flow back left, in ",
      html("b", { class: "orange" }, "orange"), ". A wire is as thick as what it passes back."),
    html("div", { class: "legend" }, 
      sample("positive", "plus"), sample("negative", "minus"), sample("mixed", "both signs"), sample("zero", "zero")),
    html("h2", {}, "Gestures"), ...GESTURES.map(([gesture, does]) => row(html("b", {}, gesture), does)),
    html("h2", {}, "Keys"), html("div", { class: "keys" }, row(html("kbd", {}, "a"), "Add a node"), ...keys));
  editor.stage.host.append(sheet);
  sheet.focus();
}

/** @param {HTMLElement} name @param {string} text */
const row = (name, text) => html("div", { class: "row" }, name, html("span", {}, text));

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
