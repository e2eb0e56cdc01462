// @ts-check
// Checkpoint regions: dashed outlines behind the nodes, with name, policy and run badge on a tab.

import { keep, svg } from "./dom.js";
import { textWidth } from "./measure.js";
import { outlineOf, roundedPath } from "./outline.js";

/** @typedef {import("./types.js").Region} Region */
/** @typedef {import("./types.js").GraphNode} GraphNode */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {{ region: Region, corners: Point[] }} Shape */
/** @typedef {{ root: SVGGraphicsElement, look: string }} Drawn */

const PAD = { inner: 24, level: 28 }; // px round the nodes, and more for each region inside
const FONT = 12; // px
/** @type {Record<string, string>} */
const POLICIES = {
  nothing_saveable: "", everything_saveable: "keeps everything", dots_saveable: "keeps dots",
  save_only_these_names: "keeps names",
};

/** Outlines go behind the wires, tabs before them, so that both stay readable.
 * @param {Element} behind @param {Element} before @param {{ outlines: Map<string, Drawn>, tabs: Map<string, Drawn> }} drawn
 * @param {Region[]} regions @param {GraphNode[]} nodes */
export function drawRegions(behind, before, { outlines, tabs }, regions, nodes) {
  const deepest = Math.max(0, ...regions.map((region) => region.depth));
  const shapes = [...regions].sort((a, b) => a.depth - b.depth).map((region) => ({
    region, corners: cornersOf(region, nodes, PAD.inner + PAD.level * (deepest - region.depth)),
  })).filter(({ corners }) => corners.length);
  keep(behind, outlines, shapes, nameOf, begin, (drawn, shape) => redraw(drawn, shape, outline));
  keep(before, tabs, shapes, nameOf, begin, (drawn, shape) => redraw(drawn, shape, tab));
}

/** @param {Shape} shape */
const nameOf = ({ region }) => region.name;

/** @param {Shape} shape @returns {Drawn} */
const begin = ({ region }) => ({ root: svg("g", { "data-region": region.name }), look: "" });

/** @param {Region} region @param {GraphNode[]} nodes @param {number} pad */
function cornersOf(region, nodes, pad) {
  const names = new Set(region.nodes);
  return outlineOf(nodes.filter(({ id }) => names.has(id)), nodes.filter(({ id }) => !names.has(id)), pad);
}

/** @param {Drawn} drawn @param {Shape} shape @param {(shape: Shape) => Element} make */
function redraw(drawn, shape, make) {
  const look = JSON.stringify(shape);
  if (look === drawn.look) return;
  drawn.look = look;
  drawn.root.setAttribute("class", `region${shape.region.problem ? " wrong" : ""}`);
  drawn.root.replaceChildren(svg("title", {}, shape.region.problem ?? `Checkpoint region ${shape.region.name}`), make(shape));
}

/** @param {Shape} shape */
const outline = ({ corners }) => svg("path", { class: "outline", d: roundedPath(corners, 16) });

/** @param {Shape} shape */
function tab({ region, corners: [[x, y]] }) {
  const badge = region.badge?.replace(/^x/, "×") ?? "";
  const policy = POLICIES[region.policy] ?? region.policy;
  const text = [region.name, policy, region.problem && "not valid"].filter(Boolean).join(" · ");
  const w = textWidth(text, FONT) + 20;
  const b = textWidth(badge, FONT) + 16;
  const parts = [svg("rect", { class: "tab-back", width: w, height: 22, rx: 11 }), svg("text", { x: 9, y: 15 }, text)];
  if (badge) {
    parts.push(svg("rect", { class: "badge", x: w + 4, width: b, height: 22, rx: 11 }));
    parts.push(svg("text", { class: "badge-text", x: w + 4 + b / 2, y: 15 }, badge));
  }
  const end = w + 4 + (badge ? b + 4 : 0);
  const remove = svg("g", { class: "remove", transform: `translate(${end} 0)` },
    svg("rect", { width: 22, height: 22, rx: 11 }), svg("path", { d: "M7.5 7.5l7 7M14.5 7.5l-7 7" }),
    svg("title", {}, `Remove the checkpoint region ${region.name}`));
  return svg("g", { class: "tab", transform: `translate(${x + 14} ${y - 11})` }, ...parts, remove);
}
