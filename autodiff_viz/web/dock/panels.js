// @ts-check
// Open and close the panels beside the canvas by rows of tabs: which of formula, node, plots, lesson and tour
// have one depends on the size of the window. On a phone the panels are on a sheet at the foot, and in a low
// window they have the column alone, the plots among them.

import { shared } from "../base/constants.js";
import { html } from "../base/dom.js";
import { listen, dispatch } from "../base/events.js";

// A row of tabs: one stop of the Tab key, with arrow keys inside (roving focus).

/**
 * @typedef {object} Tab
 * @property {string} name
 * @property {string} label
 * @property {string} [title]
 * @property {string} [word] of the glossary, which the tab explains
 */

const PEEK = 14; // px of the next tab beside the chosen one: there are more

export class Tabs {
  /** @param {string} label @param {(name: string) => void} choose */
  constructor(label, choose) {
    this.choose = choose;
    this.root = html("div", { class: "tabs", role: "tablist", "aria-label": label });
    this.root.addEventListener("keydown", (event) => this.key(event));
    // Streamlit's own shortcuts (r, c) would answer these keys too.
    for (const kind of ["keydown", "keyup", "keypress"])
      this.root.addEventListener(kind, (event) => event.stopPropagation());
    this.names = "";
    /** @type {string | null} */
    this.chosen = null;
    this.sized = new ResizeObserver(() => this.bringIntoView(this.chosen)); // after the layout: to ask before it would take one more
  }

  get buttons() {
    return /** @type {HTMLElement[]} */ ([...this.root.children]);
  }

  /** @param {Tab[]} tabs @param {string | null} chosen */
  show(tabs, chosen) {
    const names = JSON.stringify(tabs);
    if (this.names !== names)
      this.root.replaceChildren(
        ...tabs.map(({ name, label, title, word }) =>
          html(
            "button",
            {
              type: "button",
              class: "tab",
              role: "tab",
              title,
              "data-tab": name,
              "data-term": word,
              "aria-description": word && shared.glossary[word],
              click: () => this.choose(name),
            },
            label,
          ),
        ),
      );
    const reached = tabs.some(({ name }) => name === chosen) ? chosen : tabs[0]?.name; // by the Tab key
    for (const button of this.buttons) {
      const { tab } = button.dataset;
      button.setAttribute("aria-selected", String(tab === chosen));
      button.tabIndex = tab === reached ? 0 : -1;
    }
    if (this.chosen === chosen && this.names === names) return;
    [this.names, this.chosen] = [names, chosen];
    this.sized.disconnect();
    this.sized.observe(this.root); // which calls back once it has its size, and whenever that changes
  }

  /** Scroll the row to a tab, without the page. @param {string | null} name */
  bringIntoView(name) {
    const tab = this.buttons.find((button) => button.dataset.tab === name);
    if (!tab) return;
    const [row, { offsetTop, offsetLeft, offsetHeight, offsetWidth }] = [this.root, tab];
    row.scrollTop = Math.min(
      offsetTop,
      Math.max(row.scrollTop, offsetTop + offsetHeight + PEEK - row.clientHeight),
    );
    row.scrollLeft = Math.min(
      offsetLeft,
      Math.max(row.scrollLeft, offsetLeft + offsetWidth + PEEK - row.clientWidth),
    );
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { buttons } = this;
    const at = buttons.findIndex((button) => button === event.target);
    const to = {
      ArrowDown: at + 1,
      ArrowRight: at + 1,
      ArrowUp: at - 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: -1,
    }[event.key];
    if (to === undefined || at < 0) return;
    const next = buttons.at(to % buttons.length);
    next?.focus();
    next?.click();
    event.preventDefault();
  }
}

/** @typedef {"node" | "plots" | "formula" | "lesson" | "tour"} Panel */
/** @typedef {"beside" | "wide" | "middle" | "low" | "narrow"} Room  how much room there is; lab.css has the same limits */

