import assert from "node:assert/strict";
import test from "node:test";
import { isLeaving, watchLinks } from "../../../autodiff_viz/web/connection/links.js";

class Anchor {
  clicked = 0;
  click() {
    this.clicked++;
  }
}
globalThis.HTMLAnchorElement = Anchor;
globalThis.addEventListener = globalThis.removeEventListener = () => {};

/** A page at an address, with a link that can be clicked. */
function page(search, link) {
  const listeners = [];
  const anchor = Object.assign(new Anchor(), { search: link });
  globalThis.location = { search };
  globalThis.document = {
    addEventListener: (_, listener) => listeners.push(listener),
    removeEventListener: () => {},
    querySelectorAll: () => [anchor],
  };
  Object.assign(globalThis, { addEventListener: () => {}, removeEventListener: () => {} }); // pagehide
  const stop = watchLinks();
  return {
    stop,
    anchor,
    click: () =>
      listeners.forEach((listener) => listener({ target: { closest: () => anchor }, button: 0 })),
  };
}

test("nothing is sent from a link on until the address names its page", () => {
  const { click, stop } = page("?g=1&at=a.1", "?view=lessons");
  assert.ok(!isLeaving());
  click();
  assert.ok(isLeaving());
  location.search = "?g=2&at=a.2"; // written by a run that was under way
  assert.ok(isLeaving());
  location.search = "?view=lessons";
  assert.ok(!isLeaving());
  stop();
});

test("a link to the page that is open holds nothing up", () => {
  const { click, stop } = page("?g=1&at=a.1", "");
  click();
  assert.ok(!isLeaving());
  stop();
});

test("a link is followed again until its page has come", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { anchor, click, stop } = page("?g=1", "?view=lessons");
  click();
  t.mock.timers.tick(2_000);
  t.mock.timers.tick(4_000);
  assert.equal(anchor.clicked, 2);
  location.search = "?view=lessons";
  t.mock.timers.tick(10_000);
  assert.equal(anchor.clicked, 2);
  stop();
});
