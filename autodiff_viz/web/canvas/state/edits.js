// @ts-check
// Predict edits of nodes, wires and rules, as graph/edits.py and branches/train_one.py apply them: each
// returns a copy of the drawing that shares all unchanged objects. Pure.

import { RULES, shared } from "../../base/constants.js";
import { literal } from "../../base/numbers.js";
import { framesOfNodes, nested } from "./frames.js";
import { CARD, heightOf, PICTURED } from "./geometry.js";
import { downstream, inOrder, upstream } from "./reachability.js";

// Groups of branches.

/** @typedef {import("../../types.js").Drawing} Drawing */
/** @typedef {import("../../types.js").Group} Group */
/** @typedef {import("../../types.js").GraphNode} GraphNode */

/** The branches of a group, first to last: the groups directly inside it.
 * @param {Group[]} groups @param {Group} group @returns {Group[]} */
export function branchesIn(groups, group) {
  const order = nested(groups).map(({ frame }) => frame);
  const within = (/** @type {Group} */ inner, /** @type {Group} */ outer) =>
    inner.nodes.every((id) => outer.nodes.includes(id));
  /** @type {Group[]} */
  const branches = [];
  for (const other of order.slice(order.indexOf(group) + 1))
    if (within(other, group) && !branches.some((one) => within(other, one))) branches.push(other);
  return branches.sort((a, b) => compared(a.name, b.name));
}

/** Natural sort order: "branch_2" before "branch_10". @param {string} a @param {string} b */
function compared(a, b) {
  const [left, right] = [a, b].map((name) => name.split(/([0-9]+)/));
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [one, other] = i % 2 ? [Number(left[i]), Number(right[i])] : [left[i], right[i]];
    if (one !== other) return one < other ? -1 : 1;
  }
  return left.length - right.length;
}

/** The parameters in a branch, and those that only this branch reads.
 * @param {Drawing} drawing @param {Group} branch @returns {GraphNode[]} */
export function parametersOf({ nodes, wires }, branch) {
  const inside = new Set(branch.nodes);
  return nodes.filter(({ id, isParameter }) => {
    if (!isParameter || inside.has(id)) return isParameter;
    const readers = wires.filter(({ from }) => from === id);
    return readers.length > 0 && readers.every(({ to }) => inside.has(to));
  });
}

/** The drawing with the derived fields of its groups of branches: their branches, and which are trained. A group for
 * which another number is requested is left to Python.
 * @param {Drawing} drawing @returns {Drawing} */
export function withBranches(drawing) {
  const { groups = [] } = drawing;
  if (!groups.some(({ branches }) => branches)) return drawing;
  const next = groups.map((group) =>
    group.branches && !group.asked ? described(drawing, group) : group,
  );
  return next.every((group, i) => group === groups[i]) ? drawing : { ...drawing, groups: next };
}

/** @param {Drawing} drawing @param {Group} group @returns {Group} */
function described(drawing, group) {
  const branches = branchesIn(drawing.groups, group);
  const held = branches
    .map((one) => ({ name: one.name, rules: parametersOf(drawing, one).map(({ rule }) => rule) }))
    .filter(({ rules }) => rules.length);
  const trained = held.filter(({ rules }) => rules.some((rule) => rule !== "stop"));
  const alone = trained.length === 1 && held.length > 1 ? trained[0].name : undefined;
  const stopped = !alone && held.some(({ rules }) => rules.includes("stop")) ? true : undefined;
  const names = branches.map(({ name }) => name);
  const same =
    names.join("\n") === group.branches?.join("\n") &&
    alone === group.alone &&
    stopped === group.stopped;
  return same ? group : { ...group, branches: names, alone, stopped };
}

// Copies with one change.

/** @typedef {import("../../types.js").Slot} Slot */

/** @param {Drawing} drawing @param {string} id @param {Partial<GraphNode>} change @returns {Drawing} */
export const withNode = (drawing, id, change) => ({
  ...drawing,
  nodes: drawing.nodes.map((node) => (node.id === id ? { ...node, ...change } : node)),
});

/** @param {Drawing} drawing @param {string} id @param {number} slot @param {Partial<Slot>} change @returns {Drawing} */
export const withSlot = (drawing, id, slot, change) => {
  const slots = drawing.nodes.find((node) => node.id === id)?.slots ?? [];
  return withNode(drawing, id, {
    slots: slots.map((old, i) => (i === slot ? { ...old, ...change } : old)),
  });
};

