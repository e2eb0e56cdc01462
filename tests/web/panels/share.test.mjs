// Test what the dialog of sharing asks for, and the file of a code.

import assert from "node:assert/strict";
import { test } from "node:test";

import { codeFile } from "../../../autodiff_viz/web/share/code.js";
import { USUAL, wishOf, withParameter, withWord } from "../../../autodiff_viz/web/share/dialog.js";

const SHOW = {
  name: "show",
  says: "",
  many: true,
  usual: "canvas,play",
  values: { canvas: "", formula: "", play: "" },
};

test("what is as usual is not asked for", () => {
  assert.deepEqual(wishOf(USUAL, ""), { height: "420" });
  const chosen = { ...USUAL, large: true, stage: "shown", asks: true, width: 600, ratio: true };
  assert.deepEqual(wishOf({ ...chosen, frame: { theme: "dark" } }, "t"), {
    theme: "dark",
    fragment: "large=1",
    stage: "",
    asks: "1",
    width: "600",
    ratio: "1",
    title: "t",
    height: "420",
  });
  assert.equal(wishOf({ ...USUAL, stage: "hidden" }, "").stage, "hidden");
  assert.equal(wishOf({ ...USUAL, theme: "dark" }, "").fragment, "theme=dark");
});

test("a parameter that is set back to its usual value is left out", () => {
  const chosen = withParameter({ edit: "none" }, SHOW, "canvas");
  assert.deepEqual(chosen, { edit: "none", show: "canvas" });
  assert.deepEqual(withParameter(chosen, SHOW, "canvas,play"), { edit: "none" });
});

test("words of a list stand in the order of the table, and names besides stay", () => {
  assert.equal(withWord(SHOW, "canvas,play", "formula", true), "canvas,formula,play");
  assert.equal(withWord(SHOW, "canvas,slider:x,play", "canvas", false), "play,slider:x");
  assert.equal(withWord(SHOW, "canvas", "canvas", false), "");
});

test("the file of a code is an SVG of whole modules", () => {
  const file = codeFile({ version: 1, size: 29, path: "M4 4h1v1h-1z" }, 580);
  assert.match(
    file,
    /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 29 29" width="580" height="580"/,
  );
  assert.match(file, /<path d="M4 4h1v1h-1z" fill="#000000"\/><\/svg>$/);
});
