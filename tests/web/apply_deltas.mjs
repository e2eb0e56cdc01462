// Applies patches made by Python to drawings made by Python: `node apply_deltas.mjs pairs.json`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { apply } from "../../autodiff_viz/web/canvas/state/delta.js";

/** Whatever is changed in place must fail. */
function frozen(value) {
  if (value && typeof value === "object") Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const pairs = JSON.parse(readFileSync(process.argv[2], "utf-8"));
for (const { before, patch, after } of pairs)
  assert.deepEqual(apply(frozen(before), frozen(patch)), after);
console.log(`${pairs.length} as told`);
