// @ts-check
// Read a user's data, a file or a pasted table, as the fields of an edit; Python parses it.

import { shared } from "./constants.js";

/** @typedef {{ text: string } | { npy: string }} Held a table, or an .npy file in base64 */

const NUMBER = /^[+-]?(\d[\d.,'\u2019\u00a0\u202f ]*|\.\d+)(e[+-]?\d+)?$/i;
const KINDS = /\.(csv|tsv|npy)$/i;
const CHUNK = 8192; // bytes that become arguments of one call

export const ACCEPTED = ".csv,.tsv,.txt,.npy,text/csv,text/plain";

/** Whether a file is data by its name. @param {string} name */
export const isDataFile = (name) => KINDS.test(name);

/** Whether a text is a table and no formula: several cells on lines, of which more than a third are numbers.
 * @param {string} text */
export function isTable(text) {
  const cells = text
    .trim()
    .split(/[\t\n\r;,]+/)
    .map((cell) =>
      cell
        .trim()
        .replace(/^"(.*)"$/, "$1")
        .trim(),
    )
    .filter(Boolean);
  if (cells.length < 2 || /[=()[\]{}]/.test(text) || !/[\t\n\r]/.test(text.trim())) return false;
  return cells.filter((cell) => NUMBER.test(cell)).length * 3 > cells.length;
}

/** The data in a file; a sentence if it is too large or no data. @param {File} file @returns {Promise<Held | string>} */
export const dataIn = async (file) => {
  const most = /\.npy$/i.test(file.name) ? shared.limits.npy : shared.limits.document;
  if (file.size > most)
    return `Not read: ${file.name} has ${file.size.toLocaleString("en")} bytes; the limit is ${most.toLocaleString("en")}.`;
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (/\.npy$/i.test(file.name)) return { npy: base64(bytes) };
  if (bytes.includes(0))
    return `Not read: ${file.name} is neither text nor an .npy file. Save the sheet as CSV.`;
  return { text: new TextDecoder().decode(bytes) };
};

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}
