import assert from "node:assert/strict";
import test from "node:test";
import { firstPlot, availableFigures, othersOf } from "../../../autodiff_viz/web/dock/dock.js";
import { heightOf, checkedLook } from "../../../autodiff_viz/web/dock/layout.js";
import {
  labelOf,
  tabsIn,
  tabAfter,
  wantedAfterSelecting,
} from "../../../autodiff_viz/web/dock/panels.js";

test("the panels that have a tab are those that do not fit beside each other", () => {
  assert.deepEqual(tabsIn("narrow", "node", ["lesson"]), {
    tabs: ["node", "plots", "formula", "lesson"],
    chosen: "node",
  });
  assert.deepEqual(tabsIn("middle", "lesson", ["lesson"]), {
    tabs: ["lesson", "node", "formula"],
    chosen: "lesson",
  });
  assert.deepEqual(tabsIn("wide", "lesson", ["lesson"]), {
    tabs: ["lesson", "node", "formula"],
    chosen: "lesson",
  });
  assert.deepEqual(tabsIn("beside", "lesson", ["lesson"]).tabs, []);
});

test("in a low window every panel has a tab beside the canvas, the plots too, and the lesson is the first", () => {
  assert.deepEqual(tabsIn("low", "lesson", ["lesson"]), {
    tabs: ["lesson", "node", "plots", "formula"],
    chosen: "lesson",
  });
  assert.deepEqual(tabsIn("low", "lesson", []), {
    tabs: ["node", "plots", "formula"],
    chosen: "node",
  });
});

test("where the sliders are behind a tab, it says so", () => {
  for (const room of ["low", "middle", "wide"])
    assert.equal(labelOf(room, "node", tabsIn(room, "lesson", ["lesson"]).tabs), "Node, sliders");
  assert.equal(labelOf("low", "node", ["node", "plots", "formula"]), "Node, sliders");
  for (const [room, tabs] of [
    ["narrow", ["node", "plots", "formula", "lesson"]],
    ["middle", ["node", "formula"]],
  ])
    assert.equal(labelOf(room, "node", tabs), "Node");
  assert.equal(labelOf("low", "plots", ["node", "plots"]), "Plots");
});

test("a node takes the lesson's place where that has the whole column, and gives it back", () => {
  for (const room of ["wide", "middle", "low"]) {
    assert.equal(wantedAfterSelecting(room, true, "lesson", "lesson"), "node");
    assert.equal(wantedAfterSelecting(room, false, "node", "lesson"), "lesson");
    assert.equal(wantedAfterSelecting(room, false, "formula", "lesson"), "formula");
  }
  for (const room of ["beside", "narrow"])
    assert.equal(wantedAfterSelecting(room, true, "lesson", "lesson"), "lesson");
});

test("on a phone a node to which the present exercise gives a rule is shown, with the buttons for it", () => {
  assert.equal(wantedAfterSelecting("narrow", true, "lesson", "lesson", true), "node");
  assert.equal(wantedAfterSelecting("beside", true, "lesson", "lesson", true), "lesson");
});

test("the details of a node have a tab beside the lesson, but where both have a place of their own", () => {
  assert.equal(tabAfter("beside", "node", "lesson", ["lesson"]), "node");
  assert.equal(tabAfter("wide", "node", "lesson", ["lesson"]), "node");
  assert.equal(tabAfter("middle", "node", "lesson", ["lesson"]), "node");
  assert.equal(tabAfter("narrow", "node", "lesson", ["lesson"]), "node");
  assert.equal(tabAfter("wide", "formula", "lesson", ["lesson"]), "formula");
});

test("a tour has a tab beside the lesson, or in its place, and a node gives the place back to what was read", () => {
  assert.deepEqual(tabsIn("wide", "tour", ["tour"]).tabs, ["tour", "node", "formula"]);
  assert.deepEqual(tabsIn("wide", "tour", ["lesson", "tour"]), {
    tabs: ["lesson", "tour", "node", "formula"],
    chosen: "tour",
  });
  assert.deepEqual(tabsIn("narrow", "node", ["tour"]).tabs, ["node", "plots", "formula", "tour"]);
  assert.equal(wantedAfterSelecting("wide", false, "node", "tour"), "tour");
  assert.equal(labelOf("wide", "node", ["tour", "node", "formula"]), "Node, sliders");
});

test("without a lesson it has no tab, and a single tab is none", () => {
  assert.deepEqual(tabsIn("narrow", "lesson", []), {
    tabs: ["node", "plots", "formula"],
    chosen: "node",
  });
  assert.deepEqual(tabsIn("wide", "lesson", []), { tabs: [], chosen: "formula" });
});

test("a window that has become wider shows the first tab where a panel has none any more", () => {
  assert.equal(tabsIn("wide", "plots", ["lesson"]).chosen, "lesson");
  assert.equal(tabsIn("wide", "plots", []).chosen, "formula");
  assert.equal(tabsIn("middle", "plots", ["lesson"]).chosen, "lesson");
  assert.equal(tabsIn("middle", "plots", []).chosen, "node");
});

test("a stored look is used only as far as it makes sense", () => {
  assert.deepEqual(checkedLook(undefined), {
    dock: null,
    formula: null,
    folded: false,
    large: false,
    second: null,
    theme: "auto",
  });
  assert.deepEqual(checkedLook({ dock: "high", folded: 1, large: true, theme: "sepia", more: 2 }), {
    dock: null,
    formula: null,
    folded: false,
    large: true,
    second: null,
    theme: "auto",
  });
  assert.deepEqual([checkedLook({ dock: 3 }).dock, checkedLook({ formula: 3 }).formula], [120, 84]);
});

test("the dock leaves room for the canvas, however high it was made in a larger window", () => {
  const look = {
    dock: 600,
    formula: null,
    folded: false,
    large: false,
    second: null,
    theme: "auto",
  };
  assert.equal(heightOf(look, 1080), 600);
  assert.equal(heightOf(look, 720), 460);
  assert.equal(heightOf(look, 300), 120);
  assert.equal(heightOf({ ...look, folded: true }, 1080), 36);
  assert.equal(heightOf(look, 720, 41), 419);
  assert.deepEqual(
    [480, 600, 720, 1000].map((window) => heightOf({ ...look, dock: null }, window)),
    [120, 226, 240, 310],
  );
});

test("a graph with cuts opens with its segments, one about training with that, any other and a link with a figure", () => {
  const weighted = { nodes: [{ isParameter: true }], figure: "cotangents" };
  const trained = { ...weighted, trains: true };
  assert.equal(firstPlot(weighted, "cotangents"), "figure");
  assert.equal(firstPlot(trained, "cotangents"), "training");
  assert.equal(firstPlot({ ...trained, nodes: [{}] }, "cotangents"), "figure");
  assert.equal(firstPlot({ ...trained, figure: "sweep" }, "cotangents"), "figure");
  assert.equal(
    firstPlot({ nodes: [{ cut: true }], figure: "cotangents" }, "cotangents"),
    "segments",
  );
  assert.equal(firstPlot({ nodes: [{}], figure: "cotangents" }, "cotangents"), "figure");
  assert.deepEqual(othersOf({ nodes: [{ isParameter: true }, { cut: true }] }), [
    "segments",
    "training",
  ]);
});

test("a figure whose subject the graph lacks has no tab", () => {
  assert.deepEqual(availableFigures({ cotangents: "Cotangents", noise: "Noise" }, ["noise"]), {
    cotangents: "Cotangents",
  });
});