/** @param {Drawing} drawing @param {string} to @param {number} slot @returns {Drawing} */
export const withoutWire = (drawing, to, slot) => ({
  ...withSlot(drawing, to, slot, { wired: false }),
  wires: drawing.wires.filter((wire) => wire.to !== to || wire.slot !== slot),
});

/** Wire `from` into a slot, in place of its content. The wire's contribution is not computed yet.
 * @param {Drawing} drawing @param {string} from @param {string} to @param {number} slot @returns {Drawing} */
export const withWire = (drawing, from, to, slot) => {
  const next = withSlot(withoutWire(drawing, to, slot), to, slot, {
    constant: null,
    constantFull: undefined,
    wired: true,
  });
  const target = drawing.nodes.find(({ id }) => id === to);
  const alternative = Boolean(
    target && RULES[target.rule]?.alternative && slot === target.slots.length - 1,
  );
  return {
    ...next,
    wires: [...next.wires, { from, to, slot, width: 0, sign: 0, passed: "", via: [], alternative }],
  };
};

/** @param {Drawing} drawing @param {string | undefined} id undefined: there is none @returns {Drawing} */
export const withOutput = (drawing, id) => ({
  ...drawing,
  nodes: drawing.nodes.map((n) =>
    n.isOutput === (n.id === id) ? n : { ...n, isOutput: n.id === id },
  ),
});

// Rules.

/** @typedef {import("../../types.js").RuleKind} RuleKind */
/** @typedef {import("../../types.js").Wire} Wire */

/** Whether a node can have the rule: one that replaces a derivative needs a wired slot.
 * @param {GraphNode} node @param {string} rule */
export const canHave = ({ slots }, rule) =>
  !RULES[rule]?.replaces || slots.some(({ wired }) => wired);

/** The slots of the node's op, without the one that `backward_as` adds. @param {GraphNode} node */
export const ownSlots = ({ slots, rule }) =>
  RULES[rule]?.alternative ? slots.slice(0, -1) : slots;

/** Set a rule on the nodes that can have it and have another one.
 * @param {Drawing} drawing @param {string[]} names @param {RuleKind} rule @returns {Drawing} */
export function withRules(drawing, names, rule) {
  const changed = drawing.nodes.filter(
    (node) => names.includes(node.id) && node.rule !== rule && canHave(node, rule),
  );
  if (!changed.length) return drawing;
  const ruled = new Map(changed.map((node) => [node.id, withRule(drawing.wires, node, rule)]));
  const own = new Map(changed.map((node) => [node.id, ownSlots(node).length]));
  const kept = drawing.wires.filter(({ to, slot }) => slot < (own.get(to) ?? Infinity));
  return {
    ...drawing,
    nodes: drawing.nodes.map((node) => ruled.get(node.id)?.node ?? node),
    wires: [...kept, ...[...ruled.values()].flatMap(({ wire }) => wire ?? [])],
  };
}

/** The node with the rule, and the wire that `backward_as` begins with: from the node's first wired input.
 * @param {Wire[]} wires @param {GraphNode} node @param {RuleKind} rule @returns {{ node: GraphNode, wire: Wire | null }} */
function withRule(wires, node, rule) {
  const own = ownSlots(node);
  const { alternative } = RULES[rule];
  const slots = alternative
    ? [...own, { label: shared.alternative, constant: null, wired: true }]
    : own;
  const [first] = wires.filter(({ to }) => to === node.id).sort((a, b) => a.slot - b.slot);
  const wire = !alternative
    ? null
    : {
        from: first.from,
        to: node.id,
        slot: own.length,
        width: 0,
        sign: 0,
        passed: "",
        via: [],
        alternative: true,
      };
  return {
    node: {
      ...node,
      rule,
      slots,
      h: heightOf(slots.length, node),
      ruleText: wire?.from ?? "",
      ruleFull: undefined,
    },
    wire,
  };
}

/** Train only one branch by stopping the parameters of the others; without a branch, stop none.
 * @param {Drawing} drawing @param {{ group: string, branch: string | null }} edit @returns {Drawing} */
export function withOneBranchTrained(drawing, { group: name, branch }) {
  const group = drawing.groups.find((other) => other.name === name);
  if (!group) return drawing;
  return branchesIn(drawing.groups, group).reduce((next, one) => {
    const stops = branch !== null && one.name !== branch;
    const held = parametersOf(drawing, one)
      .filter(({ rule }) => stops || rule === "stop")
      .map(({ id }) => id);
    return withRules(next, held, stops ? "stop" : "follow");
  }, drawing);
}

