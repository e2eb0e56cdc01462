import assert from "node:assert/strict";
import test from "node:test";
import {
  attributesOf,
  colorOf,
  fontStack,
  sharpness,
} from "../../../autodiff_viz/web/canvas/files/picture.js";
import { isDocument } from "../../../autodiff_viz/web/canvas/files/import_export.js";

const plain = (color) =>
  ({
    "rgb(255, 0, 0)": ["#ff0000", 1],
    "rgba(0, 0, 0, 0)": ["#000000", 0],
    glass: ["#102030", 0.25],
  })[color];

test("colours become six hex digits with an opacity beside them", () => {
  assert.deepEqual(colorOf([255, 0, 10, 255]), ["#ff000a", 1]);
  assert.deepEqual(attributesOf({ fill: "glass", stroke: "none" }, plain), {
    fill: "#102030",
    "fill-opacity": "0.250",
  });
});

test("what cannot be seen has no paint, and no line without a colour has a width", () => {
  const styles = {
    fill: "rgba(0, 0, 0, 0)",
    stroke: "none",
    "stroke-width": "2px",
    "paint-order": "stroke",
  };
  assert.deepEqual(attributesOf(styles, plain), { fill: "none" });
});

test("lengths lose their unit, and what SVG takes anyway is left out", () => {
  const styles = {
    fill: "none",
    stroke: "rgb(255, 0, 0)",
    "stroke-width": "2.5px",
    "stroke-linecap": "butt",
    "text-anchor": "end",
    "font-weight": "400",
  };
  assert.deepEqual(attributesOf(styles, plain), {
    fill: "none",
    stroke: "#ff0000",
    "stroke-width": "2.5",
    "text-anchor": "end",
  });
});

test("a font stack ends in a generic family and names each font once", () => {
  assert.equal(
    fontStack('"Source Sans", sans-serif, "Source Sans", sans-serif'),
    "'Source Sans', 'Segoe UI', 'Helvetica Neue', 'Arial', sans-serif",
  );
});

test("a bitmap has two pixels for one, and fewer only where it would be too large for a browser", () => {
  assert.equal(sharpness(800, 600), 2);
  assert.equal(sharpness(16384, 10), 0.5);
  const scale = sharpness(8000, 8000);
  assert.ok(scale < 1 && (8000 * scale) ** 2 <= 32.01e6);
});

test("links and a graph's JSON are documents; formulas and fragments are not", () => {
  for (const text of [
    "https://a.b/?g=1eJx",
    "http://localhost:8501/?node=a&g=1eJ_-x&dtype=float64\n",
    "?g=1e",
    ' {"autodiff_viz": 1, "nodes": []}',
    "https://a.b/?tour=eJx&tourstep=1",
    '{"autodiff_viz_tour": 1, "title": "T"}',
  ]) {
    assert.ok(isDocument(text), text);
  }
  for (const text of [
    "",
    "y = x > 2 ? g=1 : 3",
    "a = sin(x)",
    "https://a.b/",
    '{"fragment": 1}',
    "see https://a.b/?g=1eJx there",
  ]) {
    assert.ok(!isDocument(text), text);
  }
});
