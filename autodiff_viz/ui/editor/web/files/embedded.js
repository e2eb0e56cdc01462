// @ts-check
// Embed the graph in a picture file, as the text of its link: an iTXt chunk of a PNG, a <metadata> element of
// an SVG. Bytes and text only, no DOM. https://www.w3.org/TR/png-3/#11iTXt

const NAME = "autodiff_viz"; // keyword of the chunk, id of the element
const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
const FRAME = 12; // bytes of a chunk beside its data: length, name, checksum
const HEADER = SIGNATURE.length + FRAME + 13; // bytes of the signature and of the first chunk, whose data has 13

/** Beginnings of other pictures, which hold no graph. @type {[kind: string, at: number, begins: string][]} */
const OTHERS = [["JPEG", 0, "\xff\xd8\xff"], ["GIF", 0, "GIF8"], ["WebP", 8, "WEBP"]];

/** CRC-32 of a chunk's name and data. @param {Uint8Array} bytes */
export function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** The chunk's data begin so: keyword, no compression, no language, no translated keyword. */
const BEGINS = `${NAME}\0\0\0\0\0`;

/** @param {Uint8Array} bytes @param {number} [start] @param {number} [end] */
const lettersOf = (bytes, start = 0, end = bytes.length) => {
  let text = "";
  for (const byte of bytes.subarray(start, end)) text += String.fromCharCode(byte);
  return text;
};

/** The PNG file with the text of a link, or of a formula, in it. @param {Uint8Array} png @param {string} link */
export function withGraphInPng(png, link) {
  const body = new TextEncoder().encode(`iTXt${BEGINS}${link}`);
  const made = new Uint8Array(png.length + body.length + 8);
  const view = new DataView(made.buffer);
  made.set(png.subarray(0, HEADER));
  view.setUint32(HEADER, body.length - 4);
  made.set(body, HEADER + 4);
  view.setUint32(HEADER + 4 + body.length, crc32(body));
  made.set(png.subarray(HEADER), HEADER + 8 + body.length);
  return made;
}

/** The SVG file with the text of a link, or of a formula, in it. @param {string} svg @param {string} link */
export const withGraphInSvg = (svg, link) =>
  svg.replace("</title>", () => `</title><metadata id="${NAME}">${link.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</metadata>`);

/** The kind of a picture file and the link in it, null if it has none; null if the file is no picture.
 * @param {Uint8Array} bytes @returns {{ kind: string, text: string | null } | null} */
export function graphIn(bytes) {
  if (SIGNATURE.every((byte, i) => bytes[i] === byte)) return { kind: "PNG", text: inPng(bytes) };
  const other = OTHERS.find(([, at, begins]) => lettersOf(bytes, at, at + begins.length) === begins);
  if (other) return { kind: other[0], text: null };
  if (!/^(\xef\xbb\xbf)?\s*<(\?xml|!--|!DOCTYPE svg|svg)\b/.test(lettersOf(bytes, 0, 200))) return null;
  const text = new TextDecoder().decode(bytes);
  return /<svg\b/.test(text) ? { kind: "SVG", text: inSvg(text) } : null;
}

/** @param {Uint8Array} bytes @returns {string | null} */
function inPng(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = SIGNATURE.length; at + FRAME <= bytes.length; ) {
    const length = view.getUint32(at);
    const [start, end] = [at + 8, at + 8 + length];
    if (end + 4 > bytes.length) return null;
    const text = start + BEGINS.length;
    if (lettersOf(bytes, at + 4, start) === "iTXt" && text <= end && lettersOf(bytes, start, text) === BEGINS) {
      return new TextDecoder().decode(bytes.subarray(text, end));
    }
    at = end + 4;
  }
  return null;
}

/** @param {string} text @returns {string | null} */
function inSvg(text) {
  const found = new RegExp(`<metadata id="${NAME}">([^<]*)</metadata>`).exec(text);
  return found && found[1].replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&").trim();
}
