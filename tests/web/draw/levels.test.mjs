import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isFar,
  LEAST,
  levelOf,
  NAMED,
  NEAR,
  NUMBERED,
  readingOf,
  WHOLE,
} from "../../../autodiff_viz/web/canvas/draw/levels.js";

const SCALES = Array.from({ length: 290 }, (_, i) => 0.2 + i / 100);

test("no text on the screen is smaller than the least size, at any scale at which there is text", () => {
  for (const reading of [1, 18 / 13])
    for (const scale of SCALES) {
      const k = scale * reading;
      const { text, number } = levelOf(k, reading);
      assert.ok(text * k >= LEAST.text * reading - 1e-9, `text at ${k}`);
      assert.ok(number * k >= LEAST.number * reading - 1e-9, `numbers at ${k}`);
    }
});

test("text is at most a quarter larger than it needs to be, up to full scale", () => {
  for (const k of SCALES.filter((scale) => scale >= NUMBERED && scale <= 1.25))
    assert.ok(levelOf(k).number * k < 1.29 * LEAST.number, `at ${k}`);
});

test("a window of 1920 x 1080 has text of 14 px and numbers of 18", () => {
  assert.equal(readingOf({ w: 1280, h: 720 }), 1);
  const large = readingOf({ w: 1920, h: 1080 });
  assert.ok(LEAST.text * large >= 14 && LEAST.number * large >= 18 - 1e-9);
  assert.equal(readingOf({ w: 390, h: 844 }), 1);
  assert.equal(LEAST.text * readingOf({ w: 1280, h: 720 }, 20), 20); // for a projector
});

test("names are said from one scale on, and numbers from a smaller one", () => {
  assert.equal(levelOf(1), NEAR);
  assert.deepEqual(
    [1, 0.7, NAMED, 0.4, NUMBERED, 0.25, 0.1].map((k) => levelOf(k).detail),
    ["near", "middle", "small", "few", "few", "far", "boxes"],
  );
  assert.deepEqual(
    [NUMBERED, 0.25].map((k) => isFar(levelOf(k))),
    [false, true],
  );
});

test("on a phone there are numbers down to a smaller scale, as large as anywhere", () => {
  assert.deepEqual(
    [NUMBERED, 0.25, WHOLE, 0.1].map((k) => levelOf(k, 1, true).detail),
    ["few", "one", "one", "boxes"],
  );
  for (const k of [0.29, 0.25, 0.22, WHOLE])
    assert.ok(levelOf(k, 1, true).number * k >= LEAST.number - 1e-9);
  assert.ok(!isFar(levelOf(WHOLE, 1, true)));
  assert.equal(levelOf(0.5, 1, true), levelOf(0.5));
});
