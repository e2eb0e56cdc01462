import assert from "node:assert/strict";
import test from "node:test";
import { pixelsOf } from "../../../autodiff_viz/web/canvas/draw/heat_card.js";
import { scaleSays, sizeOfPicture } from "../../../autodiff_viz/web/canvas/draw/heat_card.js";

/** Rows of pixels, each [red, green, blue, opacity]. */
function rowsOf({ width, height, data }) {
  const pixel = (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)];
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => pixel(x, y)),
  );
}
const opacities = (cells, columns = cells.length) =>
  rowsOf(pixelsOf(cells, columns, "value")).map((row) => row.map((pixel) => pixel[3]));
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

test("a picture has a pixel for each cell", () => {
  assert.deepEqual(opacities("Ae8eAe", 3), [
    [255, 0, 255],
    [0, 255, 0],
  ]);
});

test("the ends are opaque and of the two inks: orange for plus, teal for minus", () => {
  assert.deepEqual(rowsOf(pixelsOf("8A", 2, "cotangent")), [
    [
      [226, 104, 12, 255],
      [20, 160, 184, 255],
    ],
  ]);
});

test("a shade is as strong for a number as for its opposite, and stronger for a larger one", () => {
  const [row] = opacities(LETTERS.slice(0, 61));
  for (let i = 1; i <= 30; i++) {
    assert.equal(row[30 - i], row[30 + i]);
    assert.ok(row[30 + i] > row[29 + i]);
  }
});

test("NaN and the infinities have shapes of their own", () => {
  const rows = opacities("9+/", 3);
  const cell = (i) =>
    rows.map((row) =>
      row
        .slice(5 * i, 5 * i + 5)
        .map((opacity) => (opacity ? "x" : "."))
        .join(""),
    );
  assert.equal(new Set([0, 1, 2].map((i) => cell(i).join("\n"))).size, 3);
  assert.deepEqual(cell(0), [...cell(0)].reverse(), "a cross");
  assert.deepEqual(cell(1), [...cell(2)].reverse(), "arrows up and down");
});

test("cells are square where there is room, and a row is no hair", () => {
  const room = { w: 60, h: 50 };
  assert.deepEqual(sizeOfPicture(2, 2, room), { w: 30, h: 30 });
  assert.deepEqual(sizeOfPicture(10, 10, room), { w: 50, h: 50 });
  assert.deepEqual(sizeOfPicture(1, 12, room), { w: 60, h: 12.5 });
  assert.deepEqual(sizeOfPicture(3, 1, room), { w: 15, h: 45 });
});

test("the hover text names the colours with the numbers that they stand for", () => {
  const heat = { columns: 1, value: "8", valueTop: "2.5", cotangent: "9", cotangentTop: "0" };
  assert.equal(scaleSays({ heat }, "value"), " (blue to 2.5, grey to \u22122.5)");
  assert.equal(scaleSays({}, "value"), "");
});
