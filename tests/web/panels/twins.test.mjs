import assert from "node:assert/strict";
import test from "node:test";
import { isLit } from "../../../autodiff_viz/web/explain/compare.js";

test("a wire is lit under its own name, and as the wire of a card that stands for it", () => {
  assert.equal(isLit(["y:1"], "y:1"), true);
  assert.equal(isLit(["y:1"], "y:0"), false);
  assert.equal(
    isLit(["y:1"], "card:0", [
      { to: "z", slot: 1 },
      { to: "y", slot: 1 },
    ]),
    true,
  );
  assert.equal(isLit([], "card:0", [{ to: "z", slot: 1 }]), false);
});
