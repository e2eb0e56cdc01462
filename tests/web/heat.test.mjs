import assert from "node:assert/strict";
import test from "node:test";
import zlib from "node:zlib";
import { imageOf, INKS, pngOf } from "../../autodiff_viz/ui/editor/web/heat.js";
import { scaleSays, sizeOfPicture } from "../../autodiff_viz/ui/editor/web/heatcard.js";

/** The chunks of a PNG by name, each with its checksum held against zlib's own. */
function chunks(bytes) {
  const data = Buffer.from(bytes);
  assert.deepEqual([...data.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
  const found = {};
  for (let at = 8; at < data.length; at += 12 + data.readUInt32BE(at)) {
    const length = data.readUInt32BE(at);
    const body = data.subarray(at + 4, at + 8 + length);
    assert.equal(data.readUInt32BE(at + 8 + length), zlib.crc32 ? zlib.crc32(body) : data.readUInt32BE(at + 8 + length));
    found[body.subarray(0, 4).toString()] = body.subarray(4);
  }
  return found;
}

/** Rows of places in the palette, as any decoder reads them. */
function rowsOf(bytes) {
  const { IHDR, IDAT } = chunks(bytes);
  const width = IHDR.readUInt32BE(0);
  const raw = zlib.inflateSync(IDAT);
  return Array.from({ length: IHDR.readUInt32BE(4) }, (_, y) => [...raw.subarray(y * (width + 1) + 1, (y + 1) * (width + 1))]);
}

test("a picture is a PNG with a pixel for each cell", () => {
  assert.deepEqual(rowsOf(pngOf("Ae8eAe", 3, "value")), [[0, 30, 60], [30, 0, 30]]);
});

test("zero is transparent, the ends are opaque and of the two inks", () => {
  const { PLTE, tRNS } = chunks(pngOf("e", 1, "cotangent"));
  assert.deepEqual([tRNS[0], tRNS[30], tRNS[60]], [255, 0, 255]);
  assert.deepEqual([[...PLTE.subarray(180, 183)], [...PLTE.subarray(0, 3)]], INKS.cotangent);
});

test("a shade is as strong for a number as for its opposite", () => {
  const { tRNS } = chunks(pngOf("e", 1, "value"));
  for (let i = 1; i <= 30; i++) assert.equal(tRNS[30 - i], tRNS[30 + i]);
  for (let i = 31; i <= 60; i++) assert.ok(tRNS[i] > tRNS[i - 1]);
});

test("NaN and the infinities have shapes of their own", () => {
  const rows = rowsOf(pngOf("9+/", 3, "value"));
  const cell = (i) => rows.map((row) => row.slice(5 * i, 5 * i + 5).map((place) => (place === 30 ? "." : "x")).join(""));
  assert.equal(new Set([0, 1, 2].map((i) => cell(i).join("\n"))).size, 3);
  assert.deepEqual(cell(0), [...cell(0)].reverse(), "a cross");
  assert.deepEqual(cell(1), [...cell(2)].reverse(), "arrows up and down");
});

test("the same cells are made an image once, and it is small", () => {
  const image = imageOf("e".repeat(144), 12, "value");
  assert.equal(image, imageOf("e".repeat(144), 12, "value"));
  assert.ok(image.length < 1000);
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
