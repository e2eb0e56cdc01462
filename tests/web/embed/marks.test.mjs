import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const WEB = new URL("../../../autodiff_viz/web/", import.meta.url);
const sheets = readdirSync(WEB, { recursive: true }).filter((name) => name.endsWith(".css"));
const CANVAS = new Set(["canvas/canvas.css"]);

test("what hides a button that leads back does not hide the arrow before a cotangent, which has the same class", () => {
  let count = 0;
  for (const name of sheets)
    for (const [, selector, style] of readFileSync(new URL(name, WEB), "utf-8").matchAll(
      /([^{}]*\.back\b[^{}]*)\{([^{}]*)\}/g,
    ))
      if (style.includes("display: none") && !CANVAS.has(name)) {
        assert.match(
          selector,
          /\.asking(-next >)? \.back|\.asking-next > \.back/,
          `${name}: ${selector}`,
        );
        count += 1;
      }
  assert.ok(count >= 2);
});
