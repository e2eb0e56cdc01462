// @ts-check
// Drag the marker of the sweep figure: it moves the slider of the swept input, as does a click elsewhere.
// Plotly draws the figure; the figure's `meta` (explain/sweep/figure.py) says which input its marker
// belongs to.

import { html } from "../base/dom.js";

/**
 * @typedef {object} Axis
 * @property {number} offset px from the plot's left edge
 * @property {number} length px
 * @property {number[]} range values at its ends
 */
/** @typedef {{ layout: any, _fullLayout: any } & HTMLElement} Plot a drawing of Plotly's */
/** @typedef {import("../sliders/sliders.js").Row} Row */

const PLOT = ".js-plotly-plot";
const GRIP = 12; // px on either side of the marker
const STILL = 3; // px by which a click may move

/** The value at a place of the plot, or of the end that is nearer. @param {Axis} axis @param {number} x px */
export function valueAt({ offset, length, range: [low, high] }, x) {
  const share = Math.min(Math.max((x - offset) / length, 0), 1);
  return low + share * (high - low);
}

/** @param {Axis} axis @param {number} value @returns {number} px from the plot's left edge */
export const placeOf = ({ offset, length, range: [low, high] }, value) =>
  offset + ((value - low) / (high - low)) * length;

/** Whether a place of the plot is on the marker. @param {Axis} axis @param {number} value its value @param {number} x px */
export const isNear = (axis, value, x) => Math.abs(placeOf(axis, value) - x) <= GRIP;

/** The axis of the panel at a place, or of the nearest. @param {any[]} axes Plotly's, one for each panel @param {number} x px */
export function axisAt(axes, x) {
  const away = (/** @type {any} */ { _offset: left, _length: length }) =>
    Math.max(left - x, x - left - length, 0);
  return [...axes].sort((a, b) => away(a) - away(b))[0];
}

/** Let the marker move sliders. @param {(input: string) => Row | undefined} rowOf @returns {() => void} ends it */
export function listenToMarker(rowOf) {
  const ending = new AbortController();
  const listen = (/** @type {string} */ kind, /** @type {(event: any) => void} */ act) =>
    document.addEventListener(kind, act, { capture: true, signal: ending.signal });
  listen("pointerdown", (event) => event.button === 0 && press(event, rowOf));
  listen("pointermove", ({ target, clientX }) => {
    const place = placeUnder(target, clientX);
    const layer = place?.plot.querySelector(".nsewdrag");
    if (place && layer instanceof SVGElement)
      layer.style.cursor = isNear(place.axis, place.value, place.x) ? "ew-resize" : "";
  });
  return () => ending.abort();
}

/** The plot of a sweep under an event, with the place in it.
 * @param {EventTarget | null} target @param {number} clientX */
function placeUnder(target, clientX) {
  const plot = target instanceof Element ? /** @type {Plot | null} */ (target.closest(PLOT)) : null;
  const meta = plot?.layout?.meta;
  const x = plot ? clientX - plot.getBoundingClientRect().left : 0;
  const across = axisAt([plot?._fullLayout?.xaxis, plot?._fullLayout?.xaxis2].filter(Boolean), x);
  if (!plot || !meta?.swept || !across || (target instanceof Element && target.closest(".modebar")))
    return null;
  const axis = { offset: across._offset, length: across._length, range: across.range.map(Number) };
  return { plot, axis, input: String(meta.swept), value: Number(meta.here), x };
}

/** @param {PointerEvent} event @param {(input: string) => Row | undefined} rowOf */
function press(event, rowOf) {
  const place = placeUnder(event.target, event.clientX);
  const row = place && rowOf(place.input);
  if (
    !place ||
    !row ||
    place.x < place.axis.offset - GRIP ||
    place.x > place.axis.offset + place.axis.length + GRIP
  )
    return;
  const { plot, axis } = place;
  const [held, left] = [isNear(axis, place.value, place.x), plot.getBoundingClientRect().left];
  const zooms = !held && plot._fullLayout.dragmode; // the user has chosen to zoom: a drag is Plotly's
  const line = html("div", { class: "sweep-marker", "aria-hidden": "true" });
  line.style.cssText =
    "position:absolute;top:0;bottom:0;width:2px;pointer-events:none;background:currentColor;opacity:0.6";
  let moved = false;
  const move = (/** @type {PointerEvent} */ { clientX }) => {
    if (!held || (!moved && Math.abs(clientX - event.clientX) <= STILL)) return;
    const value = valueAt(axis, clientX - left);
    row.pull(value, !moved);
    moved = true;
    line.style.left = `${placeOf(axis, value)}px`;
    if (plot.querySelector(".sweep-follow"))
      line.remove(); // sweepmark.js has one of its own
    else if (!line.isConnected) plot.append(line);
  };
  const ending = new AbortController();
  const end = (/** @type {PointerEvent} */ { type, clientX }) => {
    ending.abort();
    line.remove();
    const clicked =
      type === "pointerup" && !moved && !zooms && Math.abs(clientX - event.clientX) <= STILL;
    if (clicked) row.pull(valueAt(axis, clientX - left), true);
    if (clicked || moved) row.drop();
  };
  if (held) event.preventDefault();
  if (held) event.stopPropagation(); // Plotly would begin a drag of its own
  window.addEventListener("pointermove", move, { signal: ending.signal });
  for (const kind of ["pointerup", "pointercancel"])
    window.addEventListener(kind, /** @type {any} */ (end), { signal: ending.signal });
}
