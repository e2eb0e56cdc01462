// @ts-check
// Outlines of checkpoint regions (dashed) and groups behind the nodes, with a tab each: a region's name,
// policy and run badge, a group's name and its collapse button.

import { POLICIES, shared } from "../../../web/constants.js";
import { keep, svg } from "../../../web/dom.js";
import { framesOf, isGroup, nested } from "../state/frames.js";
import { withFoot } from "../state/tabs.js";
import { opener } from "./groupcard.js";
import { NEAR } from "./levels.js";
import { ON_TAB, stepper, stepperWidth } from "./stepper.js";
import { textWidth } from "./measure.js";
import { outerBox, outlineOf, roundedPath, strangers } from "./outline.js";

/** @typedef {import("../types.js").Region} Region */
/** @typedef {import("../types.js").Frame} Frame */
/** @typedef {import("../types.js").GraphNode} GraphNode */
/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Box} Box */
/** @typedef {import("./levels.js").Level} Level */
/** @typedef {{ region: Frame, corners: Point[], holes: Box[], id: string, unit: number, lift: number }} Shape  `holes`: nodes that it does not hold; `unit`: factor of
 * its tab, which is lifted by `lift` px off those of the frames inside */
/** @typedef {{ root: SVGGraphicsElement, look: string }} Drawn */

const PAD = { inner: shared.frame.pad, level: shared.frame.level, hole: 7 }; // px around the nodes, and more for each region inside
const FONT = 12; // px
const { tab: TAB } = shared.frame; // px, height
const LOW = 16; // px, height of an enlarged one

/** Height of a tab before it is enlarged. @param {number} unit */
const tallOf = (unit) => (unit < WORDS ? TAB : LOW);

/** Draw outlines behind the wires and tabs before them, so that both stay readable.
 * @param {Element} behind @param {Element} before @param {{ outlines: Map<string, Drawn>, tabs: Map<string, Drawn> }} drawn
 * @param {Frame[]} regions @param {GraphNode[]} nodes @param {Level} level */
export function drawRegions(behind, before, { outlines, tabs }, regions, nodes, level) {
  const shapes = shapesOf(regions, nodes, level);
  keep(behind, outlines, shapes, nameOf, begin, (drawn, shape) => redraw(drawn, shape, outline));
  keep(before, tabs, shapes, nameOf, begin, (drawn, shape) => redraw(drawn, shape, tab));
}

/** Shapes of the frames, outermost first. @param {Frame[]} regions @param {GraphNode[]} nodes @param {Level} [level] @returns {Shape[]} */
export function shapesOf(regions, nodes, { unit } = NEAR) {
  const order = nested(regions);
  const deepest = Math.max(0, ...order.map(({ depth }) => depth));
  return order.map(({ frame: region, depth }, i) => {
    const names = new Set(region.nodes);
    const others = nodes.filter(({ id, tab }) => !names.has(id) && !names.has(tab ?? ""));
    const pad = PAD.inner + PAD.level * (deepest - depth);
    const corners = outlineOf(nodes.filter(({ id }) => names.has(id)).map(withFoot), others, pad);
    return { region, corners, holes: strangers(corners, others, PAD.hole), id: `cut-${i}`, unit, lift: Math.max(0, tallOf(unit) * unit - PAD.level) * (deepest - depth) };
  }).filter(({ corners }) => corners.length);
}

/** Bounding box and tab of each region.
 * @param {Frame[]} regions @param {GraphNode[]} nodes @param {Level} [level] @returns {{ name: string, box: Box, tab: Box }[]} */
export const regionBoxes = (regions, nodes, level = NEAR) =>
  shapesOf(regions, nodes, level).map((shape) => {
    const { region, corners, unit } = shape;
    const [x, y] = tabPlace(shape);
    return { name: region.name, box: outerBox(corners), tab: { x, y, w: widthsOf(region, unit).end * unit, h: tallOf(unit) * unit } };
  });

/** The tab of a region or a group, if it is drawn.
 * @param {{ regions: import("../types.js").Region[],
 * groups: import("../types.js").Group[], nodes: GraphNode[] }} seen @param {string} name @returns {Box | undefined} */
export const tabOf = (seen, name) => regionBoxes(framesOf(seen), seen.nodes).find((box) => box.name === name)?.tab;

/** @param {Shape} shape */
const nameOf = ({ region }) => region.name;

/** @param {Shape} shape @returns {Drawn} */
const begin = ({ region }) => ({ root: svg("g", { "data-region": region.name }), look: "" });

/** @param {Drawn} drawn @param {Shape} shape @param {(shape: Shape) => Element} make */
function redraw(drawn, shape, make) {
  const look = JSON.stringify(shape);
  if (look === drawn.look) return;
  drawn.look = look;
  const kind = isGroup(shape.region) ? "Group" : "Checkpoint region";
  drawn.root.setAttribute("class", `region${isGroup(shape.region) ? " group-frame" : ""}${shape.region.problem ? " wrong" : ""}`);
  drawn.root.replaceChildren(svg("title", {}, shape.region.problem ?? `${kind} ${shape.region.name}`), make(shape));
}

