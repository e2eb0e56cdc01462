// @ts-check
// Checkpoint regions: dashed outlines behind the nodes, with name, policy and run badge on a tab.

import { keep, svg } from "./dom.js";
import { textWidth } from "./measure.js";
import { outlineOf, roundedPath } from "./outline.js";

/** @typedef {import("./types.js").Region} Region */
/** @typedef {import("./types.js").GraphNode} GraphNode */
/** @typedef {{ root: SVGGraphicsElement, look: string }} Outline */

const PAD = { inner: 24, level: 28 }; // px round the nodes, and more for each region inside
const FONT = 12; // px
const POLICIES = /** @type {Record<string, string>} */ ({
  nothing_saveable: "", everything_saveable: "keeps everything", dots_saveable: "keeps dots",
  save_only_these_names: "keeps names",
});

/** @param {Element} layer @param {Map<string, Outline>} outlines @param {Region[]} regions
 * @param {GraphNode[]} nodes */
export function drawRegions(layer, outlines, regions, nodes) {
  const deepest = Math.max(0, ...regions.map((region) => region.depth));
  const outerFirst = [...regions].sort((a, b) => a.depth - b.depth);
  keep(layer, outlines, outerFirst, (region) => region.name,
    ({ name }) => ({ root: svg("g", { "data-region": name }), look: "" }),
    (outline, region) => updateOutline(outline, region, nodes, PAD.inner + PAD.level * (deepest - region.depth)));
}

/** @param {Outline} outline @param {Region} region @param {GraphNode[]} nodes @param {number} pad */
function updateOutline(outline, region, nodes, pad) {
  const names = new Set(region.nodes);
  const corners = outlineOf(nodes.filter(({ id }) => names.has(id)), nodes.filter(({ id }) => !names.has(id)), pad);
  const look = JSON.stringify([corners, region]);
  if (look === outline.look) return;
  outline.look = look;
  outline.root.setAttribute("class", `region${region.problem ? " wrong" : ""}`);
  const children = corners.length ? [svg("path", { class: "outline", d: roundedPath(corners, 16) }), tab(region, corners[0])] : [];
  outline.root.replaceChildren(svg("title", {}, region.problem ?? `checkpoint region ${region.name}`), ...children);
}

/** @param {Region} region @param {import("./types.js").Point} corner top left */
function tab(region, [x, y]) {
  const badge = region.badge?.replace(/^x/, "×") ?? "";
  const policy = POLICIES[region.policy] ?? region.policy;
  const text = [region.name, policy, region.problem && "not valid"].filter(Boolean).join(" · ");
  const w = textWidth(text, FONT) + 20;
  const b = textWidth(badge, FONT) + 16;
  const parts = [svg("rect", { class: "tab-back", width: w, height: 22, rx: 11 }), svg("text", { x: 9, y: 15 }, text)];
  if (badge) parts.push(svg("rect", { class: "badge", x: w + 4, width: b, height: 22, rx: 11 }), svg("text", { class: "badge-text", x: w + 4 + b / 2, y: 15 }, badge));
  const end = w + 4 + (badge ? b + 4 : 0);
  const remove = svg("g", { class: "remove", transform: `translate(${end} 0)` },
    svg("rect", { width: 22, height: 22, rx: 11 }), svg("path", { d: "M7.5 7.5l7 7M14.5 7.5l-7 7" }),
    svg("title", {}, `Remove the checkpoint region ${region.name}`));
  return svg("g", { class: "tab", transform: `translate(${x + 14} ${y - 11})` }, ...parts, remove);
}
