import assert from "node:assert/strict";
import test from "node:test";
import { GUIDE } from "../../autodiff_viz/ui/editor/web/guide.js";
import { KEYS } from "../../autodiff_viz/ui/editor/web/keys.js";

const SAID = new Set(GUIDE.flatMap(({ lines }) => lines.flatMap(({ keys = [] }) => keys)).map((key) => key.toLowerCase()));
const OTHER_NAMES = { escape: "esc", backspace: "delete", "=": "+", "ctrl+y": "ctrl+shift+z" };

test("every key that the canvas knows stands in the guide", () => {
  const missing = Object.keys(KEYS).filter((key) => !SAID.has(OTHER_NAMES[key] ?? key));
  assert.deepEqual(missing, []);
});

test("no key of the guide stands in it twice", () => {
  const all = GUIDE.flatMap(({ lines }) => lines.flatMap(({ keys = [] }) => keys));
  assert.deepEqual(all.filter((key, i) => all.indexOf(key) !== i), []);
});
