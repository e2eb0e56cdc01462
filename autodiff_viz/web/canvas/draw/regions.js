// @ts-check
// Draw the outlines of checkpoint regions (dashed) and groups behind the nodes, with a tab each: a region's
// name, policy and run badge, a group's name and its collapse button.

import { POLICIES, shared } from "../../base/constants.js";
import { keep, svg } from "../../base/dom.js";
import { textWidth } from "../../base/numbers.js";
import { hasChips } from "../state/fold.js";
import { framesOf, isGroup, nested } from "../state/frames.js";
import {
  outerBox,
  outlineOf,
  overlap,
  roundedPath,
  overlappingOutsiders,
} from "../state/geometry.js";
import { boxWithTabs } from "../state/tabs.js";
import { NAME_GAP, chipsBox, footBox, inkTop, titleBox } from "./face.js";
import { ON_TAB, expandTriangle, stepper, stepperWidth } from "./group_card.js";
import { NEAR } from "./levels.js";
import { droppedText, spokenRuns } from "./runs.js";

/** @typedef {import("../../types.js").Region} Region */
/** @typedef {import("../../types.js").Frame} Frame */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {import("../../types.js").Box} Box */
/** @typedef {import("./levels.js").Level} Level */
/**
 * @typedef {object} Shape
 * @property {Frame} region
 * @property {Point[]} corners
 * @property {Box[]} holes nodes that it does not hold
 * @property {string} id
 * @property {number} unit factor of its tab
 * @property {Box} at its tab, of no size where it is drawn without one
 */
/** @typedef {{ root: SVGGraphicsElement, look: string }} Drawn */

const PAD = { inner: shared.frame.pad, level: shared.frame.level, hole: 7 }; // px around the nodes, and more for each region inside
const FONT = 12; // px
const { tab: TAB } = shared.frame; // px, height
const LOW = 16; // px, height of an enlarged one
const CHIP = 24; // px of a chip above a card, at most
const ASIDE = 14; // px from the frame's corner to its tab
const NUMBERS_ALONE = new Set(["few", "one", "far", "boxes"]); // details at which a card has its name above it, or none

/** Height of a tab before it is enlarged. @param {number} unit */
const tallOf = (unit) => (unit < WORDS ? TAB : LOW);

/** Draw outlines behind the wires and tabs before them, so that both stay readable.
 * @param {Element} behind @param {Element} before @param {{ outlines: Map<string, Drawn>, tabs: Map<string, Drawn> }} drawn
 * @param {Frame[]} regions @param {GraphNode[]} nodes @param {Level} level */
export function drawRegions(behind, before, { outlines, tabs }, regions, nodes, level) {
  const shapes = shapesOf(regions, nodes, level);
  keep(behind, outlines, shapes, nameOf, begin, (drawn, shape) => redraw(drawn, shape, outline));
  keep(
    before,
    tabs,
    shapes.filter(({ at }) => at.w),
    nameOf,
    begin,
    (drawn, shape) => redraw(drawn, shape, tab),
  );
}

/** Shapes of the frames, outermost first. @param {Frame[]} regions @param {GraphNode[]} nodes @param {Level} [level] @returns {Shape[]} */
export function shapesOf(regions, nodes, level = NEAR) {
  const { unit } = level;
  const order = nested(regions);
  const deepest = Math.max(0, ...order.map(({ depth }) => depth));
  const silent = withoutTabs(regions, level);
  const highest = Math.max(
    0,
    ...order.filter(({ frame }) => !silent.has(frame)).map(({ depth }) => depth),
  );
  const covers = nodes.flatMap((node) => coversOf(node, level));
  const cost = (/** @type {Box} */ place) => covers.filter((box) => overlap(place, box)).length;
  return order.flatMap(({ frame: region, depth }, i) => {
    const names = new Set(region.nodes);
    const others = nodes.filter(({ id, tab }) => !names.has(id) && !names.has(tab ?? ""));
    const pad = PAD.inner + PAD.level * (deepest - depth);
    const own = nodes.filter(({ id }) => names.has(id)).map(boxWithTabs);
    const corners = outlineOf(own, others, pad);
    if (!corners.length) return [];
    const lift = Math.max(0, tallOf(unit) * unit - PAD.level) * Math.max(0, highest - depth);
    const down = nodes.some((node) => node.down);
    const [at] = tabPlaces(corners, region, level, lift, down).sort((a, b) => cost(a) - cost(b));
    if (silent.has(region)) at.w = at.h = 0;
    else covers.push(at); // the tabs of frames inside find another place
    return {
      region,
      corners,
      holes: overlappingOutsiders(corners, others, PAD.hole),
      id: `cut-${i}`,
      unit,
      at,
    };
  });
}

