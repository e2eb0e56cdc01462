// @ts-check
// Draw the card of a collapsed group: a second edge behind it shows that there is more inside, and its ports
// have names.

import { RULES, shared } from "../../base/constants.js";
import { setText, svg } from "../../base/dom.js";
import { shortenedName, textWidth } from "../../base/numbers.js";
import { outputPoint, slotPoint } from "../state/geometry.js";
import { chipWidth, FLAG, TALL } from "./face.js";
import { isBare } from "./levels.js";
import { droppedText } from "./runs.js";

// The stepper of a group of branches, on the group's tab and card: their number, with a button for one less
// and one more.

/**
 * Sizes in px.
 *
 * @typedef {object} Size
 * @property {number} font of the text
 * @property {number} sign radius of a sign's ring
 * @property {number} reach radius of a sign's touch target
 */

/** @type {Size} */
export const ON_TAB = { font: 12.5, sign: 11, reach: 16 };
/** @type {Size} */
export const ON_CARD = { font: 16, sign: 14, reach: 20 };
const GAP = 6; // px

/** Width in px. @param {number} k @param {Size} size */
export const stepperWidth = (k, { font, sign }) =>
  4 * sign + 2 * GAP + textWidth(temperatureText(k), font) + 8;

/** @param {number} k */
export const temperatureText = (k) => `k = ${k}`;

/** @param {string} name of the group @param {number} k @param {number} x of its left edge @param {number} y of its middle
 * @param {Size} size */
export function stepper(name, k, x, y, size) {
  const w = stepperWidth(k, size);
  const { font, reach } = size;
  return svg(
    "g",
    { class: "stepper", transform: `translate(${x} ${y})`, "data-group": name },
    svg(
      "g",
      { class: "amount" },
      svg("rect", {
        class: "target",
        x: 2 * size.sign,
        y: -reach,
        width: w - 4 * size.sign,
        height: 2 * reach,
      }),
      svg("text", { x: w / 2, y: font * 0.36, "font-size": font }, temperatureText(k)),
      svg("title", {}, "Branches: their number, and which are trained"),
    ),
    sign("fewer", size.sign, k <= 1, "One branch less  ([)", size),
    sign("more-of", w - size.sign, false, "One branch more  (])", size),
  );
}

/** @param {string} kind @param {number} x @param {boolean} off @param {string} title @param {Size} size */
const sign = (kind, x, off, title, { sign: radius, reach }) =>
  svg(
    "g",
    {
      class: `step ${kind}${off ? " off" : ""}`,
      "data-step": kind === "fewer" ? -1 : 1,
      transform: `translate(${x} 0)`,
    },
    svg("circle", { class: "target", r: reach }),
    svg("circle", { class: "ring", r: radius - 2 }),
    svg("path", { class: "cross", d: kind === "fewer" ? "M-4 0h8" : "M-4 0h8M0-4v8" }),
    svg("title", {}, title),
  );

/** @typedef {import("../../types.js").GraphNode} GraphNode */
/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").GroupMark} GroupMark */
/** @typedef {import("./levels.js").Level} Level */

const { w: W, head: HEAD, port: ROW, numbers: NUMBERS, foot: FOOT, steps: STEPS } = shared.group;
const DEEPEST = 4; // edges of a stack of branches that are drawn
const EDGE = 5; // px by which the second edge extends
const ROW_SIDE = 10; // px from the left and right edge to the chips
const MARKS_OVER = 7; // px by which chips cover the edge
const SIDE = 12; // px
const FONT = { name: 15, port: 12.5, count: 11.5 }; // px
const TROUBLE = new Set(["problem", "warning", "missing"]);

/** @param {import("../state/fold.js").Shut} shut @param {import("../../types.js").Region[]} regions inside it
 * @returns {GraphNode} */
