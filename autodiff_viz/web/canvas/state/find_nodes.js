// @ts-check
// Find nodes by name, op, group or value. Pure.

import { shared } from "../../base/constants.js";

/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").GraphNode} GraphNode */
/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} op
 * @property {string} symbol
 * @property {string} value
 * @property {string} group the groups around the node, the outermost first
 * @property {string[]} kinds searched, in lower case
 * @property {string[]} frames searched, in lower case
 * @property {string[]} values searched, in lower case
 */

/** The nodes of a drawing in order, those of a group together where its first node stands.
 * @param {Pick<Drawing, "nodes" | "groups" | "regions">} drawing @param {Map<string, { aliases?: string[] }>} ops by name @returns {Entry[]} */
export function entriesOf({ nodes, groups, regions }, ops) {
  const [around, inside] = [framesBy(groups), framesBy(regions)];
  const entries = nodes.map((node) =>
    entry(
      node,
      around.get(node.id) ?? [],
      inside.get(node.id) ?? [],
      ops.get(node.op)?.aliases ?? [],
    ),
  );
  /** @type {Map<string, Entry[]>} */
  const sections = new Map();
  for (const one of entries) sections.get(one.group)?.push(one) ?? sections.set(one.group, [one]);
  return [...sections.values()].flat();
}

/** @param {GraphNode} node @param {string[]} groups @param {string[]} regions @param {string[]} aliases @returns {Entry} */
function entry(
  {
    id,
    op,
    symbol,
    value,
    valueFull = value,
    literal = "",
    rule,
    isOutput,
    isParameter,
    muted,
    cut,
  },
  groups,
  regions,
  aliases,
) {
  const states = [
    rule !== "follow" && rule,
    isOutput && "output",
    isParameter && "parameter",
    muted && "muted",
    cut && "cut",
  ];
  return {
    name: id,
    op,
    symbol,
    value,
    group: groups.join(" / "),
    kinds: [op, symbol, ...aliases, ...states].flatMap((word) => (word ? plain(word) : [])),
    frames: [...groups, ...regions].map(plain),
    values: [value, valueFull, literal].filter(Boolean).map(plain),
  };
}

/** The names of the frames around each node, the largest first. @param {{ name: string, nodes: string[] }[]} frames */
function framesBy(frames) {
  /** @type {Map<string, string[]>} */
  const frameNames = new Map();
  for (const { name, nodes } of [...frames].sort((a, b) => b.nodes.length - a.nodes.length)) {
    for (const node of nodes) frameNames.get(node)?.push(name) ?? frameNames.set(node, [name]);
  }
  return frameNames;
}

/** The entries that have the text, then those that have all its words, best first; for an empty text all of them, in order.
 * @param {Entry[]} entries @param {string} text @returns {Entry[]} */
export function matching(entries, text) {
  const words = plain(text).split(/\s+/).filter(Boolean);
  const whole = words.join(" ");
  if (!words.length) return entries;
  return entries
    .map((one) => ({
      one,
      rank: Math.min(
        rankOf(one, whole),
        PARTS + Math.max(...words.map((word) => rankOf(one, word))),
      ),
    }))
    .filter(({ rank }) => rank < Infinity)
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

/** Rank of a match, lower is better: the name itself, the op itself, the beginning of the name, of the op, of a value, inside the
 * name, a group, inside a value. @param {Entry} entry @param {string} word */
function rankOf({ name, kinds, frames, values }, word) {
  const own = plain(name);
  const ranks = [
    own === word,
    kinds.includes(word),
    own.startsWith(word),
    kinds.some((one) => one.startsWith(word)),
    values.some((one) => one.startsWith(word)),
    own.includes(word),
    frames.some((one) => one.includes(word)),
    values.some((one) => one.includes(word)),
  ];
  const at = ranks.indexOf(true);
  return at < 0 ? Infinity : at;
}

const PARTS = 8; // ranks of a whole text, which come before those of its words

/** @param {string} text */
const plain = (text) => text.toLowerCase().replaceAll(shared.minus, "-");
