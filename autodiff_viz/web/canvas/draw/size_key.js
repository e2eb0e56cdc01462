// @ts-check
// Fill cards that are seen from far by the size of a quantity, with a legend at the foot of the canvas in which the
// quantity is chosen.

import { html, setText } from "../../base/dom.js";
import { scalar } from "../../base/numbers.js";
import { QUANTITIES, sizesBy, STEPS } from "../state/sizes.js";
import { isFar } from "./levels.js";

/** @typedef {import("../editor.js").Editor} Editor */
/** @typedef {import("../state/sizes.js").Quantity} Quantity */

/** @type {[kind: string, says: string][]} */
const KINDS = [
  ["zero", "0"],
  ["none", "none"],
  ["nonfinite", "NaN or \u221e"],
];

/** @param {Editor} editor */
export function fillBySize(editor) {
  const { host } = editor.stage;
  const choice = /** @type {HTMLSelectElement} */ (
    html(
      "select",
      { "aria-label": "Fill cards by the size of" },
      ...QUANTITIES.map((name) => html("option", { value: name }, name)),
    )
  );
  const [least, most] = [html("span"), html("span")];
  const ramp = html(
    "span",
    { class: "ramp", "aria-hidden": "true" },
    ...Array.from({ length: STEPS }, (_, i) => swatch(String(i))),
  );
  const others = KINDS.map(
    ([kind, says]) =>
      /** @type {[string, HTMLElement]} */ ([kind, html("span", {}, swatch(kind), says)]),
  );
  const key = html(
    "div",
    { class: "size-key", role: "group", "aria-label": "Legend of the cards" },
    html("label", {}, "Size of ", choice),
    html("span", { class: "range" }, least, ramp, most),
    ...others.map(([, part]) => part),
  );
  host.append(key);
  /** @type {{ nodes: object | null, quantity: string }} what the cards are filled by */
  let filled = { nodes: null, quantity: "" };
  const fill = () => {
    const { seen, stage, dragged } = editor;
    const quantity = /** @type {Quantity} */ (choice.value);
    if (
      !isFar(stage.level) ||
      dragged ||
      (filled.nodes === seen.nodes && filled.quantity === quantity)
    )
      return;
    filled = { nodes: seen.nodes, quantity };
    const sizes = sizesBy(seen.nodes, quantity);
    for (const [id, { root }] of stage.cards)
      root.setAttribute("data-size", sizes.classes.get(id) ?? "none");
    host.dataset.sizes = quantity;
    setText(least, sizes.least < sizes.most ? scalar(sizes.least, 2) : "");
    setText(most, sizes.most ? scalar(sizes.most, 2) : "");
    for (const [kind, part] of others) part.hidden = !sizes.kinds.has(kind);
  };
  choice.addEventListener("change", fill);
  editor.watchers.push(fill);
  new MutationObserver(fill).observe(host, { attributeFilter: ["data-detail"] }); // a zoom draws for its level when it rests
}

/** @param {string} kind */
const swatch = (kind) => html("span", { class: "swatch", "data-size": kind });
