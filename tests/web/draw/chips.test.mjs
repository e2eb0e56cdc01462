import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chipsBox,
  footBox,
  placedChips,
  runChips,
  titleBox,
} from "../../../autodiff_viz/web/canvas/draw/face.js";
import { describeNode, pillBoxes } from "../../../autodiff_viz/web/canvas/draw/cards.js";
import { spokenRuns } from "../../../autodiff_viz/web/canvas/draw/runs.js";
import { spokenRegion } from "../../../autodiff_viz/web/canvas/draw/screen_reader.js";
import { inkTop } from "../../../autodiff_viz/web/canvas/draw/face.js";
import { regionBoxes } from "../../../autodiff_viz/web/canvas/draw/regions.js";
import { levelOf } from "../../../autodiff_viz/web/canvas/draw/levels.js";
import { node } from "../drawings.mjs";

const SCALES = [1, 0.8, 0.65, 0.5, 0.42, 0.36]; // from near to numbers alone
const meet = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

test("a chip ends below the card above, as near as the layout puts it, at every level of detail", () => {
  for (const k of SCALES) {
    const level = levelOf(k);
    const below = { ...node("b"), y: 108, rule: "stop", above: 28 };
    const box = chipsBox(below, level, inkTop(below, level));
    assert.ok(box.y >= 80, `${level.detail} ${box.y}`); // the card above ends at 80
    assert.ok(box.h >= 10, `${level.detail} ${box.h}`);
  }
});

test("a chip with room above has the size of its level", () => {
  const level = levelOf(0.65);
  const free = { ...node("b"), y: 108, rule: "stop" };
  assert.ok(chipsBox(free, level, inkTop(free, level)).h > 20 * 1.4); // 11 px at 0.65, of 11.5 at 1
});

test("a region's tab is not under the chip of a card in it, however much both are enlarged", () => {
  const card = { ...node("s"), x: 0, y: 0, isOutput: true };
  const region = { name: "square", nodes: ["s"], policy: "nothing_saveable", badge: "x2" };
  for (const k of SCALES.slice(0, 5)) {
    const level = levelOf(k);
    const [{ tab }] = regionBoxes([region], [card], level);
    assert.ok(!meet(tab, chipsBox(card, level, inkTop(card, level))), level.detail);
  }
});

test("what JAX drops of a node's runs has words of its own, and a number where they have no room", () => {
  const texts = (card, room) => runChips({ ...node("y"), ...card }, room).map(({ text }) => text);
  assert.deepEqual(texts({ runs: "×2" }, 108), ["×2"]);
  assert.deepEqual(texts({ dropped: 1 }, 108), ["dropped"]);
  assert.deepEqual(texts({ runs: "×2", dropped: 2 }, 200), ["×2", "2 dropped"]);
  assert.deepEqual(texts({ runs: "×2", dropped: 2 }, 60), ["×2", "−2"]);
  assert.deepEqual(texts({ dropped: 1 }, 40), ["×1"]);
});

test("each mark of runs is hollow exactly where JAX drops them, and is read out in words", () => {
  const [kind] = runChips({ ...node("y"), dropped: 1 }, 108).map((chip) => chip.kind);
  assert.equal(kind, "dropped");
  assert.equal(spokenRuns({ runs: "×2" }), "runs 2 times");
  assert.match(spokenRuns({ dropped: 1 }), /^JAX drops 1 run on the way back/);
  assert.match(describeNode({ ...node("y"), dropped: 1 }), /JAX drops 1 run/);
  assert.doesNotMatch(describeNode({ ...node("y"), runs: "×2" }), /drops/);
  const region = { name: "r", nodes: ["y"], policy: "nothing_saveable", badge: null, dropped: 1 };
  assert.match(spokenRegion(region), /checkpoint region r: y, JAX drops 1 run/);
});

test("two constants of one node stand apart at every level of detail, each as near its port as that allows", () => {
  const held = (constant) => ({ label: "b", wired: false, constant, constantFull: constant });
  const clip = {
    ...node("c"),
    slots: [{ label: "a", wired: true, constant: null }, held("-3.0"), held("3.0")],
  };
  for (const k of SCALES) {
    const [upper, lower] = pillBoxes(clip, levelOf(k));
    assert.ok(!meet(upper, lower), `at ${k}`);
    const middle = (upper.y + upper.h / 2 + lower.y + lower.h / 2) / 2;
    assert.ok(Math.abs(middle - (clip.y + (clip.h * 5) / 8)) < 1e-9); // between ports at 2/4 and 3/4 of the height
  }
});