/** @param {Shape} shape */
function outline({ corners, holes, id }) {
  const line = svg("path", { class: "outline", d: roundedPath(corners, 16), mask: holes.length ? `url(#${id})` : null });
  if (!holes.length) return line;
  const { x, y, w, h } = outerBox(corners);
  const all = { x: x - 4, y: y - 4, width: w + 8, height: h + 8 };
  const cuts = holes.map((hole) => svg("rect", { x: hole.x, y: hole.y, width: hole.w, height: hole.h, rx: 14, fill: "black" }));
  return svg("g", {}, svg("mask", { id, maskUnits: "userSpaceOnUse", ...all }, svg("rect", { ...all, fill: "white" }), ...cuts), line);
}

/** Top-left corner of the tab: an enlarged one grows upwards. @param {Shape} shape @returns {Point} */
const tabPlace = ({ corners: [[x, y]], unit, lift }) => [x + 14, y + tallOf(unit) / 2 - tallOf(unit) * unit - lift];

const WORDS = 1.5; // unit up to which a tab has more than its name

/** @param {Frame} region @param {number} unit */
function textsOf(region, unit) {
  if (isGroup(region)) return { text: [region.name, region.problem && "cuts through another"].filter(Boolean).join(" · "), badge: "" };
  const { name, policy, badge, problem, fault } = region;
  const words = [name, unit < WORDS && (POLICIES[policy]?.mark ?? policy), problem && (fault ?? "cannot run")];
  return { text: words.filter(Boolean).join(" · "), badge: badge?.replace(/^x/, "×") ?? "" };
}

/** Px of the label, of the badge, and of both, before they are enlarged.
 * @param {Frame} region @param {number} unit */
function widthsOf(region, unit) {
  const { text, badge } = textsOf(region, unit);
  const w = textWidth(text, FONT) * 1.03 + 38;
  const b = badge ? textWidth(badge, FONT) * 1.06 + 16 : 0;
  const steps = isGroup(region) && region.branches ? stepperWidth(region.branches.length, ON_TAB) + 6 : 0;
  return { w, b, end: w + (b ? b + 4 : 0) + steps };
}

/** @param {Shape} shape */
const placed = (shape) => `translate(${tabPlace(shape).join(" ")})${shape.unit > 1 ? ` scale(${shape.unit.toFixed(3)})` : ""}`;

/** @param {Shape} shape */
function tab(shape) {
  const { region, unit } = shape;
  if (isGroup(region)) return groupTab(region, shape);
  const { text, badge } = textsOf(region, unit);
  const { w, b } = widthsOf(region, unit);
  const h = tallOf(unit);
  const parts = [svg("rect", { class: "tab-back", width: w, height: h, rx: h / 2 }), svg("text", { x: 10, y: h / 2 + 4 }, text)];
  if (badge) {
    parts.push(svg("rect", { class: "badge", x: w + 4, width: b, height: h, rx: h / 2 }));
    parts.push(svg("text", { class: "badge-text", x: w + 4 + b / 2, y: h / 2 + 4 }, badge));
  }
  const more = svg("path", { class: "more", d: "M0 0l4 4 4-4", transform: `translate(${w - 16} ${h / 2 - 2})` });
  return svg("g", {
    class: "tab", transform: placed(shape), tabindex: 0, role: "button", "aria-haspopup": "dialog",
    "aria-label": [`Checkpoint region ${region.name}, holds ${region.nodes.join(", ")}`, badge && `runs ${badge}`, region.problem].filter(Boolean).join(", "),
  }, ...parts, more);
}

/** The tab of a group: a click on the triangle collapses the group; on the name it selects the group's nodes.
 * @param {import("../types.js").Group} group @param {Shape} shape */
function groupTab(group, shape) {
  const { w, end } = widthsOf(group, shape.unit);
  const h = tallOf(shape.unit);
  const { branches } = group;
  const what = branches ? `Group of ${branches.length} branches ${group.name}: ${branches.join(", ")}` : `Group ${group.name}, holds ${group.nodes.join(", ")}`;
  return svg("g", {
    class: "tab group-tab", transform: placed(shape), tabindex: 0, role: "button", "aria-expanded": "true",
    "aria-label": [what, group.alone && `only ${group.alone} is trained`, group.problem].filter(Boolean).join(", "),
  }, svg("rect", { class: "tab-back", width: end, height: h, rx: 6 }), opener(14, h / 2, true), svg("text", { x: 26, y: h / 2 + 4 }, textsOf(group, shape.unit).text),
  branches ? stepper(group.name, branches.length, w, h / 2, ON_TAB) : "");
}