/** The branches, where cards say their numbers alone: the tab of their group says what they are, and theirs would cover names.
 * @param {Frame[]} frames @param {Level} level @returns {Set<Frame>} */
function withoutTabs(frames, { detail }) {
  if (!NUMBERS_ALONE.has(detail)) return new Set();
  const branches = new Set(
    frames.flatMap((frame) => (isGroup(frame) ? (frame.branches ?? []) : [])),
  );
  return new Set(frames.filter((frame) => isGroup(frame) && branches.has(frame.name)));
}

/** Bounding box of each region, and its tab, of no size where it has none.
 * @param {Frame[]} regions @param {GraphNode[]} nodes @param {Level} [level] @returns {{ name: string, box: Box, tab: Box }[]} */
export const regionBoxes = (regions, nodes, level = NEAR) =>
  shapesOf(regions, nodes, level).map(({ region: { name }, corners, at: tab }) => ({
    name,
    box: outerBox(corners),
    tab,
  }));

/** The tab of a region or a group, if it is drawn.
 * @param {{ regions: import("../../types.js").Region[],
 * groups: import("../../types.js").Group[], nodes: GraphNode[] }} seen @param {string} name @returns {Box | undefined} */
export const tabOf = (seen, name) =>
  regionBoxes(framesOf(seen), seen.nodes).find((box) => box.name === name)?.tab;

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
  drawn.root.setAttribute(
    "class",
    `region${isGroup(shape.region) ? " group-frame" : ""}${shape.region.problem ? " wrong" : ""}`,
  );
  drawn.root.replaceChildren(
    svg("title", {}, shape.region.problem ?? `${kind} ${shape.region.name}`),
    make(shape),
  );
}

/** @param {Shape} shape */
function outline({ corners, holes, id }) {
  const line = svg("path", {
    class: "outline",
    d: roundedPath(corners, 16),
    mask: holes.length ? `url(#${id})` : null,
  });
  if (!holes.length) return line;
  const { x, y, w, h } = outerBox(corners);
  const all = { x: x - 4, y: y - 4, width: w + 8, height: h + 8 };
  const cuts = holes.map((hole) =>
    svg("rect", { x: hole.x, y: hole.y, width: hole.w, height: hole.h, rx: 14, fill: "black" }),
  );
  return svg(
    "g",
    {},
    svg(
      "mask",
      { id, maskUnits: "userSpaceOnUse", ...all },
      svg("rect", { ...all, fill: "white" }),
      ...cuts,
    ),
    line,
  );
}

/** What a tab shall not cover: a card, the name above it and its chips. @param {GraphNode} node @param {Level} level @returns {Box[]} */
function coversOf(node, level) {
  const { detail } = level;
  const boxes = [
    node,
    hasChips(node) && detail !== "one" && chipsBox(node, level, inkTop(node, level)),
    footBox(node, level),
    detail === "few" && !node.tab && titleBox(node, level),
  ];
  return /** @type {Box[]} */ (boxes.filter(Boolean));
}

/** Where the tab of a frame may be, the usual place first: an enlarged one grows upwards. It may be higher, above the
 * chips of cards or their names, at the frame's other end, or at its foot. @param {Point[]} corners @param {Frame} region @param {Level} level
 * @param {number} lift px off the tabs of the frames inside @param {boolean} down whether wires come from above: it is beside them
 * @returns {Box[]} */
function tabPlaces(corners, region, { unit, text, detail }, lift, down) {
  const [[x, y]] = corners;
  const size = { w: widthsOf(region, unit).end * unit, h: tallOf(unit) * unit };
  const usual = { x: x + ASIDE, y: y + tallOf(unit) / 2 - size.h - lift, ...size };
  const box = outerBox(corners);
  // The outline has steps: at its other end, and at its foot, a tab is on the edge that is there.
  const right = box.x + box.w - size.w - ASIDE;
  const left = x - ASIDE;
  const step = Math.min(...corners.flatMap(([cx, cy]) => (cx > right ? cy : []))) - y;
  const foot = Math.max(...corners.flatMap(([cx, cy]) => (cx < left + size.w ? cy : [])));
  const low = foot - tallOf(unit) / 2;
  const above = detail === "few" ? text + NAME_GAP : CHIP * unit;
  const higher = usual.y - above - tallOf(unit) / 2 + PAD.inner;
  const beside = { ...usual, x: box.x - size.w + ASIDE, y: box.y - lift };
  return [
    ...(down ? [beside] : []),
    usual,
    { ...usual, y: higher },
    { ...usual, x: right, y: usual.y + step },
    { ...usual, x: right, y: higher + step },
    { ...usual, x: left, y: low },
    { ...usual, x: left, y: low + CHIP * unit },
    beside,
  ];
}

