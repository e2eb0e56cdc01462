// @ts-check
// Place the component's elements: the canvas in the component itself, the others in elements of the page
// (`place` in `ui/component.py`), each in a shadow tree with the style sheet of its folder. A place may
// appear later than the component, and may be replaced. Before Streamlit has drawn its page, all of them are in
// its shell (`ui/server/opening.py`), and leave it together.

import { html } from "./base/dom.js";
import { TERM_CSS } from "./base/term.js";

const PLACE = "av-place";

/** Folders of the style sheets that have another name than their place. @type {Record<string, string>} */
const SHEETS = {
  node: "inspector",
  check: "checks",
  notes: "checks",
  slider_seat: "sliders",
  bar: "editor",
  panels: "workbench",
  plots: "workbench",
  panes: "workbench",
};

const SHELL = "av-first"; // the shell's id
const LESSON = ".st-key-lesson";
const LATE_MS = 4000; // after which the shell is left, whatever Streamlit has not drawn

export class Places {
  /** @param {ParentNode & Node} own @param {Record<string, string>} css by folder @param {Record<string, HTMLElement>} hosts */
  constructor(own, css, { editor, ...hosts }) {
    this.css = css;
    this.editor = editor;
    this.hosts = hosts;
    /** Where the canvas goes when the shell is left. @type {(ParentNode & Node) | null} */
    this.next = null;
    this.held = false; // whether a pointer is down, which would lose what it drags
    /** Element whose class has Streamlit's theme as variables. @type {Element | null} */
    this.theme = null;
    this.places = /** @type {HTMLCollectionOf<HTMLElement>} */ (
      document.getElementsByClassName(PLACE)
    ); // live
    this.watcher = new MutationObserver(() => this.fill());
    this.watcher.observe(document.body, { childList: true, subtree: true });
    this.ending = new AbortController();
    this.settle(own);
    this.fill();
  }

  /** Put the canvas where it stays. @param {ParentNode & Node} own */
  settle(own) {
    this.put(own, "editor", this.editor);
    this.theme = own instanceof ShadowRoot ? own.host.parentElement : null;
    if (this.theme)
      this.watcher.observe(this.theme, { attributes: true, attributeFilter: ["class"] });
  }

  /** Leave the shell, once all that stands in it has a place in Streamlit's page. @param {ParentNode & Node} own place of the canvas */
  moveTo(own) {
    this.next = own;
    const { signal } = this.ending;
    const hold = (/** @type {boolean} */ on) => () => ((this.held = on), this.fill());
    addEventListener("pointerdown", hold(true), { signal, capture: true });
    for (const kind of ["pointerup", "pointercancel"])
      addEventListener(kind, hold(false), { signal, capture: true });
    setTimeout(() => (this.leave(), this.fill()), LATE_MS);
    this.fill();
  }

  /** Move elements that are not in their place. */
  fill() {
    const shell = document.getElementById(SHELL);
    if (shell && this.mayLeave(shell)) return this.leave();
    for (const place of this.places) if (!shell || shell.contains(place)) this.give(place);
  }

  /** @param {HTMLElement} place */
  give(place) {
    const host = this.hosts[place.dataset.place ?? ""];
    if (!host) return;
    const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
    const classes = `${PLACE} ${this.theme?.className ?? ""}`;
    if (place.className !== classes) place.className = classes;
    if (!root.contains(host)) this.put(root, place.dataset.place ?? "", host);
  }

  /** @param {Element} shell */
  mayLeave(shell) {
    if (!this.next?.isConnected || this.held) return false;
    const [inside, outside] = [new Set(), new Set()];
    for (const place of this.places)
      (shell.contains(place) ? inside : outside).add(place.dataset.place);
    const lessons = document.querySelectorAll(LESSON).length;
    return (
      [...inside].every((name) => outside.has(name)) &&
      (!shell.querySelector(LESSON) || lessons > 1)
    );
  }

  /** Move all elements out of the shell, and take it away. What has the focus keeps it; the title of a lesson has it unless
   * another element has: ui/panels/lesson.py gives it the focus, in the shell if that is still there. */
  leave() {
    const shell = document.getElementById(SHELL);
    this.ending.abort();
    if (!this.next || !shell) return;
    const focused = activeElement();
    const isLessons = shell.querySelector(LESSON) !== null;
    const isKept = focused && focused !== document.body && !shell.contains(focused); // in a tree of ours
    this.settle(this.next);
    shell.remove();
    this.fill();
    /** @type {HTMLElement | null} */
    const title = isLessons ? document.querySelector(`${LESSON} h2`) : null;
    if (!isKept) title?.setAttribute("tabindex", "-1");
    (isKept ? focused : title)?.focus({ preventScroll: true });
  }

  /** @param {ParentNode & Node} root @param {string} name @param {HTMLElement} host */
  put(root, name, host) {
    root.replaceChildren(html("style", {}, `${this.css[SHEETS[name] ?? name]}\n${TERM_CSS}`), host);
  }

  close() {
    this.ending.abort();
    this.watcher.disconnect();
  }
}

/** The element that has the focus, in whichever tree. @returns {HTMLElement | null} */
function activeElement() {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return /** @type {HTMLElement | null} */ (at);
}
