// @ts-check
// Set the look of the page, kept in this browser or read from a link: which panels are open, how high the
// dock is, how large the type. It is put on the root element, where lab.css and the components' style sheets
// read it.

import { shared } from "../base/constants.js";
import { host } from "../base/host.js";
import { BROWSER, readList, writeList } from "../base/store.js";

// The look in a link: in the fragment after the #, which only the browser reads, with the part of the graph
// on view: `#folded=1&dock=300&view=1.5,120,-40`.

/**
 * @typedef {object} Place
 * @property {number} k the scale
 * @property {number} x of the point of the graph in the middle of the canvas
 * @property {number} y of the same point
 */

const FAR = 1e6; // the greatest coordinate that is read
const LARGEST = 1e4; // px

/** The fragment of a link; "" for the usual look and a view that is fitted. Pure.
 * @param {Look} look @param {Place | null} place of a view that the user has chosen */
export function toFragment({ dock, formula, folded, large, second, theme }, place) {
  const fields = {
    ...(folded && { folded: "1" }),
    ...(large && { large: "1" }),
    ...(dock && { dock: String(dock) }),
    ...(formula && { formula: String(formula) }),
    ...(second && { second }),
    ...(theme !== USUAL.theme && { theme }),
    ...(place && {
      view: [place.k.toPrecision(4), place.x.toFixed(0), place.y.toFixed(0)].join(","),
    }),
  };
  const text = new URLSearchParams(fields).toString().replaceAll("%2C", ",");
  return text && `#${text}`;
}

/** What a fragment says, where anything may stand. Pure.
 * @param {string} hash @returns {{ look: Record<keyof Look, unknown> | null, place: Place | null }} null where it says nothing */
export function fromFragment(hash) {
  const fields = new URLSearchParams(hash.slice(1));
  const px = (/** @type {string} */ name) => {
    const size = Number(fields.get(name));
    return size > 0 && size < LARGEST ? size : null;
  };
  const look = {
    folded: fields.get("folded") === "1",
    large: fields.get("large") === "1",
    dock: px("dock"),
    formula: px("formula"),
    second: fields.get("second"),
    theme: fields.get("theme"),
  };
  const [k, x, y] = (fields.get("view") ?? "")
    .split(",")
    .map((part) => (part.trim() ? Number(part) : NaN));
  const isPlace = k > 0 && k < FAR && Math.abs(x) < FAR && Math.abs(y) < FAR;
  return {
    look: ["folded", "large", "dock", "formula", "second", "theme"].some((name) => fields.has(name))
      ? look
      : null,
    place: isPlace ? { k, x, y } : null,
  };
}

/**
 * @typedef {object} Look
 * @property {number | null} dock its height in px, null if the user has not set it
 * @property {number | null} formula its height in px, null if the user has not set it
 * @property {boolean} folded whether the dock is
 * @property {boolean} large
 * @property {string | null} second the figure beside the plot in a wide window, null for none
 * @property {string} theme one of THEMES
 */

const NAME = "look";
/** @type {Look} */
export const USUAL = {
  dock: null,
  formula: null,
  folded: false,
  large: false,
  second: null,
  theme: "auto",
};
/** The themes, in words; base/theme.js shows them. @type {Record<string, string>} */
export const THEMES = {
  auto: "as the system",
  light: "light",
  dark: "dark",
  contrast: "more contrast",
};
const LINES = 84; // px of the formula's height
export const LEAST = 120; // px of the dock's height
const FOLDED = 36; // px of it, without its plot
const CANVAS = 260; // px that the dock leaves for bar, tools and canvas
const FIRST = 240; // px of the dock's height
const SHARE = 0.31; // of a high window, which it takes
const WIDE = "(min-width: 1700px) and (min-height: 560px)"; // lab.css has the same limits
const BELOW = "(min-width: 900px) and (min-height: 560px)";
const GRAPHS = 41; // px of the row of a lesson's graphs; canvas/lesson.css has the same
const EXERCISE = 20; // px of the line of its exercise; the canvas gives the rest
const READ = 374; // px that it leaves as long as the user has not set its height: for a canvas of 240 px; lab.css has the same