test("a constant covers no wire to the port beside it, however large its text is", () => {
  const held = { label: "b", wired: false, constant: "5.0", constantFull: "5.0" };
  const wired = { label: "a", wired: true, constant: null };
  for (const [slots, port] of [
    [[wired, held], 1 / 3],
    [[held, wired], 2 / 3],
  ])
    for (const k of SCALES) {
      const level = levelOf(k);
      const [{ x, y, w, h }] = pillBoxes({ ...node("c"), slots }, level);
      const thick = 6.5 * level.unit; // the widest that is drawn
      const wire = { x, y: node("c").y + node("c").h * port - thick / 2, w, h: thick };
      assert.ok(!meet({ x, y, w, h }, wire), `at ${k}`);
    }
});

test("a region's tab is not over the mark of runs at the foot of a card in it", () => {
  const cards = [0, 190].map((x, i) => ({ ...node(`s${i}`), x, y: 0, isOutput: true, dropped: 1 }));
  const region = { name: "square", nodes: ["s0", "s1"], policy: "nothing_saveable", badge: null };
  for (const k of SCALES) {
    const level = levelOf(k);
    const [{ tab }] = regionBoxes([region], cards, level);
    for (const card of cards) assert.ok(!meet(tab, footBox(card, level)), level.detail);
  }
});

test("the tab of a group is not over the name of a card in it", () => {
  const card = { ...node("relu"), symbol: "relu" };
  const around = [
    { ...node("below"), y: 80, w: 300 },
    { ...node("left"), x: -300, y: -100, w: 280, h: 300 },
  ];
  const groups = [{ name: "relu", nodes: ["relu"] }];
  const level = levelOf(0.4);
  assert.equal(level.detail, "few");
  for (const { name, tab } of regionBoxes(groups, [card, ...around], level))
    assert.ok(!meet(tab, titleBox(card, level)), name);
});

test("the tab of a group whose border has steps is on the step that is there, and over no other tab", () => {
  // From a down to b, with cards that are not in it in both free corners and over a.
  const cards = [
    { ...node("a"), x: 0, y: 0 },
    { ...node("b"), x: 600, y: 600 },
    { ...node("free"), x: 600, y: 0 },
    { ...node("foot"), x: 0, y: 600 },
    { ...node("over"), x: -50, y: -300, w: 300, h: 295 },
  ];
  const groups = [
    { name: "outer", nodes: ["a", "b"] },
    { name: "inner", nodes: ["b"] },
  ];
  const level = levelOf(1);
  const [outer, inner] = regionBoxes(groups, cards, level).map(({ tab }) => tab);
  assert.ok(outer.x > 500, `${outer.x}`);
  assert.ok(Math.abs(outer.y - 600) < 100, `${outer.y}`); // the border above b, and not that above a
  assert.ok(!meet(outer, inner));
});

test("no chip of a card is over another, whatever it says and however large it is", () => {
  const rules = [{}, { rule: "stop" }, { rule: "pullback", ruleText: "v, u, out: v * 0.5" }];
  const troubles = [{}, { problem: "no alternative" }, { warning: "log: of 0" }];
  const feet = [
    {},
    { runs: "×2", dropped: 1, state: ["declared 1, true 0.25"] },
    { segment: 12, state: ["seed"] },
  ];
  let compared = 0;
  for (const k of SCALES)
    for (const w of [96, 128, 160])
      for (const rule of rules)
        for (const trouble of troubles)
          for (const foot of feet) {
            const card = { ...node("y"), ...rule, ...trouble, ...foot, w, isOutput: true };
            const level = levelOf(k);
            const boxes = placedChips(card, level, inkTop(card, level)).map(
              ({ chip, x, y, unit, w }) => ({ says: chip.kind, x, y, w, h: 20 * unit }),
            );
            boxes.forEach((one, i) =>
              boxes.slice(i + 1).forEach((other) => {
                compared += 1;
                const right = Math.min(one.x + one.w, other.x + other.w);
                const shared = right - Math.max(one.x, other.x);
                assert.ok(!meet(one, other) || shared < 0.5, `${one.says} ${other.says} ${k} ${w}`);
              }),
            );
          }
  assert.ok(compared > 1000);
});
