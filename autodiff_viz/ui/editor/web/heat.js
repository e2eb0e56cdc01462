// @ts-check
// A tensor's small picture as an image: cells as views/heat.py writes them, one character each, made a PNG of a few
// hundred bytes. Zero is transparent, so the picture fits on any theme's card. Pure.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const SHADES = 30; // on each side of 0
const FIRST_MARK = 61; // places in the alphabet of NaN, infinity and minus infinity
const SIDE = 5; // px of a cell in an image that has marks; else 1

/** What stands for +, and for -. They read on a light and on a dark card. @type {Record<string, [number[], number[]]>} */
export const INKS = { value: [[28, 119, 223], [118, 126, 142]], cotangent: [[226, 104, 12], [20, 160, 184]] };
const MARK = [226, 50, 59]; // of what is no number

/** A cross for NaN; for the infinities an arrow up, and one down. */
const MARKS = [
  ["x...x", ".x.x.", "..x..", ".x.x.", "x...x"],
  ["..x..", ".xxx.", "x.x.x", "..x..", "..x.."],
  ["..x..", "..x..", "x.x.x", ".xxx.", "..x.."],
];

/** @type {Map<string, string>} */
const made = new Map();
const KEPT = 2000; // images

/** @param {string} cells @param {number} columns @param {"value" | "cotangent"} kind @returns {string} a data: address */
export function imageOf(cells, columns, kind) {
  const key = `${kind} ${columns} ${cells}`;
  const found = made.get(key);
  if (found) return found;
  if (made.size >= KEPT) made.clear();
  const image = `data:image/png;base64,${btoa(String.fromCharCode(...pngOf(cells, columns, kind)))}`;
  made.set(key, image);
  return image;
}

/** @param {string} cells @param {number} columns @param {"value" | "cotangent"} kind @returns {number[]} bytes */
export function pngOf(cells, columns, kind) {
  const places = [...cells].map((letter) => ALPHABET.indexOf(letter));
  const side = places.some((place) => place >= FIRST_MARK) ? SIDE : 1;
  const rows = places.length / columns;
  const data = [];
  for (let y = 0; y < rows * side; y++) {
    data.push(0); // the row is not filtered
    for (let x = 0; x < columns * side; x++) data.push(pixel(places[Math.floor(y / side) * columns + Math.floor(x / side)], x % SIDE, y % SIDE));
  }
  const size = [...word(columns * side), ...word(rows * side)];
  return [
    137, 80, 78, 71, 13, 10, 26, 10, ...chunk("IHDR", [...size, 8, 3, 0, 0, 0]),
    ...palette(kind), ...chunk("IDAT", stored(data)), ...chunk("IEND", []),
  ];
}

/** @param {number} place @param {number} x @param {number} y in the cell */
const pixel = (place, x, y) => (place < FIRST_MARK || MARKS[place - FIRST_MARK][y][x] === "x" ? place : SHADES);

/** @type {Map<string, number[]>} */
const palettes = new Map();

/** Colours and opacities of the places. @param {"value" | "cotangent"} kind */
function palette(kind) {
  const found = palettes.get(kind) ?? colours(kind);
  palettes.set(kind, found);
  return found;
}

/** @param {"value" | "cotangent"} kind */
function colours(kind) {
  const [plus, minus] = INKS[kind];
  const places = Array.from({ length: ALPHABET.length }, (_, i) => i);
  const inks = places.flatMap((i) => (i >= FIRST_MARK ? MARK : i > SHADES ? plus : minus));
  const opacities = places.map((i) => (i >= FIRST_MARK ? 255 : Math.round(255 * opacity(Math.abs(i - SHADES) / SHADES))));
  return [...chunk("PLTE", inks), ...chunk("tRNS", opacities)];
}

/** Small numbers are seen, too. @param {number} share of the largest */
const opacity = (share) => share ** 0.8;

/** @param {number} number as four bytes */
const word = (number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);

/** @param {string} name @param {number[]} data */
function chunk(name, data) {
  const body = [...[...name].map((letter) => letter.charCodeAt(0)), ...data];
  return [...word(data.length), ...body, ...word(crc(body))];
}

/** As zlib keeps data that it does not compress. @param {number[]} data less than 65,536 bytes */
function stored(data) {
  const [length, other] = [data.length, data.length ^ 0xffff];
  return [0x78, 1, 1, length & 255, length >> 8, other & 255, other >> 8, ...data, ...word(adler(data))];
}

/** @param {number[]} data */
function adler(data) {
  let [a, b] = [1, 0];
  for (const byte of data) [a, b] = [(a + byte) % 65521, (b + a + byte) % 65521];
  return b * 65536 + a;
}

const TABLE = Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

/** @param {number[]} data */
const crc = (data) => (data.reduce((c, byte) => TABLE[(c ^ byte) & 255] ^ (c >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;
