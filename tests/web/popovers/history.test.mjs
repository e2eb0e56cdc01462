import assert from "node:assert/strict";
import test from "node:test";
import { presentStep } from "../../../autodiff_viz/web/canvas/popovers/history.js";

const history = { at: 1, labels: { 0: "Start", 1: "Stop gradient at a", 2: "Delete b" } };

test("steps under way count before Python has taken them", () => {
  assert.equal(presentStep(history, []), 1);
  assert.equal(presentStep(history, [{ kind: "undo" }]), 0);
  assert.equal(presentStep(history, [{ kind: "redo" }, { kind: "select" }]), 2);
  assert.equal(presentStep(history, [{ kind: "redo" }, { kind: "jump", index: 0 }]), 0);
});

test("there is nothing before the first step and after the last", () => {
  assert.equal(presentStep(history, [{ kind: "undo" }, { kind: "undo" }]), 0);
  assert.equal(presentStep(history, [{ kind: "redo" }, { kind: "redo" }]), 2);
});

test("with another edit under way the step has no name yet", () => {
  assert.equal(presentStep(history, [{ kind: "delete" }]), null);
});