const WORDS = 1.5; // unit up to which a tab has more than its name

/** @param {Frame} region @param {number} unit */
function textsOf(region, unit) {
  if (isGroup(region))
    return {
      text: [region.name, region.problem && "cuts through another"].filter(Boolean).join(" · "),
      badge: "",
    };
  const { name, policy, badge, dropped, problem, fault } = region;
  const words = [
    name,
    unit < WORDS && (POLICIES[policy]?.mark ?? policy),
    problem && (fault ?? "cannot run"),
  ];
  return {
    text: words.filter(Boolean).join(" · "),
    badge: badge?.replace(/^x/, "×") ?? droppedText(dropped),
  };
}

/** Px of the label, of the badge, and of both, before they are enlarged.
 * @param {Frame} region @param {number} unit */
function widthsOf(region, unit) {
  const { text, badge } = textsOf(region, unit);
  const w = textWidth(text, FONT) * 1.03 + 38;
  const b = badge ? textWidth(badge, FONT) * 1.06 + 16 : 0;
  const steps =
    isGroup(region) && region.branches ? stepperWidth(region.branches.length, ON_TAB) + 6 : 0;
  return { w, b, end: w + (b ? b + 4 : 0) + steps };
}

/** @param {Shape} shape */
const placed = (shape) =>
  `translate(${shape.at.x} ${shape.at.y})${shape.unit > 1 ? ` scale(${shape.unit.toFixed(3)})` : ""}`;

/** @param {Shape} shape */
function tab(shape) {
  const { region, unit } = shape;
  if (isGroup(region)) return groupTab(region, shape);
  const { text, badge } = textsOf(region, unit);
  const { w, b } = widthsOf(region, unit);
  const h = tallOf(unit);
  const parts = [
    svg("rect", { class: "tab-back", width: w, height: h, rx: h / 2 }),
    svg("text", { x: 10, y: h / 2 + 4 }, text),
  ];
  if (badge) {
    const hollow = region.badge ? "" : " dropped";
    parts.push(svg("rect", { class: `badge${hollow}`, x: w + 4, width: b, height: h, rx: h / 2 }));
    parts.push(
      svg("text", { class: `badge-text${hollow}`, x: w + 4 + b / 2, y: h / 2 + 4 }, badge),
    );
  }
  const more = svg("path", {
    class: "more",
    d: "M0 0l4 4 4-4",
    transform: `translate(${w - 16} ${h / 2 - 2})`,
  });
  return svg(
    "g",
    {
      class: "tab",
      transform: placed(shape),
      tabindex: 0,
      role: "button",
      "aria-haspopup": "dialog",
      "aria-label": [
        `Checkpoint region ${region.name}, holds ${region.nodes.join(", ")}`,
        spokenRuns({ runs: region.badge, dropped: region.dropped }),
        region.problem,
      ]
        .filter(Boolean)
        .join(", "),
    },
    ...parts,
    more,
  );
}

/** The tab of a group: a click on the triangle collapses the group; on the name it selects the group's nodes.
 * @param {import("../../types.js").Group} group @param {Shape} shape */
function groupTab(group, shape) {
  const { w, end } = widthsOf(group, shape.unit);
  const h = tallOf(shape.unit);
  const { branches } = group;
  const what = branches
    ? `Group of ${branches.length} branches ${group.name}: ${branches.join(", ")}`
    : `Group ${group.name}, holds ${group.nodes.join(", ")}`;
  return svg(
    "g",
    {
      class: "tab group-tab",
      transform: placed(shape),
      tabindex: 0,
      role: "button",
      "aria-expanded": "true",
      "aria-label": [what, group.alone && `only ${group.alone} is trained`, group.problem]
        .filter(Boolean)
        .join(", "),
    },
    svg("rect", { class: "tab-back", width: end, height: h, rx: 6 }),
    expandTriangle(14, h / 2, true),
    svg("text", { x: 26, y: h / 2 + 4 }, textsOf(group, shape.unit).text),
    branches ? stepper(group.name, branches.length, w, h / 2, ON_TAB) : "",
  );
}
