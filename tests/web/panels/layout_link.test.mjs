// The layout in a link: what one page says, another one reads; whatever else stands there is ignored.

import assert from "node:assert/strict";
import test from "node:test";

import { placeOf, viewOf } from "../../../autodiff_viz/web/canvas/state/geometry.js";
import { fromFragment, toFragment } from "../../../autodiff_viz/web/dock/layout.js";
import { USUAL, checkedLook } from "../../../autodiff_viz/web/dock/layout.js";

const LOOKS = [
  { folded: true },
  { large: true },
  { dock: 300 },
  { formula: 210 },
  { folded: true, large: true, dock: 400, formula: 130 },
  { second: "sweep" },
  { theme: "dark" },
].map((look) => ({ ...USUAL, ...look }));

test("a look in a link is read as it was", () => {
  for (const look of LOOKS)
    assert.deepEqual(checkedLook(fromFragment(toFragment(look, null)).look), look);
});

test("a second plot is kept in a link and in the browser, also if its name is of two words", () => {
  for (const second of ["rule_check", "sweep", "cotangents"]) {
    const look = { ...USUAL, second };
    assert.deepEqual(checkedLook(fromFragment(toFragment(look, null)).look), look);
    assert.deepEqual(checkedLook(JSON.parse(JSON.stringify(look))), look);
  }
});

test("the usual look and a fitted view add nothing to a link", () => {
  assert.equal(toFragment(USUAL, null), "");
  assert.deepEqual(fromFragment(""), { look: null, place: null });
});

test("the part of the graph on view is the same on a canvas of another size", () => {
  const view = { x: -130.5, y: 42, k: 1.25 };
  const place = placeOf(view, { w: 780, h: 320 });
  const { look, place: read } = fromFragment(toFragment(USUAL, place));
  assert.equal(look, null);
  const other = viewOf(read, { w: 1400, h: 700 });
  const middle = [(700 - other.x) / other.k, (350 - other.y) / other.k];
  assert.ok(
    Math.abs(middle[0] - (390 + 130.5) / 1.25) < 1 && Math.abs(middle[1] - (160 - 42) / 1.25) < 1,
  );
  assert.equal(other.k, 1.25);
});

test("on a canvas of the same size the view is the same", () => {
  const view = { x: 17, y: -42, k: 0.75 };
  assert.deepEqual(viewOf(placeOf(view, { w: 800, h: 400 }), { w: 800, h: 400 }), view);
});

test("what no page has written is ignored", () => {
  for (const hash of [
    "#view=",
    "#view=1,2",
    "#view=a,b,c",
    "#view=0,1,1",
    "#view=-1,0,0",
    "#view=1,1e9,0",
    "#view=Infinity,0,0",
    "#view=1,,2",
    "#",
  ])
    assert.equal(fromFragment(hash).place, null, hash);
  for (const dock of ["-5", "0", "x", "1e9", ""])
    assert.equal(fromFragment(`#dock=${dock}`).look.dock, null, dock);
  for (const second of ["<b>", "rule check", "segments", "no_such_plot"])
    assert.equal(checkedLook(fromFragment(`#second=${second}`).look).second, null, second);
  assert.deepEqual(checkedLook(fromFragment("#folded=yes&large=2").look), USUAL);
  assert.equal(fromFragment("#somewhere-else").look, null);
});

test("a scale that the canvas does not have becomes the nearest", () => {
  const size = { w: 100, h: 100 };
  assert.ok(viewOf({ k: 900, x: 0, y: 0 }, size).k < 900);
  assert.ok(viewOf({ k: 1e-6, x: 0, y: 0 }, size).k > 1e-6);
});