export function cardOf({ id, group, inside, box, ins, outs }, regions) {
  const leaves = inside.filter((node) => outs.includes(node.id) || node.isOutput);
  const output = leaves.length === 1 ? leaves[0] : undefined;
  const head = HEAD + (group.branches ? STEPS : 0);
  const h = head + ROW * Math.max(ins.length, outs.length) + (output ? NUMBERS : 0) + FOOT;
  const marks = marksOf(inside, regions);
  const trouble = (/** @type {string} */ kind) =>
    marks.find((mark) => mark.kind === kind)?.says ?? null;
  return {
    id,
    op: "group",
    symbol: group.name,
    w: W,
    h,
    x: Math.round(box.x + (box.w - W) / 2),
    y: Math.round(box.y + (box.h - h) / 2),
    slots: ins.map((name) => ({ label: name, constant: null, wired: true })),
    ports: {
      ins: ins.map((_, i) => head + ROW * (i + 0.5)),
      outs: outs.map((_, i) => head + ROW * (i + 0.5)),
    },
    value: output?.value ?? "",
    valueFull: output?.valueFull,
    shape: output?.shape,
    dims: output?.dims,
    cotangent: output?.cotangent ?? "",
    cotangentFull: output?.cotangentFull,
    tangent: output?.tangent,
    tangentFull: output?.tangentFull,
    numbers: output?.numbers,
    rule: "follow",
    isOutput: inside.some(({ isOutput }) => isOutput),
    isInput: false,
    connected: inside.some(({ connected }) => connected),
    problem: trouble("problem") ?? group.problem,
    warning: trouble("warning"),
    missing: trouble("missing"),
    group: {
      name: group.name,
      nodes: inside.map((node) => node.id),
      outs,
      output: output?.id ?? null,
      marks,
      branches: group.branches,
    },
  };
}

/** Rules and problems inside a group, each with its nodes.
 * @param {GraphNode[]} inside @param {import("../../types.js").Region[]} regions @returns {GroupMark[]} */
export function marksOf(inside, regions) {
  const at = (/** @type {(node: GraphNode) => unknown} */ test) =>
    inside.filter(test).map(({ id }) => id);
  const wrong = inside.find(({ problem }) => problem);
  const warned = inside.find(({ warning }) => warning);
  const bad = regions.find(({ problem }) => problem);
  const lacking = at(({ missing }) => missing);
  /** @type {[string, string[], string][]} */
  const marks = [
    [
      "problem",
      [...at(({ problem }) => problem), ...(bad ? [bad.name] : [])],
      wrong?.problem ?? bad?.problem ?? "",
    ],
    ["warning", at(({ warning }) => warning), warned ? `${warned.id}: ${warned.warning}` : ""],
    ["missing", lacking, `unfinished: ${lacking.join(", ")}`],
    ...Object.keys(RULES)
      .slice(1)
      .map((rule) => {
        const names = at((node) => node.rule === rule && !node.muted);
        return /** @type {[string, string[], string]} */ ([
          rule,
          names,
          `${RULES[rule].does} at ${names.join(", ")}`,
        ]);
      }),
    ["mute", at(({ muted }) => muted), `muted: ${at(({ muted }) => muted).join(", ")}`],
    ["cut_after", at(({ cut }) => cut), `cut after ${at(({ cut }) => cut).join(", ")}`],
    [
      "checkpoint",
      regions.map(({ name }) => name),
      `checkpoint ${regions.map(({ name, badge, dropped }) => [name, badge ?? droppedText(dropped)].filter(Boolean).join(" ")).join(", ")}`,
    ],
  ];
  return marks
    .filter(([, names]) => names.length)
    .map(([kind, names, says]) => ({ kind, count: names.length, says }));
}

const STEPS_OF_LOOPS = /^for \w+ \d+( for \w+ \d+)*(?=$|_)/;

/** A group's name as its card has room for it: "step 0" of "for step 0". @param {string} name */
export const cardTitle = (name) =>
  name.replace(STEPS_OF_LOOPS, (steps) => steps.replaceAll("for ", ""));