/** A look that has been read from storage, where anything may stand. Pure. @param {any} stored @returns {Look} */
export const checkedLook = (stored) => ({
  dock: Number.isFinite(stored?.dock) ? Math.max(LEAST, stored.dock) : USUAL.dock,
  formula: Number.isFinite(stored?.formula) ? Math.max(LINES, stored.formula) : USUAL.formula,
  folded: stored?.folded === true,
  large: stored?.large === true,
  second: shared.figures.includes(stored?.second) ? stored.second : null,
  theme: Object.hasOwn(THEMES, stored?.theme) ? stored.theme : USUAL.theme,
});

/** The dock's height in a window of this height. Pure.
 * @param {Look} look @param {number} window px @param {number} [above] px of a lesson's rows above the canvas */
export const heightOf = ({ dock, folded }, window, above = 0) =>
  folded
    ? FOLDED
    : Math.round(
        Math.min(
          dock ?? Math.max(FIRST, SHARE * window),
          Math.max(LEAST, window - above - (dock ? CANVAS : READ)),
        ),
      );

/** The dock's height now. */
export const heightNow = () => heightOf(presentLook(), innerHeight, above);

let above = 0; // px of a lesson's rows above the canvas
/** Whether the plots stay folded until they are asked for, as in a lesson whose text needs none. */
let quiet = new URLSearchParams(globalThis.location?.search ?? "").has("lesson");

const { avEmbed, avType } = globalThis.document?.documentElement.dataset ?? {};
/** The look, once it has been asked for: what is kept is known by then. @type {Look | null} */
let chosen = null;
const lookNow = () =>
  (chosen ??= checkedLook({
    ...(fromFragment(globalThis.location?.hash ?? "").look ?? readList(BROWSER, NAME)[0]),
    ...(avEmbed && { large: avType === "large" }), // of a frame its own address decides
  }));
/** Callbacks after a change. @type {Set<() => void>} */
const watchers = new Set();

/** The look; where the plots are a panel, on a phone and in a low window, they have no button for it and never fold. @returns {Look} */
export const presentLook = () => ({
  ...lookNow(),
  folded: (lookNow().folded || quiet) && matchMedia(BELOW).matches,
});

/** Fold the plots until they are asked for, or open them as the user has them. @param {boolean} on */
export function foldUntilAsked(on) {
  if (on === quiet) return;
  quiet = on;
  showLook();
}

/** Leave room for a lesson's rows above the canvas. @param {boolean} graphs @param {boolean} exercise */
export function leaveRoomAbove(graphs, exercise) {
  const px = (graphs ? GRAPHS : 0) + (exercise ? EXERCISE : 0);
  if (px === above) return;
  above = px;
  document.documentElement.style.setProperty("--av-above", `${graphs ? GRAPHS : 0}px`); // on a phone the exercise is the canvas's own
  showLook();
}

/** @param {() => void} changed @returns {() => void} stops it */
export function watchLook(changed) {
  watchers.add(changed);
  return () => void watchers.delete(changed);
}

/** Change the look and store it. @param {Partial<Look>} changes */
export function changeLook(changes) {
  chosen = checkedLook({ ...lookNow(), ...changes });
  if ("folded" in changes) quiet = false;
  writeList(BROWSER, NAME, [chosen]);
  showLook();
}

/** Put the look on the root element. */
export function showLook() {
  const { dataset, style } = document.documentElement;
  const look = lookNow();
  dataset.avType = look.large ? "large" : "usual";
  dataset.avDock = presentLook().folded ? "folded" : "open";
  style.setProperty("--av-dock", `${heightNow()}px`);
  if (look.formula) style.setProperty("--av-formula", `min(${look.formula}px, 60dvh)`);
  for (const changed of watchers) changed();
}

const LOW = 420; // px of the dock's height up to which its figures are drawn low

/** The second figure, where there is room for one. */
export const secondFigure = () =>
  !presentLook().folded && matchMedia(WIDE).matches ? lookNow().second : null;

/** Whether figures have room to be high. */
export const isHigh = () => !matchMedia(BELOW).matches || heightNow() > LOW;

export const isLarge = () => lookNow().large;
export const toggleLarge = () => changeLook({ large: !isLarge() });

/** Show the next theme. @returns {string} it, in words */
export function nextTheme() {
  const names = Object.keys(THEMES);
  const theme = names[(names.indexOf(lookNow().theme) + 1) % names.length];
  changeLook({ theme });
  host.setTheme(theme);
  return THEMES[theme];
}
