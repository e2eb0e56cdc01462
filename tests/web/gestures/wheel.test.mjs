import assert from "node:assert/strict";
import test from "node:test";
import { wheelAction } from "../../../autodiff_viz/web/canvas/gestures/pan_zoom.js";

const STILL = {
  deltaX: 0,
  deltaY: 0,
  deltaMode: 0,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
};
const MOUSE = { ...STILL, deltaY: 120, wheelDeltaY: -120 }; // Chromium, one step
const LINES = { ...STILL, deltaY: 3, deltaMode: 1 }; // Firefox, one step
const FINGERS = { ...STILL, deltaY: 7, wheelDeltaY: -21 }; // Chromium, two fingers on a trackpad

test("a mouse's wheel zooms out when turned towards the user, in when turned away", () => {
  for (const turn of [MOUSE, LINES]) {
    assert.ok("zoom" in wheelAction(turn) && wheelAction(turn).zoom < 1);
    assert.ok(wheelAction({ ...turn, deltaY: -turn.deltaY }).zoom > 1);
  }
});

test("a step there and a step back is no change, and no step is large", () => {
  const [there, back] = [
    wheelAction(MOUSE).zoom,
    wheelAction({ ...MOUSE, deltaY: -120, wheelDeltaY: 120 }).zoom,
  ];
  assert.ok(Math.abs(there * back - 1) < 1e-12);
  assert.ok(wheelAction({ ...MOUSE, deltaY: -5000 }).zoom < 1.3);
});

test("two fingers on a trackpad move the view with them, and a pinch zooms", () => {
  assert.deepEqual(wheelAction(FINGERS), { move: [-0, -7] });
  assert.deepEqual(wheelAction({ ...FINGERS, deltaX: 5 }), { move: [-5, -7] });
  assert.ok(wheelAction({ ...FINGERS, ctrlKey: true }).zoom < 1);
});

test("with Shift the wheel moves the view sideways, however the browser sends it", () => {
  assert.deepEqual(wheelAction({ ...MOUSE, shiftKey: true }), { move: [-120, 0] });
  assert.deepEqual(wheelAction({ ...STILL, deltaX: 120, shiftKey: true }), { move: [-120, 0] });
});