/** All elements except the two numbers. @param {GraphNode} node @param {Level} level @returns {Element[]} */
export function groupParts(node, level) {
  const { w, h, slots, ports, group } = node;
  const symbol = cardTitle(node.symbol);
  const branches = group?.branches;
  const named = !isBare(level); // else the numbers need the room
  const count = branches || level.detail !== "near" ? "" : `${group?.nodes.length}`;
  const room = w - 2 * SIDE - 22 - textWidth(count, FONT.count) - (count ? 16 : 0);
  const title = Math.max(FONT.name, level.text);
  const half = w / 2 - SIDE - 4;
  const sign = branches ? `${symbol} \u00d7${branches.length}` : symbol;
  const one = level.detail === "one"; // there the name stands in place of the value
  const size = one ? level.text : Math.min((w - 24) / textWidth(sign, 1), 40);
  return [
    ...edges(branches?.length ?? 2).map((by) =>
      svg("rect", { class: "card behind", x: by, y: by, width: w, height: h, rx: 10 }),
    ),
    svg("rect", { class: "card", width: w, height: h, rx: 10 }),
    svg("line", { class: "divider", x1: 0, x2: w, y1: HEAD - 4, y2: HEAD - 4 }),
    svg(
      "text",
      {
        class: "sign",
        x: w / 2,
        y: one ? groupRows(node, level)[0] : h / 2 + size * 0.34,
        "font-size": size.toFixed(1),
      },
      one ? shortenedName(sign, w, size) : sign,
    ),
    expandTriangle(16, 16, false),
    svg(
      "text",
      { class: "title", x: SIDE + 18, y: 16 + title / 3 },
      shortenedName(symbol, room, title),
    ),
    ...(branches
      ? [
          stepper(
            node.symbol,
            branches.length,
            (w - stepperWidth(branches.length, ON_CARD)) / 2,
            HEAD + STEPS / 2 - 1,
            ON_CARD,
          ),
        ]
      : count
        ? counted(count, w)
        : []),
    ...slots.map(({ label }, i) =>
      port(
        "slot wired",
        i,
        0,
        ports?.ins[i] ?? 0,
        slotPoint(node, i),
        node,
        named ? label : "",
        half,
        level,
      ),
    ),
    ...(group?.outs ?? []).map((label, i) =>
      port(
        "out",
        i,
        w,
        ports?.outs[i] ?? 0,
        outputPoint(node, i),
        node,
        named ? label : "",
        half,
        level,
      ),
    ),
  ];
}

/** Offsets of the edges of a stack, the last one first. @param {number} cards */
const edges = (cards) =>
  Array.from({ length: Math.min(cards, DEEPEST) - 1 }, (_, i) => EDGE * (i + 1)).reverse();

/** The number of nodes inside. @param {string} count @param {number} w */
const counted = (count, w) => [
  svg("rect", {
    class: "count-back",
    x: w - SIDE - textWidth(count, FONT.count) - 10,
    y: 7,
    width: textWidth(count, FONT.count) + 14,
    height: 18,
    rx: 9,
  }),
  svg("text", { class: "count", x: w - SIDE + 4 - 7, y: 20 }, count),
];

/** The triangle that expands and collapses a group; it points right if the group is collapsed.
 * @param {number} x @param {number} y @param {boolean} open */
export const expandTriangle = (x, y, open) =>
  svg(
    "g",
    { class: "opener", transform: `translate(${x} ${y})` },
    svg("circle", { class: "target", r: 15 }),
    svg("path", {
      class: "chevron",
      d: open ? "M-4.5 -2.5L0 2.5L4.5 -2.5" : "M-2.5 -4.5L2.5 0L-2.5 4.5",
    }),
    svg("title", {}, open ? "Collapse the group" : "Open the group"),
  );

/** A port with its name, which stands at the side of the card, also where the ports are above and below it.
 * @param {string} kind @param {number} i @param {number} x @param {number} y of the name @param {import("../../types.js").Point} point of the
 * port @param {GraphNode} node @param {string} label @param {number} room @param {Level} level */
