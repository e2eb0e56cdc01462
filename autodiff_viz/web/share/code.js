// @ts-check
// Draw a QR code: dark on white in every theme, since a camera reads it.

import { shared } from "../base/constants.js";
import { svg } from "../base/dom.js";

/** @typedef {import("./links.js").Code} Code */

/** @param {Code} code @param {string} label */
export const codePicture = ({ size, path }, label) =>
  svg(
    "svg",
    {
      class: "qr",
      viewBox: `0 0 ${size} ${size}`,
      role: "img",
      "aria-label": label,
      "shape-rendering": "crispEdges",
    },
    svg("rect", { width: size, height: size, fill: shared.qr.ground }),
    svg("path", { d: path, fill: shared.qr.ink }),
  );

/** The code as the text of an SVG file. Pure. @param {Code} code @param {number} px a side */
export const codeFile = ({ size, path }, px) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${px}" height="${px}" shape-rendering="crispEdges">` +
  `<rect width="${size}" height="${size}" fill="${shared.qr.ground}"/><path d="${path}" fill="${shared.qr.ink}"/></svg>`;
