// @ts-check
// Checkpoint regions: dashed outlines behind the nodes, with name, policy and run badge on a tab.

import { keep, svg } from "../../web/dom.js";
import { textWidth } from "./measure.js";
import { bounds } from "./geometry.js";
import { outlineOf, roundedPath } from "./outline.js";

/** @typedef {import("./types.js").Region} Region */
/** @typedef {import("./types.js").GraphNode} GraphNode */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./types.js").Box} Box */
/** @typedef {{ region: Region, corners: Point[] }} Shape */
/** @typedef {{ root: SVGGraphicsElement, look: string }} Drawn */

const PAD = { inner: 24, level: 28 }; // px round the nodes, and more for each region inside
const FONT = 12; // px
const TAB = 22; // px, height
/** @type {Record<string, string>} */
const POLICIES = {
  nothing_saveable: "", everything_saveable: "keeps everything", dots_saveable: "keeps dots",
  save_only_these_names: "keeps names",
};

/** Outlines go behind the wires, tabs before them, so that both stay readable.
 * @param {Element} behind @param {Element} before @param {{ outlines: Map<string, Drawn>, tabs: Map<string, Drawn> }} drawn
 * @param {Region[]} regions @param {GraphNode[]} nodes */
export function drawRegions(behind, before, { outlines, tabs }, regions, nodes) {
  const shapes = shapesOf(regions, nodes);
  keep(behind, outlines, shapes, nameOf, begin, (drawn, shape) => redraw(drawn, shape, outline));
  keep(before, tabs, shapes, nameOf, begin, (drawn, shape) => redraw(drawn, shape, tab));
}

/** Outer regions first. @param {Region[]} regions @param {GraphNode[]} nodes @returns {Shape[]} */
function shapesOf(regions, nodes) {
  const deepest = Math.max(0, ...regions.map((region) => region.depth));
  return [...regions].sort((a, b) => a.depth - b.depth).map((region) => ({
    region, corners: cornersOf(region, nodes, PAD.inner + PAD.level * (deepest - region.depth)),
  })).filter(({ corners }) => corners.length);
}

/** What each region covers, and its tab.
 * @param {Region[]} regions @param {GraphNode[]} nodes @returns {{ box: Box, tab: Box }[]} */
export const regionBoxes = (regions, nodes) =>
  shapesOf(regions, nodes).map(({ region, corners }) => {
    const [x, y] = tabPlace(corners);
    const box = /** @type {Box} */ (bounds(corners.map((corner) => ({ x: corner[0], y: corner[1], w: 0, h: 0 }))));
    return { box, tab: { x, y, w: widthsOf(region).end, h: TAB } };
  });

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

/** Top-left corner of the tab. @param {Point[]} corners @returns {Point} */
const tabPlace = ([[x, y]]) => [x + 14, y - TAB / 2];

/** @param {Region} region */
function textsOf({ name, policy, badge, problem, fault }) {
  const words = [name, POLICIES[policy] ?? policy, problem && (fault ?? "cannot run")];
  return { text: words.filter(Boolean).join(" · "), badge: badge?.replace(/^x/, "×") ?? "" };
}

/** Px of the label and the badge, and where the button after them begins.
 * @param {Region} region */
function widthsOf(region) {
  const { text, badge } = textsOf(region);
  const w = textWidth(text, FONT) * 1.03 + 20;
  const b = badge ? textWidth(badge, FONT) * 1.06 + 16 : 0;
  return { w, b, end: w + (b ? b + 4 : 0) + 4 };
}

/** @param {Shape} shape */
function tab({ region, corners }) {
  const { text, badge } = textsOf(region);
  const { w, b, end } = widthsOf(region);
  const parts = [svg("rect", { class: "tab-back", width: w, height: TAB, rx: 11 }), svg("text", { x: 10, y: 15 }, text)];
  if (badge) {
    parts.push(svg("rect", { class: "badge", x: w + 4, width: b, height: TAB, rx: 11 }));
    parts.push(svg("text", { class: "badge-text", x: w + 4 + b / 2, y: 15 }, badge));
  }
  const remove = svg("g", { class: "remove", transform: `translate(${end} 0)` },
    svg("rect", { width: TAB, height: TAB, rx: 11 }), svg("path", { d: "M7.5 7.5l7 7M14.5 7.5l-7 7" }),
    svg("title", {}, `Remove the checkpoint region ${region.name}`));
  return svg("g", { class: "tab", transform: `translate(${tabPlace(corners).join(" ")})` }, ...parts, remove);
}