function port(kind, i, x, y, point, node, label, room, level) {
  const [cx, cy] = [point[0] - node.x - x, point[1] - node.y - y];
  const text = label && shortenedName(label, room, Math.max(FONT.port, level.text));
  const at = x ? { x: -11, "text-anchor": "end" } : { x: 11 };
  return svg(
    "g",
    { class: kind, "data-slot": i, transform: `translate(${x} ${y})` },
    svg("circle", { class: "target", r: 12, cx, cy }),
    svg("circle", { class: "port", r: 5.5, cx, cy }),
    svg("text", { class: "port-name", y: 4.5, ...at }, text),
    svg("title", {}, label),
  );
}

/** Marks as chips, each with its count, at the upper edge of the card as far as nothing is near. @param {GraphNode} node @param {Level} level
 * @returns {import("./face.js").Placed[]} */
export function groupChips({ group, isOutput, w }, { unit }) {
  const y = MARKS_OVER - TALL * unit;
  const wide = (/** @type {import("./face.js").Chip} */ chip) => unit * chipWidth(chip);
  let x = ROW_SIDE;
  const placed = (group?.marks ?? []).map(({ kind, count, says }) => {
    const chip = {
      kind: KINDS[kind] ?? RULES[kind]?.colour ?? kind,
      icon: TROUBLE.has(kind) ? "warning" : kind,
      text: count > 1 && unit < 1.5 ? String(count) : "",
      says,
    };
    const at = { chip, x, y, unit, w: wide(chip) };
    x += at.w + 4;
    return at;
  });
  const flag = wide(FLAG);
  return isOutput ? [...placed, { chip: FLAG, x: w - ROW_SIDE - flag, y, unit, w: flag }] : placed;
}

/** CSS class of a mark, if it differs from its kind. @type {Record<string, string>} */
const KINDS = { mute: "missing", cut_after: "segment", checkpoint: "runs" };

/** Baselines of the two numbers, in px from the card's top. @param {GraphNode} node @param {Level} level */
export const groupRows = ({ h }, { detail, number }) =>
  detail === "one"
    ? [h / 2 - 3, h / 2 + 0.75 * number]
    : detail === "near"
      ? [h - FOOT - 27, h - FOOT - 5]
      : [h - FOOT - 0.8 * number - 2, h - FOOT + 2];

/** Write the tooltip. @param {Element} title @param {GraphNode} node */
export function writeGroupTitle(
  title,
  { group, valueFull, value, cotangentFull, cotangent, tangentFull, tangent },
) {
  const lines = [
    `${group?.name}: ${group?.nodes.join(", ")}`,
    ...(group?.marks ?? []).map(({ says }) => says),
  ];
  if (group?.output)
    lines.splice(
      1,
      0,
      `value of ${group.output} ${valueFull ?? value}`,
      ...(tangent === undefined ? [] : [`tangent ${tangentFull ?? tangent}`]),
      `cotangent ${cotangentFull ?? cotangent}`,
    );
  setText(title, lines.join("\n"));
}

/** Screen reader text of a collapsed group. @param {GraphNode} node */
export function spokenGroup({
  group,
  slots,
  value,
  shape,
  cotangent,
  connected,
  isOutput,
  tangent,
}) {
  const { name, nodes, outs, output, branches, marks } =
    /** @type {NonNullable<GraphNode["group"]>} */ (group);
  const parts = [
    branches
      ? `${name}, collapsed group of ${branches.length} ${branches.length === 1 ? "branch" : "branches"}: ${branches.join(", ")}`
      : `${name}, collapsed group of ${nodes.length} ${nodes.length === 1 ? "node" : "nodes"}: ${nodes.join(", ")}`,
    slots.length && `reads ${slots.map(({ label }) => label).join(" and ")}`,
    outs.length && `gives ${outs.join(" and ")}`,
    output && `value ${[shape, value].filter(Boolean).join(" ")}`,
    output && tangent !== undefined && `tangent ${tangent}`,
    output && (connected ? `cotangent ${cotangent}` : "no path to the output"),
    isOutput && "holds the output",
    ...marks.map(({ says }) => says),
  ];
  return parts.filter(Boolean).join(", ");
}
