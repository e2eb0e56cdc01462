import assert from "node:assert/strict";
import test from "node:test";
import { shortened, shortenedName, textWidth } from "../../../autodiff_viz/web/base/numbers.js";

test("a longer text is wider", () => {
  assert.ok(textWidth("logsumexp", 12) > textWidth("log", 12));
  assert.ok(textWidth("mmm", 12) > textWidth("iii", 12));
});

test("a text that fits is left as it is", () => {
  assert.equal(shortened("exp_1", 100, 12), "exp_1");
  assert.equal(shortened("", 0, 12), "");
  for (const text of ["[0.26, 0.52, 0.49]", "[−1, −1, 0.983]", "0.1234"]) {
    for (const room of [61, 83.7, 98])
      assert.equal(shortened(text, room, room / textWidth(text, 1)), text);
  }
});

test("a text that does not fit ends in an ellipsis and then fits", () => {
  const text = shortened("a_rather_long_name", 60, 12);
  assert.match(text, /^a_rat.*…$/);
  assert.ok(textWidth(text, 12) <= 60);
});

test("a name that is shortened keeps the number at its end, by which it differs from its neighbours", () => {
  const [one, two] = ["branch_1", "branch_12"].map((name) => shortenedName(name, 44, 12));
  assert.match(one, /^b\w*…_1$/);
  assert.match(two, /^b\w*…_12$/);
  assert.ok(textWidth(one, 12) <= 44 && textWidth(two, 12) <= 44);
  assert.equal(shortenedName("branch_1", 100, 12), "branch_1");
  assert.equal(
    shortenedName("a_rather_long_name", 60, 12),
    shortened("a_rather_long_name", 60, 12),
  );
  const parameters = ["model_0_weight_1", "model_0_bias_1", "model_2_weight_1", "model_fc1_bias_1"];
  const fits = (letters) => parameters.map((name) => shortenedName(name, 7 * letters, 12));
  assert.deepEqual(fits(8), ["0_weight", "0_bias_1", "2_weight", "fc1_bias"]);
  assert.equal(new Set(fits(6)).size, parameters.length);
  for (const text of fits(6)) assert.ok(textWidth(text, 12) <= 42);
  assert.equal(shortenedName("h_123456789", 40, 12), shortened("h_123456789", 40, 12)); // no letter would be left
});
