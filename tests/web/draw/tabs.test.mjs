import assert from "node:assert/strict";
import test from "node:test";
import { stackTabs, withTabs } from "../../../autodiff_viz/web/canvas/state/tabs.js";
import { predict } from "../../../autodiff_viz/web/canvas/state/predict.js";
import { numbersRoom, rows } from "../../../autodiff_viz/web/canvas/draw/face.js";
import { fitting, numberText } from "../../../autodiff_viz/web/base/numbers.js";
import { nameInLine } from "../../../autodiff_viz/web/canvas/draw/tab_card.js";
import { levelOf } from "../../../autodiff_viz/web/canvas/draw/levels.js";
import { textWidth } from "../../../autodiff_viz/web/base/numbers.js";
import { unfold } from "../../../autodiff_viz/web/canvas/actions/arrange.js";
import { shared } from "../../../autodiff_viz/web/base/constants.js";

const { h: HEIGHT, gap: GAP, aside: ASIDE } = shared.tab;
const node = (id, x, y, more = {}) => ({
  id,
  op: "input",
  symbol: id,
  x,
  y,
  w: 128,
  h: 80,
  slots: [],
  value: "1",
  cotangent: "1",
  rule: "follow",
  isOutput: false,
  isInput: true,
  isParameter: true,
  connected: true,
  foot: 0,
  ...more,
});
const slot = { label: "a", constant: null, wired: true };
const layer = node("h", 300, 100, {
  op: "dense",
  isInput: false,
  isParameter: false,
  slots: [slot, slot, slot],
});
const wire = (from, index) => ({
  from,
  to: "h",
  slot: index,
  width: 0,
  sign: 0,
  passed: "",
  via: [],
});
const drawing = (...parameters) => ({
  rev: 0,
  ack: 0,
  key: "",
  nodes: [layer, ...parameters],
  wires: parameters.map(({ id }, i) => wire(id, i + 1)),
  regions: [],
  groups: [],
  selected: null,
  history: {},
  notice: [],
});
const of = ({ nodes }, id) => nodes.find((one) => one.id === id);

test("a parameter that stands right below its layer is a tab there, and one elsewhere is not", () => {
  const found = stackTabs(drawing(node("w", 303, 190), node("b", 40, 190)));
  assert.deepEqual(
    [of(found, "w").x, of(found, "w").y, of(found, "w").h, of(found, "w").full],
    [300, 180 + GAP, HEIGHT, [128, 80]],
  );
  assert.equal(of(found, "b").tab, undefined);
  assert.equal(of(found, "h").foot, GAP + HEIGHT);
});

test("the last slot's tab is next to the layer above it, and the first slot's is the higher one beside it", () => {
  const below = stackTabs(drawing(node("w", 300, 190), node("b", 300, 230)));
  assert.ok(of(below, "b").y < of(below, "w").y);
  const x = 300 - 128 - ASIDE;
  const beside = stackTabs(drawing(node("w", x, 140), node("b", x, 170)));
  assert.ok(of(beside, "w").y < of(beside, "b").y);
});

test("a drawing in which nothing changes is the same object", () => {
  const once = stackTabs(drawing(node("w", 300, 190), node("b", 300, 230)));
  assert.equal(stackTabs(once), once);
});

test("tabs go with their layer, and one that is moved by itself is a card again", () => {
  const once = stackTabs(drawing(node("w", 300, 190), node("b", 300, 230)));
  const places = withTabs(once.nodes, { h: [310, 90] });
  const moved = predict(once, [{ seq: 1, kind: "move", positions: places }]);
  assert.deepEqual([of(moved, "w").x, of(moved, "w").y], [310, of(once, "w").y - 10]);
  const out = predict(once, [{ seq: 1, kind: "move", positions: { w: [0, 0] } }]);
  assert.deepEqual([of(out, "w").tab, of(out, "w").w, of(out, "w").h], [undefined, 128, 80]);
  assert.equal(of(out, "b").tab, "h");
});

test("a second reader makes a card of a tab", () => {
  const once = stackTabs(drawing(node("w", 300, 190)));
  assert.equal(
    of(predict(once, [{ seq: 1, kind: "connect", from: "w", to: "h", slot: 0 }]), "w").tab,
    undefined,
  );
});

test("a parameter is taken out of its layer to a free place", () => {
  const shown = stackTabs(drawing(node("w", 300, 190), node("b", 300, 230)));
  const sent = [];
  unfold({ single: "w", node: (id) => of(shown, id), shown, send: (edit) => sent.push(edit) });
  const after = predict(
    shown,
    sent.map((edit) => ({ ...edit, seq: 1 })),
  );
  assert.equal(of(after, "w").tab, undefined);
  assert.ok(of(after, "w").x + of(after, "w").w < of(after, "h").x);
});

