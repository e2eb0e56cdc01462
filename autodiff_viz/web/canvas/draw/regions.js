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
import { chipsBox, footBox, inkTop, titleBox } from "./face.js";
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
 * @property {Point} at top-left corner of its tab
 * @property {boolean} silent whether it is drawn without a tab
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
    shapes.filter(({ silent }) => !silent),
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
  const silent = withoutTabs(
    order.map(({ frame }) => frame),
    level,
  );
  const highest = Math.max(
    0,
    ...order.filter(({ frame }) => !silent.has(frame)).map(({ depth }) => depth),
  );
  const covers = nodes.flatMap((node) => coversOf(node, level));
  return order
    .map(({ frame: region, depth }, i) => {
      const names = new Set(region.nodes);
      const others = nodes.filter(({ id, tab }) => !names.has(id) && !names.has(tab ?? ""));
      const pad = PAD.inner + PAD.level * (deepest - depth);
      const corners = outlineOf(
        nodes.filter(({ id }) => names.has(id)).map(boxWithTabs),
        others,
        pad,
      );
      const lift = Math.max(0, tallOf(unit) * unit - PAD.level) * Math.max(0, highest - depth);
      /** @type {Point} */
      const at = corners.length
        ? freePlace(
            tabPlaces(
              corners,
              region,
              level,
              lift,
              nodes.some(({ down }) => down),
            ),
            covers,
          )
        : [0, 0];
      return {
        region,
        corners,
        holes: overlappingOutsiders(corners, others, PAD.hole),
        id: `cut-${i}`,
        unit,
        at,
        silent: silent.has(region),
      };
    })
    .filter(({ corners }) => corners.length);
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
  shapesOf(regions, nodes, level).map((shape) => {
    const { region, corners, unit, silent } = shape;
    const [x, y] = shape.at;
    if (silent) return { name: region.name, box: outerBox(corners), tab: { x, y, w: 0, h: 0 } };
    return {
      name: region.name,
      box: outerBox(corners),
      tab: { x, y, w: widthsOf(region, unit).end * unit, h: tallOf(unit) * unit },
    };
  });

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
  const foot = footBox(node, level);
  const chips = [
    ...(hasChips(node) && level.detail !== "one"
      ? [chipsBox(node, level, inkTop(node, level))]
      : []),
    ...(foot ? [foot] : []),
  ];
  return level.detail === "few" && !node.tab
    ? [node, titleBox(node, level), ...chips]
    : [node, ...chips];
}

/** Where the tab of a frame may be, the usual place first: an enlarged one grows upwards. It may be higher, above the
 * chips of cards or their names, at the frame's other end, or at its foot. @param {Point[]} corners @param {Frame} region @param {Level} level
 * @param {number} lift px off the tabs of the frames inside @param {boolean} down whether wires come from above: it is beside them
 * @returns {[Box, ...Box[]]} */
function tabPlaces(corners, region, { unit, text, detail }, lift, down) {
  const [[x, y]] = corners;
  const size = { w: widthsOf(region, unit).end * unit, h: tallOf(unit) * unit };
  const usual = { x: x + ASIDE, y: y + tallOf(unit) / 2 - size.h - lift, ...size };
  const box = outerBox(corners);
  const [right, low] = [box.x + box.w - size.w - ASIDE, box.y + box.h - tallOf(unit) / 2];
  const names = usual.y - tallOf(unit) / 2 - text + PAD.inner;
  const higher =
    detail === "few" ? names : usual.y - Math.max(0, CHIP * unit + tallOf(unit) / 2 - PAD.inner);
  const beside = { ...usual, x: box.x - size.w + ASIDE, y: box.y - lift };
  /** @type {[Box, ...Box[]]} */
  const places = [
    usual,
    { ...usual, y: higher },
    { ...usual, x: right },
    { ...usual, x: right, y: higher },
    { ...usual, x: x - ASIDE, y: low },
    { ...usual, x: x - ASIDE, y: low + CHIP * unit },
    beside,
  ];
  return down ? [beside, ...places] : places;
}

/** The first of the places that covers least. @param {[Box, ...Box[]]} places @param {Box[]} covers @returns {Point} */
function freePlace(places, covers) {
  const costs = places.map((place) => covers.filter((box) => overlap(place, box)).length);
  const { x, y } = places[costs.indexOf(Math.min(...costs))];
  return [x, y];
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
  `translate(${shape.at.join(" ")})${shape.unit > 1 ? ` scale(${shape.unit.toFixed(3)})` : ""}`;

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
