import assert from "node:assert/strict";
import test from "node:test";
import {
  arrowBox,
  baselines,
  hasBoth,
  numbersRoom,
  titleAbove,
  titledByName,
} from "../../../autodiff_viz/web/canvas/draw/face.js";
import { levelOf, NUMBERED, WHOLE } from "../../../autodiff_viz/web/canvas/draw/levels.js";
import { textWidth } from "../../../autodiff_viz/web/base/numbers.js";

const card = (more = {}) => ({
  id: "p",
  op: "mul",
  symbol: "\u00d7",
  x: 0,
  y: 0,
  w: 128,
  h: 80,
  slots: [],
  value: "1",
  cotangent: "1",
  rule: "follow",
  isOutput: false,
  isInput: false,
  isParameter: false,
  connected: true,
  foot: 0,
  ...more,
});
const BARE = [0.36, NUMBERED].map((k) => levelOf(k)); // a card has its numbers there, and nothing else inside

test("above a card stands its sign, and its name only where both have room", () => {
  for (const level of BARE) {
    const both = titleAbove(card(), level);
    assert.deepEqual([both.symbol, both.name], ["\u00d7", "p"]);
    assert.ok(
      both.beside >= both.left + textWidth("\u00d7", both.size),
      "the name is right of the sign",
    );
    const long = titleAbove(card({ symbol: "matmul", id: "hidden_layer" }), level);
    assert.ok(long.symbol.startsWith("mat"));
    assert.ok(!long.name || long.beside + textWidth(long.name, long.size) <= 128 + 0.1);
  }
});

test("a name gives way to the sign beside the chips of a card, and the name of an input is its sign", () => {
  for (const level of BARE) {
    const crowded = titleAbove(
      card({ rule: "stop", isOutput: true, symbol: "x\u00b2", id: "loss", w: 160 }),
      level,
    );
    assert.equal(crowded.name, "");
    assert.notEqual(crowded.symbol, "");
    const input = titleAbove(card({ symbol: "w", id: "w", isInput: true }), level);
    assert.deepEqual([input.symbol, input.name], ["w", ""]);
  }
});

test("a card's sign stands above its numbers at every scale at which a phone has text, and the value gives way first", () => {
  for (const h of [80, 104, 140])
    for (let k = WHOLE; k < NUMBERED; k += 0.01) {
      const level = levelOf(k, 1, true);
      assert.equal(level.detail, "one");
      const {
        sign,
        rows: [first, last],
      } = baselines(card({ h }), level);
      assert.ok(
        first - sign >= 0.7 * level.number,
        `${h} px at ${k}: the sign's line is clear of the digits below it`,
      );
      if (hasBoth(card({ h }), level))
        assert.ok(last - first >= 0.7 * level.number, "digits of the two numbers do not meet");
      else assert.equal(first, last);
      assert.ok(last <= h + 13, "and no number reaches the card below");
    }
  assert.deepEqual(
    [80, 140].map((h) => hasBoth(card({ h }), levelOf(0.2, 1, true))),
    [false, true],
  );
});

test("a node that is asked about is called by its name at every scale, in place of its sign where not both have room", () => {
  const layer = { symbol: "relu", id: "layer1" };
  const phone = levelOf(WHOLE, 1, true);
  assert.equal(titledByName(card({ ...layer, asked: true }), phone), true);
  assert.equal(titledByName(card(layer), phone), false);
  const near = levelOf(1);
  assert.equal(titledByName(card({ ...layer, asked: true }), near), false); // both have room
  assert.equal(
    titledByName(card({ symbol: "relu", id: "the_first_layer", asked: true }), near),
    true,
  );
  for (const level of BARE)
    assert.equal(titledByName(card({ symbol: "matmul", id: "layer1", asked: true }), level), true);
});

test("an arrow beside each number tells value from cotangent without colour, inside the card or right of it", () => {
  const node = card();
  for (const k of [1.25, 0.8, 0.65, 0.5, 0.42, 0.36, 0.3]) {
    const level = levelOf(k);
    const box = arrowBox(node, level);
    assert.ok(box, level.detail);
    assert.ok(box.x >= 0, level.detail);
    const { value, right } = numbersRoom(node, level);
    // It ends before the number begins, where that takes all of its room, or begins behind its end.
    assert.ok(box.x + box.w <= right - value + 0.1 || box.x >= right, level.detail);
  }
  assert.equal(arrowBox({ ...node, heat: {} }, levelOf(0.5)), null); // a picture stands there
});
