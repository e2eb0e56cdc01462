// Test that chips have places of their own, whatever is near and however large they are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { wishedChips } from "../../../autodiff_viz/web/canvas/draw/cards.js";
import { titleBox } from "../../../autodiff_viz/web/canvas/draw/face.js";
import { boxOf, chipsInLanes, nearestFree } from "../../../autodiff_viz/web/canvas/draw/lanes.js";
import { levelOf } from "../../../autodiff_viz/web/canvas/draw/levels.js";
import { node } from "../drawings.mjs";

const SCALES = [1.25, 1, 0.8, 0.65, 0.5, 0.42, 0.36, 0.2]; // from near to far
const meet = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
const ruled = { rule: "pullback", ruleText: "v, u, out: v * 0.5" };
const told = { state: ["declared 1, true 1.76"] };

/** Chips over a card that is not theirs, over a name above a card, over a tab or over another chip. */
function covered(nodes, level, tabs = []) {
  const placed = chipsInLanes(nodes, level, tabs);
  const chips = nodes.flatMap((one) =>
    (placed.get(one.id) ?? []).map((chip) => ({ own: one.id, box: boxOf(one, chip) })),
  );
  const things = [
    ...nodes.map((one) => ({ own: one.id, box: one })),
    ...(level.detail === "few"
      ? nodes.filter(({ group }) => !group).map((one) => ({ own: "", box: titleBox(one, level) }))
      : []),
    ...tabs.map((box) => ({ own: "", box })),
  ];
  return chips.filter(
    (chip, i) =>
      things.some(({ own, box }) => own !== chip.own && meet(box, chip.box)) ||
      chips.slice(i + 1).some(({ box }) => meet(box, chip.box)),
  );
}

test("chips with nothing near stand where a card wishes them", () => {
  const alone = { ...node("a"), ...ruled, runs: "×2" };
  for (const k of SCALES) {
    const level = levelOf(k);
    assert.deepEqual(chipsInLanes([alone], level, []).get("a"), wishedChips(alone, level));
  }
});

test("cards in a column with a rule, a note and a mark each cover nothing with their chips", () => {
  for (const gap of [4, 16, 28, 40])
    for (const k of SCALES) {
      const column = [0, 1, 2, 3].map((i) => ({
        ...node(`n${i}`, 0, i * (60 + gap)),
        ...ruled,
        ...(i % 2 ? told : { runs: "×2", segment: 3 }),
        isOutput: i === 3,
      }));
      assert.deepEqual(covered(column, levelOf(k)), [], `${gap} px apart at ${k}`);
    }
});

test("a note gives way to the rule of the card below, and both are seen", () => {
  const above = { ...node("a"), ...told };
  const below = { ...node("b", 0, 85), ...ruled };
  const level = levelOf(0.86);
  const placed = chipsInLanes([above, below], level, []);
  assert.deepEqual(placed.get("b"), wishedChips(below, level));
  assert.notDeepEqual(placed.get("a"), wishedChips(above, level));
  assert.equal(placed.get("a").length, 1);
});

test("a chip goes to the foot of its card where another card is right above it", () => {
  const [above, below] = [node("a"), { ...node("b", 0, 62), rule: "stop" }];
  const [chip] = chipsInLanes([above, below], levelOf(1), []).get("b");
  assert.ok(chip.y > below.h / 2);
});

test("a chip moves aside for the tab of a frame", () => {
  const card = { ...node("a"), rule: "stop" };
  const level = levelOf(1);
  const [wish] = wishedChips(card, level);
  const tab = { x: card.x + wish.x, y: card.y + wish.y, w: 30, h: 20 };
  const [chip] = chipsInLanes([card], level, [tab]).get("a");
  assert.ok(!meet(boxOf(card, chip), tab));
  assert.equal(chip.chip.text, wish.chip.text);
});