/** A window with a sheet in place of a column, or so small that all of it stands one below the other. */
export const PHONE = "(max-width: 599.9px), (max-width: 899.9px) and (min-height: 560px)";
/** A window in which four buttons with words stand in place of the toolbar. */
export const BY_HAND = "(max-width: 899.9px)";
/** A window without room for plots below the canvas: a phone on its side, a zoomed page. It is asked after `PHONE`. */
const LOW = "(max-height: 559.9px)";

/** A window in which node and formula share a place, by tabs. */
export const TABBED = "(max-width: 1279.9px), (max-height: 559.9px)";

/** @type {[Room, string][]} */
const ROOMS = [
  ["narrow", PHONE],
  ["low", LOW],
  ["middle", "(max-width: 1279.9px)"],
  ["wide", "(max-width: 1799.9px)"],
];
const LABELS = { node: "Node", plots: "Plots", formula: "Formula", lesson: "Lesson", tour: "Tour" };
const WITH_SLIDERS = "Node, sliders"; // its label where the sliders are on view with it and not with the tab before it
/** Panels that are read, and have the whole column. @typedef {"lesson" | "tour"} Text */
/** Panels that have a tab beside what is read. @type {Record<Room, Panel[]>} */
const TABS = {
  beside: [],
  wide: ["node", "formula"],
  middle: ["node", "formula"],
  low: ["node", "plots", "formula"],
  narrow: ["node", "plots", "formula"],
};
/** Panels that have a tab without a lesson and a tour. @type {Record<Room, Panel[]>} */
const TABS_ALONE = {
  beside: [],
  wide: [],
  middle: ["node", "formula"],
  low: ["node", "plots", "formula"],
  narrow: ["node", "plots", "formula"],
};

/** The tabs, and the one that is chosen. Pure.
 * @param {Room} room @param {Panel} wanted @param {Text[]} texts what is open to be read
 * @returns {{ tabs: Panel[], chosen: Panel }} */
export function tabsIn(room, wanted, texts) {
  const [first, last] = room === "narrow" ? [[], texts] : [texts, []];
  const tabs =
    texts.length && room !== "beside" ? [...first, ...TABS[room], ...last] : TABS_ALONE[room];
  const chosen = tabs.includes(wanted) ? wanted : (tabs[0] ?? "formula");
  return { tabs, chosen };
}

/** What a tab says. Pure. @param {Room} room @param {Panel} name @param {Panel[]} tabs */
export const labelOf = (room, name, tabs) =>
  name === "node" &&
  (room === "low" || (room !== "narrow" && tabs.some((tab) => tab === "lesson" || tab === "tour")))
    ? WITH_SLIDERS
    : LABELS[name];

/** The tab that is wanted once a panel has been asked for: a panel with a place of its own hides no other. Pure.
 * @param {Room} room @param {Panel} name @param {Panel} before @param {Text[]} texts @returns {Panel} */
export function tabAfter(room, name, before, texts) {
  const { tabs } = tabsIn(room, name, texts);
  return tabs.length && !tabs.includes(name) ? before : name;
}

/** The tab that is wanted once the user has selected a node, or none: where what is read has the whole column, the node takes
 * its place and gives it back; on a phone only a node whose rule is to be set, since the panel has the buttons. Pure.
 * @param {Room} room @param {boolean} selected @param {Panel} before @param {Text} text that was read last
 * @param {boolean} [bent] whether the present exercise gives the node a rule @returns {Panel} */
export function wantedAfterSelecting(room, selected, before, text, bent = false) {
  if (room === "beside" || (room === "narrow" && !bent)) return before;
  if (selected) return "node";
  return before === "node" ? text : before;
}