/** @typedef {import("../../types.js").PaletteOp} PaletteOp */
/** @typedef {import("../../types.js").Point} Point */
/** @typedef {{ from: string, slot: number } | null | undefined} Reads */
/** @typedef {{ to: string, slot: number } | null | undefined} Feeds */

const { letters: LETTERS, inputs: NEW, nothing: NOTHING_YET } = shared;

/** The name that Python will give to a new node. @param {Drawing} drawing @param {string} op */
export function freshName({ nodes }, op) {
  const taken = new Set(nodes.map((node) => node.id));
  const letters = [...(LETTERS[op] ?? "")];
  const letter = letters.find((name) => !taken.has(name));
  if (letter) return letter;
  const stem = letters[0] ?? op;
  for (let k = 1; ; k++) if (!taken.has(`${stem}_${k}`)) return `${stem}_${k}`;
}

/** Size of the card of a new node. @param {PaletteOp} entry */
export const sizeOfNew = ({ slots }) => ({ w: CARD.w, h: heightOf(slots.length) });

/** Room to keep free for a new node: that of a picture where it reads a tensor, since its own is then likely one.
 * @param {PaletteOp} entry @param {GraphNode | undefined} from the node that it reads */
export const roomOfNew = (entry, from) => {
  const { w, h } = sizeOfNew(entry);
  return from?.heat ? { w: Math.max(w, PICTURED.w), h: Math.max(h, PICTURED.h) } : { w, h };
};

/** @param {Drawing} drawing @param {{ op: string, position: Point | null, wire?: Reads, by?: string, feeds?: Feeds, rule?: string }} edit
 * @param {Map<string, PaletteOp>} ops @returns {Drawing} */
export function withAdded(drawing, { op, position, wire, by, feeds, rule }, ops) {
  const entry = ops.get(op);
  // Of a layer Python knows the shapes of its parameters, and where they stand.
  if (!entry || !position || (wire && entry.learns)) return drawing;
  const node = { ...newNode(entry, freshName(drawing, op), position), ...(rule && { rule }) };
  const wider = { ...drawing, nodes: [...drawing.nodes, node] };
  const grown = drawing.nodes.length ? wider : withOutput(wider, node.id);
  if (wire && feeds) return inserted(grown, { node: node.id, position, from: wire.from, ...feeds });
  if (wire) {
    const wired = withConnection(grown, { ...wire, to: node.id });
    return by ? withConnection(wired, { from: by, to: node.id, slot: 1 }) : wired;
  }
  return feeds ? withConnection(grown, { from: node.id, to: feeds.to, slot: feeds.slot }) : grown;
}

/** @param {PaletteOp} entry @param {string} id @param {Point} position @returns {GraphNode} */
function newNode(entry, id, [x, y]) {
  const given = NEW[entry.op];
  const isInput = Boolean(given);
  return {
    id,
    op: isInput ? "input" : entry.op,
    symbol: isInput ? id : entry.symbol,
    x,
    y,
    ...sizeOfNew(entry),
    slots: entry.slots.map((label) => ({ label, constant: null, wired: false })),
    cotangent: NOTHING_YET,
    dims: [],
    ...(given ?? { value: NOTHING_YET }),
    numbers: { value: literal(given?.value ?? "") },
    rule: "follow",
    isOutput: false,
    isInput,
    isParameter: entry.op === "parameter",
    connected: true,
  };
}

/** Connect two nodes; a wire from the output moves the output to the only end downstream, if there is exactly one.
 * @param {Drawing} drawing @param {{ from: string, to: string, slot: number }} edit @returns {Drawing} */
export function withConnection(drawing, { from, to, slot }) {
  if (!has(drawing, from) || !has(drawing, to)) return drawing;
  const next = withWire(drawing, from, to, slot);
  if (!drawing.nodes.find((node) => node.id === from)?.isOutput) return next;
  const sources = new Set(next.wires.map((wire) => wire.from));
  const ends = [...downstream(next.wires, to)].filter((name) => !sources.has(name));
  return ends.length === 1 ? withOutput(next, ends[0]) : next;
}

/** The slot with which a node inserted into a wire reads it: the first empty one, else the first; -1 for a node
 * without slots.
 * @param {GraphNode} node */
export function readingSlot(node) {
  const own = ownSlots(node);
  const empty = own.findIndex(({ wired, constant }) => !wired && constant === null);
  return empty >= 0 ? empty : Math.min(own.length, 1) - 1;
}

/** Insert a node into a wire; regions and groups that hold both ends get the node, other groups lose it.
 * @param {Drawing} drawing @param {{ node: string, position: Point, from: string, to: string, slot: number }} edit
 * @returns {Drawing} */
