import assert from "node:assert/strict";
import { test } from "node:test";
import { slideNumber } from "../../../autodiff_viz/web/canvas/draw/cards.js";
import { writeBlock } from "../../../autodiff_viz/web/canvas/draw/cell_card.js";
import { textWidth } from "../../../autodiff_viz/web/base/numbers.js";

/** What a cell with room for this text shows. */
function shown(number, room) {
  const text = { textContent: "", classList: { toggle() {} } };
  writeBlock(
    { texts: [text], size: 10, room: 10 * 1.07 * textWidth(room, 1) },
    {
      kind: 1,
      numbers: [number],
    },
  );
  return text.textContent;
}

test("a cell rounds a number once, from all its digits", () => {
  assert.equal(shown(-1.0467646, "\u22121.0"), "\u22121"); // from -1.05 it would be -1.1
  assert.equal(shown(0.24496, "0.24"), "0.24");
  assert.equal(shown(1.0467646, "1.05"), "1.05"); // with room, three digits
});

test("while a slider is dragged a narrow cell rounds a number once, too", () => {
  const element = () => ({ textContent: "", classList: { toggle() {} } });
  const cell = element();
  const block = {
    texts: [cell],
    image: element(),
    size: 10,
    room: 10.7 * textWidth("\u22121.0", 1),
  };
  const node = { w: 152, h: 80, heat: {}, shape: "[1]", slots: [] };
  const numbers = { value: element(), cells: { value: block } };
  slideNumber({ node, numbers }, "value", "[\u22121.05]", { kind: 1, numbers: [-1.0467646] });
  assert.equal(cell.textContent, "\u22121"); // from -1.05 it would be -1.1
});
