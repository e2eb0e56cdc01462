// Plays edits on drawings as the browser does at once, and holds what it shows against Python's own drawing:
// `node play_edits.mjs plays.json`. One line of JSON for every edit whose prediction differs, and one with the counts.
import { readFileSync } from "node:fs";
import { readDrawing } from "../../autodiff_viz/web/canvas/state/read_drawing.js";
import { predict } from "../../autodiff_viz/web/canvas/state/predict.js";

const { palette, plays } = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const ops = new Map(palette.flatMap((group) => group.ops.map((op) => [op.op, op])));
const sorted = (names = []) => [...names].sort();

/** A number in one spelling, of the many that can be typed. */
const plain = (text) =>
  text && !Number.isNaN(Number(text)) ? String(Number(text)) : (text ?? null);

/** What an edit is about: all but numbers, bends and messages. */
const structure = ({ nodes, wires, regions, groups }) => ({
  nodes: Object.fromEntries(
    nodes.map((node) => [
      node.id,
      {
        op: node.op,
        symbol: node.symbol,
        at: [node.x, node.y],
        size: [node.w, node.h],
        rule: node.rule,
        function: node.rule === "rewrite" ? node.ruleFull : null,
        slots: node.slots.map(({ label, constant, wired }) => [label, plain(constant), wired]),
        literal: plain(node.literal),
        flags: ["isOutput", "isInput", "isParameter", "muted", "cut"].filter((flag) => node[flag]),
      },
    ]),
  ),
  wires: Object.fromEntries(
    wires.map(({ to, slot, from, alternative = false }) => [`${to}:${slot}`, [from, alternative]]),
  ),
  regions: Object.fromEntries(
    regions.map(({ name, nodes: held, policy, saved }) => [
      name,
      [sorted(held), policy, sorted(saved)],
    ]),
  ),
  groups: Object.fromEntries(
    groups.map(({ name, nodes: held, collapsed, branches, alone = null, stopped = false }) => [
      name,
      [sorted(held), collapsed, branches?.length ?? 0, alone, stopped],
    ]),
  ),
});

const flat = (value, path = "") =>
  value && typeof value === "object"
    ? Object.entries(value).flatMap(([key, inner]) => flat(inner, `${path}/${key}`))
    : [[path, value]];

/** What Python works out anew, and the browser says nothing about: where nodes stand that the edit does not put
 * anywhere, while nobody has put them in places, and whether one becomes a tab there; the size of a card that gets, loses or
 * changes a picture; and the function that a rewrite begins with. */
function python(before, shown, after) {
  const [was, told] = [before, after].map(
    ({ nodes }) => new Map(nodes.map((node) => [node.id, node])),
  );
  const own = (node) => (node?.heat ? JSON.stringify(node.dims) : "");
  const picture = (node, all) => own(node) + (node?.tab ? own(all.get(node.tab)) : ""); // a tab is as wide as its layer
  return shown.nodes.flatMap(({ id, x, y, ruleFull, ...rest }) => [
    ...(ruleFull === undefined ? [`/nodes/${id}/function`] : []),
    ...(was.has(id) && was.get(id).x === x && was.get(id).y === y
      ? [`/nodes/${id}/at`, ...(was.get(id).tab !== told.get(id)?.tab ? [`/nodes/${id}/size`] : [])]
      : []),
    ...(told.has(id) && picture(told.get(id), told) !== picture(was.get(id) ?? rest, was)
      ? [`/nodes/${id}/size`]
      : []),
  ]);
}

/** Where two structures differ. */
function differences(shown, told, spared) {
  const [a, b] = [new Map(flat(shown)), new Map(flat(told))];
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((path) => a.get(path) !== b.get(path))
    .filter((path) => !spared.some((start) => `${path}/`.startsWith(`${start}/`)))
    .map((path) => `${path}: ${a.get(path)} / ${b.get(path)}`);
}

/** Of a new number of branches the browser shows the number alone: what is in them, Python says. */
function branchesDiffer(drawing, shown, told, { group }) {
  const count = ({ groups }) => groups.find(({ name }) => name === group)?.branches.length;
  const others = ["nodes", "wires", "regions"].filter((part) => shown[part] !== drawing[part]);
  return count(shown) === count(told)
    ? others
    : [...others, `${count(shown)} branches / ${count(told)}`];
}

/** What the browser shows of an edit that it had better not show; null where it shows nothing. */
function judged(drawing, shown, before, edit, told) {
  if (shown === drawing) return null;
  if (edit.kind === "branches") return branchesDiffer(drawing, shown, told, edit);
  return differences(structure(shown), structure(told), python(before, shown, told));
}

/** Whether Python has laid out no node anew. */
const stands = (shown, told) =>
  told.nodes.every(({ id, x, y }) =>
    shown.nodes.some((node) => node.id === id && node.x === x && node.y === y),
  );

const LONGEST = 4; // edits under way at once
const counts = {};
/** What is shown of several edits that Python has not answered, and the drawing before the first. */
let [run, chain] = [null, 0];
for (const { before, edit, after } of plays) {
  const [drawing, told] = [readDrawing(before), readDrawing(after)];
  const count = (counts[edit.kind] ??= { equal: 0, declined: 0, differs: 0 });
  const found = judged(drawing, predict(drawing, [edit], ops), drawing, edit, told);
  count[found === null ? "declined" : found.length ? "differs" : "equal"] += 1;
  if (found?.length) console.log(JSON.stringify({ edit, found: found.slice(0, 6) }));

  const follows = run && chain < LONGEST && JSON.stringify(run.told) === JSON.stringify(before);
  const [from, first] = follows ? [run.shown, run.first] : [drawing, drawing];
  const shown = predict(from, [edit], ops);
  const later = judged(from, shown, first, edit, told);
  run =
    later?.length === 0 && edit.kind !== "branches" && stands(shown, told)
      ? { shown, first, told: after }
      : null;
  chain = follows ? chain + 1 : 1;
  if (!follows || later === null) continue;
  (counts["several in a row"] ??= { equal: 0, declined: 0, differs: 0 })[
    later.length ? "differs" : "equal"
  ] += 1;
  if (later.length) console.log(JSON.stringify({ edit, after: chain, found: later.slice(0, 6) }));
}
console.log(JSON.stringify({ counts }));
