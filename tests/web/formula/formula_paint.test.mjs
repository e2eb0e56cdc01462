// The lines of the mirror under the formula's text.

import assert from "node:assert/strict";
import test from "node:test";
import { paint } from "../../../autodiff_viz/web/formula/mirror.js";

/** A row of the mirror, which knows how often it was written. */
class Row {
  writes = 0;
  setAttribute(name, value) {
    this[name] = value;
  }
  append() {}
  replaceChildren(...parts) {
    this.writes++;
    this.text = parts.map((part) => part.text ?? part).join("");
  }
  remove() {
    this.mirror.rows.splice(this.mirror.rows.indexOf(this), 1);
  }
}

/** A mirror that counts how often its live list of rows is asked for: each time may cost a pass over all of them. */
const mirror = () => ({
  rows: [],
  asked: 0,
  get children() {
    this.asked++;
    return this.rows;
  },
  appendChild(row) {
    row.mirror = this;
    this.rows.push(row);
    return row;
  },
});

const painted = (on, lines) => paint(on, { lines, ranges: new Map(), kinds: new Map() });

test("each line has a row with its number, and a row is written only when its line has changed", (t) => {
  globalThis.document = { createElement: () => new Row() };
  t.after(() => delete globalThis.document);
  const on = mirror();
  painted(on, ["a", "b", "c"]);
  painted(on, ["a", "d"]);
  assert.deepEqual(
    on.rows.map((row) => [row["data-number"], row.text, row.writes]),
    [
      ["1", "a", 1],
      ["2", "d", 2],
    ],
  );
});

test("the live list of rows is asked for once, however many lines there are", (t) => {
  globalThis.document = { createElement: () => new Row() };
  t.after(() => delete globalThis.document);
  const on = mirror();
  painted(
    on,
    Array.from({ length: 500 }, (_, i) => `${i}`),
  );
  assert.deepEqual([on.asked, on.rows.length], [1, 500]);
});
