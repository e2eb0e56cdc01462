import assert from "node:assert/strict";
import { test } from "node:test";
import { isOutside } from "../../../autodiff_viz/web/base/dismiss.js";

const part = (kind = "") => ({ matches: (selector) => selector.split(", ").includes(kind) });
const [root, opener, page] = [part(), part(), part()];

test("a press closes what is open if it is neither in it nor on its button", () => {
  assert.equal(isOutside([part(), page], root, opener), true);
  assert.equal(isOutside([part(), root, page], root, opener), false);
  assert.equal(isOutside([opener, page], root, opener), false);
  assert.equal(isOutside([opener, page], root, undefined), true);
});

test("sliders and the play bar close nothing: what is open follows their numbers", () => {
  assert.equal(isOutside([part(), part(".sliders"), page], root, opener), false);
  assert.equal(isOutside([part(), part(".transport"), page], root, opener), false);
});
