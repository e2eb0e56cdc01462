// @ts-check
// Give each figure of a page the page's theme and room, and show what follows an answer once it has been given.

/** @typedef {string | [string, Record<string, string>, ...any[]]} Tree a text, or name, attributes and children */

const NARROW = 600; // px, below which a figure has its parts one below the other, as figure.css says
const GRAPH = 520; // px of the canvas with its bars there

/** The element that a tree describes. @param {Tree} tree @returns {Node} */
function built(tree) {
  if (typeof tree === "string") return document.createTextNode(tree);
  const [name, attributes, ...children] = tree;
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.map(built));
  return element;
}

/** The data that a text holds: JSON, deflated, as base64. @param {string} text */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** Show what follows an answer. @param {HTMLElement} section */
async function tell(section) {
  const text = section.dataset.after;
  if (!text) return;
  delete section.dataset.after;
  const { trees } = await unpacked(text);
  section.replaceChildren(...trees.map(built));
  reach(section);
}

// What scrolls sideways, as code and tables do on a phone, has to be reached by the keyboard.
const wide = new ResizeObserver((seen) => {
  for (const { target } of seen)
    if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
});

/** @param {ParentNode} part of the page */
function reach(part) {
  for (const each of part.querySelectorAll(".md-content pre > code, .md-typeset__scrollwrap"))
    wide.observe(each);
}

/** @param {HTMLIFrameElement} frame */
function follow(frame) {
  const root = frame.contentDocument?.documentElement;
  const body = frame.contentDocument?.body;
  if (!root || !body) return;
  root.style.setProperty("--figure-graph", `${GRAPH}px`);
  const look = () => {
    root.style.colorScheme = getComputedStyle(document.body).colorScheme;
  };
  look();
  new MutationObserver(look).observe(document.body, {
    attributes: true,
    attributeFilter: ["data-md-color-scheme"],
  });
  const fit = () => {
    frame.style.height = frame.clientWidth < NARROW ? `${body.scrollHeight + 2}px` : "";
  };
  new ResizeObserver(fit).observe(body);
  new ResizeObserver(fit).observe(frame);
  const told = () => {
    if (root.hasAttribute("data-told"))
      for (const section of document.querySelectorAll(".av-after"))
        tell(/** @type {HTMLElement} */ (section));
  };
  told();
  new MutationObserver(told).observe(root, {
    attributes: true,
    attributeFilter: ["data-told"],
  });
}

addEventListener("load", () => reach(document)); // by then the generator has put tables into boxes
// The generator gives this way the name of its menu.
document.querySelector(".md-path")?.setAttribute("aria-label", "Where this page is");
for (const each of document.querySelectorAll("iframe.av-figure")) {
  const frame = /** @type {HTMLIFrameElement} */ (each);
  frame.addEventListener("load", () => follow(frame));
  if (frame.contentDocument?.readyState === "complete") follow(frame);
}
for (const section of document.querySelectorAll(".av-after"))
  section
    .querySelector("button")
    ?.addEventListener("click", () => tell(/** @type {HTMLElement} */ (section)));