const SCALES = [1.25, 1, 0.8, 0.65, 0.58, 0.5, 0.42, 0.36];
const scalar = (number) => ({ kind: 0, numbers: [number] });
const norm = (number) => ({ kind: -1, numbers: [number, 1] });
const PAIRS = [
  [scalar(3.8), scalar(0.0612)],
  [scalar(-0.39), scalar(0.06)],
  [norm(0.0459), norm(12.3)],
  [scalar(1), scalar(-0.0001234)],
  [scalar(0.123), scalar(0.456)],
  [scalar(NaN), undefined],
  [
    { kind: 2, numbers: [0, 0] },
    { kind: 2, numbers: [0.0123, 0.016] },
  ],
];
const textOf = (num) => (num ? numberText(num) : "\u2013");

test("both numbers of a tab can be read at every scale at which cards have theirs", () => {
  for (const scale of SCALES)
    for (const w of [128, 152, 184])
      for (const pair of PAIRS) {
        const [value, cotangent] = pair.map(textOf);
        const numbers = { value: pair[0], cotangent: pair[1] };
        const level = levelOf(scale);
        const tab = { ...node("w", 300, 190), w, h: HEIGHT, tab: "h", value, cotangent, numbers };
        const [forth, back] = rows(tab, level);
        const room = numbersRoom(tab, level);
        const bare = (text) => (forth === back ? text.replaceAll("\u2016", "") : text);
        const size = Math.max(13, level.number);
        const [own, other] = [
          [value, room.value],
          [cotangent, room.cotangent],
        ].map(([text, px], i) => fitting(bare(text), pair[i], px / level.number / 1.06));
        assert.doesNotMatch(own + other, /\u2026/, `${scale} ${w} ${value} ${cotangent}`);
        if (forth !== back)
          assert.ok(
            back - forth >= 0.7 * level.number && forth >= 0.7 * level.number && back <= HEIGHT,
            `${scale}`,
          );
        else
          assert.ok(
            room.own - 1.06 * textWidth(own, level.number) >= 0 &&
              room.own < room.right - 1.06 * textWidth(other, level.number),
            `${scale} ${w} ${own} ${other}`,
          );
        assert.ok(size >= 13 / Math.min(scale, 1) - 0.1);
      }
});

test("a tab in a line says its name where both numbers keep two digits beside it, and nothing stands on the name", () => {
  const tab = (id, w, value, cotangent) => ({
    ...node(id, 300, 190),
    w,
    h: HEIGHT,
    tab: "h",
    value: numberText(scalar(value)),
    cotangent: numberText(scalar(cotangent)),
    numbers: { value: scalar(value), cotangent: scalar(cotangent) },
  });
  const level = levelOf(0.5);
  assert.equal(nameInLine(tab("W1", 136, 1.65, 0.0861), level).name, "W1");
  assert.equal(nameInLine(tab("W1", 136, -1.65, -0.0861), level).name, ""); // signs take its place
  assert.equal(nameInLine(tab("W1", 136, 1.65, 0.0861), levelOf(0.36)).name, "");
  assert.equal(nameInLine(tab("b1", 152, 0, 0.0861), levelOf(0.36)).name, "b1");
  for (const scale of [0.5, 0.42, 0.36])
    for (const w of [128, 152, 184])
      for (const id of ["W1", "b1", "w", "fc1_weight"])
        for (const [value, cotangent] of [
          [1.65, 0.0861],
          [0, -1],
          [12.3, -0.00012],
        ]) {
          const one = tab(id, w, value, cotangent);
          const [at, room] = [levelOf(scale), numbersRoom(one, levelOf(scale))];
          const { name } = nameInLine(one, at);
          const ends = name ? 5 + 1.06 * textWidth(name, at.text) : 0;
          const wide =
            1.06 *
            textWidth(
              fitting(one.value, one.numbers.value, room.value / at.number / 1.06),
              at.number,
            );
          assert.ok(room.own - wide >= ends, `${scale} ${w} ${id} ${value}`);
        }
});

test("brackets and the bars of a norm reach over neither the number below them nor the lower edge of the least card", () => {
  const [above, below] = [0.72, 0.2]; // of the font's size
  for (const k of [0.3, 0.36, 0.42, 0.5])
    for (const value of ["[0.0404]", "\u20160.46\u2016"]) {
      const level = levelOf(k);
      const [first, second] = rows({ ...node("b", 0, 0), value }, level);
      assert.ok(second + below * level.number <= 80, `edge at ${k}`);
      assert.ok(second - above * level.number >= first + below * level.number - 1, `rows at ${k}`);
    }
});