export class Panels {
  constructor() {
    /** @type {Panel} */
    this.wanted = "node";
    /** @type {string | null} the open lesson and its graph */
    this.lesson = null;
    this.tour = false; // whether one is open
    /** The text that was read last. @type {Text} */
    this.text = "lesson";
    this.open = false; // the sheet
    /** Nodes to which the present exercise gives a rule. @type {string[]} */
    this.bends = [];
    this.queries = ROOMS.map(([, query]) => matchMedia(query));
    this.changed = () => this.show();
    for (const query of this.queries) query.addEventListener("change", this.changed);
    this.tabs = new Tabs("Panels", (name) => this.press(/** @type {Panel} */ (name)));
    this.handle = html("button", {
      type: "button",
      class: "handle",
      click: () => this.slide(!this.open),
    });
    this.host = html("div", { class: "workbench panels" }, this.handle, this.tabs.root);
    this.closed = false;
    listen(
      "menu",
      () => this.slide(false),
      () => this.closed,
    );
    listen(
      "panel",
      ({ name }) => this.press(name, true),
      () => this.closed,
    );
    listen(
      "selected",
      ({ name }) => this.follow(name),
      () => this.closed,
    );
  }

  /** @returns {Room} */
  get room() {
    return ROOMS[this.queries.findIndex(({ matches }) => matches)]?.[0] ?? "beside";
  }

  /** What is open to be read. @returns {Text[]} */
  get texts() {
    return [
      ...(this.lesson ? [/** @type {Text} */ ("lesson")] : []),
      ...(this.tour ? [/** @type {Text} */ ("tour")] : []),
    ];
  }

  /** Take the open lesson with its graph, and whether a tour is open: either is shown when it is opened. For the
   * sliders a phone leaves room, and what a graph asks is not behind the sheet.
   * @param {string | null} lesson @param {boolean} tour @param {number} sliders @param {boolean} asks */
  receive(lesson, tour, sliders, asks) {
    document.documentElement.style.setProperty("--av-rows", String(Math.min(sliders, 2)));
    if (tour && !this.tour) this.wanted = "tour";
    if (lesson !== this.lesson && lesson) {
      this.wanted = "lesson";
      if (asks) this.open = false;
    }
    this.lesson = lesson;
    this.tour = tour;
    this.show();
  }

  /** Show a panel. On a phone the sheet opens when the tab on view is pressed again.
   * @param {Panel} name @param {boolean} [inFull] open the sheet */
  press(name, inFull = false) {
    this.open = inFull || (name === this.wanted ? !this.open : this.open);
    this.wanted = tabAfter(this.room, name, this.wanted, this.texts);
    this.show();
  }

  /** Follow the selection that the user has made, while something is open to be read. @param {string | null} name */
  follow(name) {
    if (!this.texts.length) return;
    const bent = name !== null && this.bends.includes(name);
    if (bent && this.room === "narrow") this.open = true; // the buttons are below the numbers
    this.wanted = wantedAfterSelecting(this.room, name !== null, this.wanted, this.text, bent);
    this.show();
  }

  /** @param {boolean} open */
  slide(open) {
    this.open = open;
    this.show();
  }

  show() {
    const { room, open, wanted, texts } = this;
    const { tabs, chosen } = tabsIn(room, wanted, texts);
    if (chosen === "lesson" || chosen === "tour") this.text = chosen;
    else if (!texts.includes(this.text)) this.text = texts[0] ?? "lesson";
    this.tabs.show(
      tabs.map((name) => ({ name, label: labelOf(room, name, tabs) })),
      chosen,
    );
    this.tabs.root.hidden = !tabs.length;
    this.handle.setAttribute("aria-expanded", String(open));
    this.handle.setAttribute("aria-label", open ? "Make the panel low" : "Make the panel high");
    const { dataset } = document.documentElement;
    dataset.avPanel = chosen === "tour" ? "lesson" : chosen; // one place, and the next says whose
    dataset.avText = this.text;
    dataset.avLesson = texts.length ? "open" : "none";
    const lowered = dataset.avSheet === "open" && !open;
    dataset.avSheet = open ? "open" : "low";
    if (lowered) document.querySelector(".st-key-side")?.scrollTo(0, 0); // what is low shows its beginning
  }

  close() {
    this.closed = true;
    for (const query of this.queries) query.removeEventListener("change", this.changed);
  }
}

/** Bring a panel into view. @param {Panel} name */
export const showPanel = (name) => void dispatch("panel", { name });