test("a chip is not on a wire of other cards where another place is free; on its own wire it stays", () => {
  const card = { ...node("a"), rule: "stop" };
  const level = levelOf(1);
  const [wish] = wishedChips(card, level);
  const y = card.y + wish.y + 8;
  const point = (/** @type {number} */ x) => [x, y];
  const curve = [[point(-200), point(-100), point(200), point(300)]];
  const others = { wire: { from: "b", to: "c" }, curve };
  const [chip] = chipsInLanes([card], level, [], [others]).get("a");
  const { y: top, h } = boxOf(card, chip);
  assert.ok(y + 2 <= top || top + h <= y - 2);
  assert.equal(chip.chip.text, wish.chip.text);
  const own = { wire: { from: "b", to: "a" }, curve };
  assert.deepEqual(chipsInLanes([card], level, [], [own]).get("a"), [wish]);
  // with cards all round its lanes there is no other place
  const around = [node("left", -300, 0), { ...node("below", 0, 62), w: 400 }];
  assert.deepEqual(chipsInLanes([card, ...around], level, [], [others]).get("a"), [wish]);
});

test("a chip without any room is left out and not drawn over something", () => {
  const packed = Array.from({ length: 25 }, (_, i) => ({
    ...node(`n${i}`, 100 * (i % 5), 60 * Math.floor(i / 5)),
    rule: "stop",
  }));
  const level = levelOf(1);
  assert.deepEqual(covered(packed, level), []);
  assert.deepEqual(chipsInLanes(packed, level, []).get("n12"), []); // cards all round
});

test("chips stay in the margins that a fitted view leaves at the sides of a drawing", () => {
  const long = { state: ["declared 0.123456, true 123456.7"] };
  for (const k of SCALES) {
    const last = { ...node("a"), ...long, rule: "stop", isOutput: true };
    for (const chip of chipsInLanes([last], levelOf(k), []).get("a"))
      assert.ok(chip.x * k > -22.6 && (chip.x + chip.w - last.w) * k < 22.6, `${k}`); // a margin has 22 px
  }
});

test("in a drawing that runs downwards a mark stands beside its card where there is no room below", () => {
  const cards = [0, 1, 2].map((i) => ({ ...node(`n${i}`, 0, 62 * i), down: true }));
  const wide = { ...node("wide", -200, 200, 1), w: 500 };
  const marked = { ...cards[1], runs: "×2" };
  const [chip] = chipsInLanes([cards[0], marked, cards[2], wide], levelOf(1), []).get("n1");
  assert.ok(chip.x >= marked.w || chip.x + chip.w <= 0);
});

test("on a chain that runs downwards all marks are seen, since there is room at its sides", () => {
  const chain = [0, 1, 2, 3, 4].map((i) => ({
    ...node(`n${i}`, 0, 150 * i, 1, { w: 128, h: 80 }),
    ...ruled,
    down: true,
    runs: "×2",
    dropped: 1,
  }));
  for (const k of SCALES.slice(0, -1)) {
    const level = levelOf(k, 1, true);
    const placed = chipsInLanes(chain, level, []);
    for (const one of chain) assert.equal(placed.get(one.id).length, 3, `${one.id} at ${k}`);
    assert.deepEqual(covered(chain, level), []);
  }
});

test("the marks of closed groups that stand below each other cover nothing", () => {
  const kinds = ["stop", "rewrite", "scale", "pullback", "checkpoint", "warning"];
  const marks = kinds.map((kind) => ({ kind, count: 3, says: kind }));
  const group = { name: "block", nodes: ["a"], outs: ["a"], output: null, marks };
  const groups = [0, 1, 2].map((i) => ({
    ...node(`group:${i}`, 0, 130 * i),
    w: 168,
    h: 100,
    group,
    ports: { ins: [48], outs: [48] },
    isOutput: i === 2,
  }));
  for (const k of SCALES) assert.deepEqual(covered(groups, levelOf(k)), [], `${k}`);
});

test("the nearest free place in a lane is where something ends, or where it is wanted", () => {
  assert.equal(nearestFree([0, 10], 4, []), 4);
  assert.equal(nearestFree([0, 10], 12, []), 10);
  assert.equal(nearestFree([0, 10], 4, [[3, 8]]), 3);
  assert.equal(nearestFree([0, 10], 6, [[3, 8]]), 8);
  assert.equal(nearestFree([0, 10], 4, [[-1, 5], [4, 9]]), 9); // prettier-ignore
  assert.equal(nearestFree([0, 10], 4, [[-1, 11]]), null);
  assert.equal(nearestFree([3, 2], 3, []), null); // no room at all
});
