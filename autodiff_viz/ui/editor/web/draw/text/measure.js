// @ts-check
// Estimate a text's width from average letter widths, without a layout by the browser.

const NARROW = "ijltfrI1 .,:;|!'`()[]{}/\\-";
const WIDE = "mwMW@%→";
const RAISED = /[\u00b2\u00b3\u00b9\u02b0-\u02ff\u2070-\u208e]/; // exponents and indices
const EM = { narrow: 0.3, wide: 0.82, digit: 0.5, raised: 0.38, other: 0.53 }; // widths of Source Sans, Streamlit's font

/** @param {string} text @param {number} size of the font, px @returns {number} px */
export const textWidth = (text, size) => [...text].reduce((width, letter) => width + emOf(letter), 0) * size;

/** @param {string} letter */
function emOf(letter) {
  if (/[0-9]/.test(letter)) return EM.digit;
  if (NARROW.includes(letter)) return EM.narrow;
  if (RAISED.test(letter)) return EM.raised;
  return WIDE.includes(letter) ? EM.wide : EM.other;
}

/** The text, with an ellipsis if it is wider than `room` px.
 * @param {string} text @param {number} room @param {number} size of the font, px */
export function shortened(text, room, size) {
  if (textWidth(text, size) <= room + 0.1) return text; // tolerance for rounding in a size that was computed from the room
  const letters = [...text];
  let width = 0;
  const end = letters.findIndex((letter) => (width += emOf(letter) * size) > room);
  const kept = letters.slice(0, end);
  while (kept.length > 1 && textWidth(`${kept.join("")}…`, size) > room) kept.pop();
  return `${kept.join("").trimEnd()}…`;
}

/** As `shortened`; a number at the end of the name is kept, by which it differs from others.
 * @param {string} name @param {number} room @param {number} size of the font, px */
export function shortenedName(name, room, size) {
  const short = shortened(name, room, size);
  const number = /^\D.*?(_?\d+)$/.exec(name)?.[1] ?? "";
  if (short === name || !number) return short;
  const head = shortened(name.slice(0, -number.length) + "…", room - textWidth(number, size), size);
  return textWidth(head + number, size) <= room && head.length > 1 ? head + number : short;
}
