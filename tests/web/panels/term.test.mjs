import assert from "node:assert/strict";
import test from "node:test";
import { piecesOf, placeOf } from "../../../autodiff_viz/web/base/term.js";

const tip = { w: 300, h: 60 },
  page = { w: 1280, h: 720 };

test("an explanation stands below its word, above it at the foot of the page, and always in view", () => {
  assert.deepEqual(placeOf({ left: 100, top: 80, bottom: 100 }, tip, page), [100, 106]);
  assert.deepEqual(placeOf({ left: 100, top: 690, bottom: 710 }, tip, page), [100, 624]);
  assert.deepEqual(placeOf({ left: 1200, top: 80, bottom: 100 }, tip, page), [974, 106]);
  assert.deepEqual(placeOf({ left: -5, top: 10, bottom: 110 }, tip, { w: 200, h: 120 }), [6, 6]);
});

test("the first of each word of the glossary is marked, also in the plural, and the text stays", () => {
  const text =
    "Cotangents & <b>values</b>: each cotangent, and Jacobians. The covalue is no value.";
  const pieces = piecesOf(text);
  assert.equal(pieces.map(([piece]) => piece).join(""), text);
  assert.deepEqual(
    pieces.filter(([, word]) => word),
    [
      ["Cotangents", "cotangent"],
      ["values", "value"],
      ["Jacobians", "Jacobian"],
    ],
  );
  assert.deepEqual(piecesOf("the arriving cotangent"), [
    ["the "],
    ["arriving cotangent", "arriving cotangent"],
  ]);
  assert.deepEqual(piecesOf("y = x * 2"), [["y = x * 2"]]);
  assert.deepEqual(piecesOf(""), []);
});