export function inserted(drawing, { node: id, position, from, to, slot }) {
  const node = drawing.nodes.find((other) => other.id === id);
  const own = node ? readingSlot(node) : -1;
  if (own < 0 || !has(drawing, from) || !has(drawing, to)) return drawing;
  const placed = withNode(drawing, id, { x: position[0], y: position[1] });
  const wired = withWire(withConnection(placed, { from: id, to, slot }), from, id, own);
  const holdsBoth = (/** @type {string[]} */ nodes) => nodes.includes(from) && nodes.includes(to);
  const wider = (/** @type {string[]} */ nodes) =>
    holdsBoth(nodes) && !nodes.includes(id) ? [...nodes, id] : nodes;
  const tied = wired.regions.some(({ nodes }) => nodes.includes(id) && !holdsBoth(nodes));
  const regrouped = (/** @type {string[]} */ nodes) =>
    tied ? nodes : holdsBoth(nodes) ? wider(nodes) : nodes.filter((name) => name !== id);
  return {
    ...wired,
    regions: framesOfNodes(wired.regions, ({ nodes }) => wider(nodes)),
    groups: framesOfNodes(wired.groups ?? [], ({ nodes }) => regrouped(nodes)),
  };
}

/** Move the end of a wire to another slot.
 * @param {Drawing} drawing @param {{ from: string, oldTo: string, oldSlot: number, to: string, slot: number }} edit */
export const rewired = (drawing, { from, oldTo, oldSlot, to, slot }) =>
  withConnection(withoutWire(drawing, oldTo, oldSlot), { from, to, slot });

/** Delete nodes: if all wires of a deleted node come from one node, its consumers are wired to that node.
 * @param {Drawing} drawing @param {{ nodes: string[] }} edit @returns {Drawing} */
export function removed(drawing, { nodes: names }) {
  const gone = new Set(names);
  const heirOf = heirs(drawing, gone);
  let next = { ...drawing, nodes: drawing.nodes.filter((node) => !gone.has(node.id)) };
  next.wires = drawing.wires.filter((wire) => !gone.has(wire.from) && !gone.has(wire.to));
  for (const { from, to, slot } of drawing.wires) {
    if (!gone.has(from) || gone.has(to)) continue;
    const heir = heirOf(from);
    next = heir === null ? withoutWire(next, to, slot) : withWire(next, heir, to, slot);
  }
  const output = drawing.nodes.find((node) => node.isOutput)?.id;
  if (output !== undefined && gone.has(output))
    next = withOutput(next, heirOf(output) ?? lastEnd(next, upstream(drawing.wires, output)));
  return {
    ...next,
    regions: thinned(drawing.regions, gone),
    groups: thinned(drawing.groups ?? [], gone),
  };
}

/** The last node without consumers, preferably one of `preferred`, and preferably not an input.
 * @param {Drawing} drawing @param {Set<string>} preferred */
function lastEnd({ nodes, wires }, preferred) {
  const sources = new Set(wires.map(({ from }) => from));
  const ends = inOrder(nodes, wires).filter(({ id }) => !sources.has(id));
  const rank = (/** @type {GraphNode} */ { id, isInput }) =>
    2 * Number(preferred.has(id)) + Number(!isInput);
  return ends.reduce(
    (/** @type {GraphNode | undefined} */ best, node) =>
      best && rank(best) > rank(node) ? best : node,
    undefined,
  )?.id;
}

/** The kept node that replaces a deleted one, if there is one.
 * @param {Drawing} drawing @param {Set<string>} gone @returns {(name: string) => string | null} */
function heirs({ wires }, gone) {
  /** @type {Map<string, Set<string>>} */
  const reads = new Map();
  for (const { from, to } of wires)
    if (gone.has(to)) reads.set(to, (reads.get(to) ?? new Set()).add(from));
  return (name) => {
    const passed = new Set();
    for (let at = name; ;) {
      const [source, ...others] = reads.get(at) ?? [];
      if (source === undefined || others.length || passed.has(at)) return null;
      if (!gone.has(source)) return source;
      passed.add(at);
      at = source;
    }
  };
}

/** @template {import("../../types.js").Frame} T @param {T[]} frames @param {Set<string>} gone @returns {T[]} */
const thinned = (frames, gone) =>
  framesOfNodes(frames, ({ nodes }) => nodes.filter((name) => !gone.has(name)));

/** @param {Drawing} drawing @param {string} id */
const has = ({ nodes }, id) => nodes.some((node) => node.id === id);
