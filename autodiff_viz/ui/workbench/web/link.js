// @ts-check
// Encode the layout in a link: which panels are folded, how large they are, and the part of the graph on
// view. It is in the fragment, after the #, which only the browser reads:
// `#folded=1&dock=300&view=1.5,120,-40`.

/** @typedef {import("./look.js").Look} Look */
/** @typedef {{ k: number, x: number, y: number }} Place the scale, and the point of the graph in the middle of the canvas */

const FAR = 1e6; // the greatest coordinate that is read
const LARGEST = 1e4; // px

/** The fragment of a link; "" for the usual look and a view that is fitted. Pure.
 * @param {Look} look @param {Place | null} place of a view that the user has chosen */
export function toFragment({ dock, formula, folded, large, second }, place) {
  const fields = {
    ...(folded && { folded: "1" }), ...(large && { large: "1" }), ...(dock && { dock: String(dock) }), ...(formula && { formula: String(formula) }), ...(second && { second }),
    ...(place && { view: [place.k.toPrecision(4), place.x.toFixed(0), place.y.toFixed(0)].join(",") }),
  };
  const text = new URLSearchParams(fields).toString().replaceAll("%2C", ",");
  return text && `#${text}`;
}

/** What a fragment says, where anything may stand. Pure.
 * @param {string} hash @returns {{ look: Partial<Look> | null, place: Place | null }} null where it says nothing */
export function fromFragment(hash) {
  const fields = new URLSearchParams(hash.slice(1));
  const px = (/** @type {string} */ name) => {
    const found = Number(fields.get(name));
    return found > 0 && found < LARGEST ? found : null;
  };
  const look = { folded: fields.get("folded") === "1", large: fields.get("large") === "1", dock: px("dock"), formula: px("formula"), second: fields.get("second") };
  const [k, x, y] = (fields.get("view") ?? "").split(",").map((part) => (part.trim() ? Number(part) : NaN));
  const isPlace = k > 0 && k < FAR && Math.abs(x) < FAR && Math.abs(y) < FAR;
  return { look: ["folded", "large", "dock", "formula", "second"].some((name) => fields.has(name)) ? look : null, place: isPlace ? { k, x, y } : null };
}
