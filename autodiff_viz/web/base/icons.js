// @ts-check
// Draw line icons on a 16 x 16 grid, made for this editor.

import { RULES } from "./constants.js";
import { svg } from "./dom.js";

/** @type {Record<string, string>} */
export const ICONS = {
  ...Object.fromEntries(Object.entries(RULES).map(([name, { icon }]) => [name, icon])),
  add: "M8 3v10M3 8h10",
  undo: "M6 3 3 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6",
  redo: "M10 3l3 3-3 3M13 6H6.5a3.5 3.5 0 0 0 0 7H10",
  arrange: "M2 6h4v4H2zM10 2.5h4v4h-4zM10 9.5h4v4h-4zM6 8h2M10 4.5H8v7h2",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  nearer: "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9zM10.5 10.5l3.5 3.5M5 7h4M7 5v4",
  farther: "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9zM10.5 10.5l3.5 3.5M5 7h4",
  history: "M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3M8 5v3.2l2.2 1.4",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  hide: "M2 8c1.6-2.7 3.6-4 6-4s4.4 1.3 6 4c-1.6 2.7-3.6 4-6 4S3.6 10.7 2 8zM8 6.2a1.8 1.8 0 1 0 0 3.6a1.8 1.8 0 1 0 0-3.6zM3 13.5 13 2.5",
  help: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.7 8 9.2 8 10M8 12.8v.4",
  close: "M4 4l8 8M12 4l-8 8",
  checkpoint:
    "M2 5V2h3M7 2h2M11 2h3v3M14 7v2M14 11v3h-3M9 14H7M5 14H2v-3M2 9V7M10.5 8A2.5 2.5 0 1 1 8 5.5h2M8.8 4l1.5 1.5L8.8 7",
  group: "M2.5 4.5h7v7h-7zM6.5 4.5v-2h7v7h-4",
  mute: "M2 8h3M11 8h3M5 11.5v-7h6v7zM4 13.5 12 2.5",
  cut_after: "M2 8h3.2M10.8 8H14M5.2 13 7 3M9 13l1.8-10",
  output: "M4 14V2.5h9L10.5 5.5 13 8.5H4",
  delete: "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.6 9h5.8l.6-9M6.8 7v4M9.2 7v4",
  look: "M1.5 8C4 2.5 12 2.5 14.5 8 12 13.5 4 13.5 1.5 8zM8 5.8a2.2 2.2 0 1 0 0 4.4a2.2 2.2 0 1 0 0-4.4z",
  present: "M1.5 12.5 5.5 3l4 9.5M3 9.3h5M10.3 12.5l2-5 2.2 5M11 11h2.8",
  file: "M9 1.5H4v13h8.5V5zM9 1.5V5h3.5M6 8h4.5M6 11h4.5",
  open: "M2 12.5v-9h4l1.5 2H14v7zM8 11V7.5M6.2 9.2 8 7.4l1.8 1.8",
  paste: "M5.5 3H3.5v11h9V3h-2M5.5 2h5v2.5h-5zM6 8h4M6 11h4",
  picture: "M2 3h12v10H2zM2 11l3.5-3.5 3 3 2-2 3.5 3M10.2 5.8v.2",
  save: "M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11",
  tour: "M3 3.5h.01M6 3.5h7.5M3 8h.01M6 8h7.5M3 12.5h.01M6 12.5h4M13 10.5v4M11 12.5h4",
  find: "M2 3.5h12M2 8h4.5M2 12.5h4.5M10.5 7a3 3 0 1 0 0 6a3 3 0 1 0 0-6zM12.7 12.2 15 14.5",
  before: "M3.5 10 8 5.5l4.5 4.5",
  after: "M3.5 6 8 10.5 12.5 6",
  link: "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.4-2.4a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.1 9.2a2.6 2.6 0 0 0 3.7 3.7l.9-.9",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  details: "M2.5 4h11M2.5 8h11M2.5 12h6M13 10.5v3.5M11.4 12.6 13 14.2l1.6-1.6",
  select: "M2 4V2h2M7 2h2M12 2h2v2M2 7v2M2 12v2h2M7.5 7.5l6.5 2.4-2.8 1.3L9.9 14z",
  agrees: "M8 1.8a6.2 6.2 0 1 0 0 12.4a6.2 6.2 0 1 0 0-12.4zM5 8.2l2.1 2.1L11 6.2",
  differs: "M8 1.8a6.2 6.2 0 1 0 0 12.4a6.2 6.2 0 1 0 0-12.4zM8 4.8v4M8 11.2v.1",
  play: "M4.5 2.5v11l9-5.5z",
  pause: "M5 3v10M11 3v10",
  step: "M4 3v10l7-5zM12.5 3v10",
  back: "M12 3v10L5 8zM3.5 3v10",
  finish: "M2 3v10l5-5zM7 3v10l5-5zM13.5 3v10",
  forward: "M2 4.5h7.5M7 2l2.5 2.5L7 7M6.5 11.5H14M11.5 9l2.5 2.5-2.5 2.5M2 11.5h1.5",
  ask: "M2 2.5h12v9H8.5L5 14.2v-2.7H2zM6.4 5.6a1.7 1.7 0 1 1 2.4 1.5c-.6.3-.8.6-.8 1.2M8 9.7v.1",
  pin: "M2.5 3.5h4.5v9H2.5zM9 3.5h4.5v9H9zM4 6h1.5M10.5 6H12M10.5 9H12",
  theme: "M8 1.8a6.2 6.2 0 1 0 0 12.4a6.2 6.2 0 1 0 0-12.4zM8 1.8v12.4M8 5h5.4M8 8h6.2M8 11h5.4",
  warning: "M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.2",
};

/** @param {string} name a key of ICONS @param {number} size px */
export const icon = (name, size = 18) =>
  svg(
    "svg",
    { class: "icon", viewBox: "0 0 16 16", width: size, height: size, "aria-hidden": "true" },
    svg("path", { d: ICONS[name] }),
  );

/** An arrowhead before a word: of what goes forward, or `back`. */
export const arrowhead = (back = false) =>
  svg(
    "svg",
    { width: 9, height: 12, "aria-hidden": "true" },
    svg("path", { d: back ? "M8 1l-7 5 7 5z" : "M1 1l7 5-7 5z", fill: "currentColor" }),
  );
