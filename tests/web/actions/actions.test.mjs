import assert from "node:assert/strict";
import test from "node:test";
import { ACTIONS, placed } from "../../../autodiff_viz/web/canvas/actions/actions.js";
import {
  guideOf,
  linesWith,
  printed,
  TABS,
} from "../../../autodiff_viz/web/canvas/actions/cheat_sheet.js";
import { ICONS } from "../../../autodiff_viz/web/base/icons.js";
import { actionOf } from "../../../autodiff_viz/web/canvas/actions/keys.js";

const guide = guideOf(ACTIONS);
const all = Object.entries(ACTIONS);
const keysOf = ({ keys = [], also = [] }) => [...keys, ...also];
const pressed = (name) => {
  const parts = name === "+" ? ["+"] : name.split("+");
  const held = parts.slice(0, -1);
  return {
    key: parts.at(-1),
    ctrlKey: held.includes("Ctrl"),
    metaKey: false,
    shiftKey: held.includes("Shift"),
    altKey: held.includes("Alt"),
  };
};

test("forward mode is offered only while no question hides numbers", () => {
  const { when } = ACTIONS.forward;
  for (const asking of [undefined, { hiding: false }, { hiding: true }])
    assert.equal(when(/** @type {any} */ ({ drawing: { asking } })), !asking?.hiding);
});

test("no key is that of two actions", () => {
  const keys = all.flatMap(([, action]) => keysOf(action)).map((key) => key.toLowerCase());
  assert.deepEqual(
    keys.filter((key, i) => keys.indexOf(key) !== i),
    [],
  );
});

test("every action that has a key stands in the cheat sheet with it", () => {
  const said = guide.flatMap(({ lines }) => lines.flatMap(({ keys = [] }) => keys));
  assert.deepEqual(
    all.filter(([, { keys = [] }]) => !keys.every((key) => said.includes(key))).map(([id]) => id),
    [],
  );
});

test("every key does what its action says, but for those that the browser hears itself", () => {
  for (const [id, action] of all)
    for (const key of keysOf(action))
      assert.equal(
        actionOf(pressed(key))[1],
        action.byBrowser ? undefined : action,
        `${id} ${key}`,
      );
});

test("the command key of a Mac is ctrl, and a letter means the same with shift unless that has another meaning", () => {
  assert.equal(actionOf({ ...pressed("z"), metaKey: true })[1], ACTIONS.undo);
  assert.equal(actionOf({ ...pressed("S"), shiftKey: true })[1], ACTIONS.stop);
  assert.equal(actionOf({ ...pressed("G"), shiftKey: true })[1], ACTIONS.fold);
  assert.equal(actionOf({ ...pressed("?"), shiftKey: true })[1], ACTIONS.help);
  assert.equal(actionOf(pressed("Ctrl+g"))[1], undefined);
});

test("every action can be reached: by a key, on a toolbar or in a menu", () => {
  assert.deepEqual(
    all.filter(
      ([, { keys, places, do: act, byBrowser }]) => (!keys && !places) || (!act && !byBrowser),
    ),
    [],
  );
});

test("every button has an icon", () => {
  const shown = ["top", "graph", "view", "bar", "file", "look"]
    .flatMap((place) => placed(place).flat())
    .filter(([, { on, places }]) => !(on && places.file));
  assert.deepEqual(
    shown.filter(([id, { icon = id }]) => !ICONS[icon]).map(([id]) => id),
    [],
  );
});

test("the strip above the canvas and the bar of the page have their actions in their groups", () => {
  const ids = (place) => placed(place).map((group) => group.map(([id]) => id));
  assert.deepEqual(
    [ids("graph"), ids("view")],
    [
      [["add", "select"]],
      [
        ["pin", "forward", "ask"],
        ["hide", "arrange"],
        ["farther", "fit", "nearer"],
      ],
    ],
  );
  assert.deepEqual(ids("bar"), [["undo", "redo", "history"], ["find", "help"], ["share"]]);
});

test("large type is the first thing in the menu View, and none of files", () => {
  assert.deepEqual(
    placed("look").map((group) => group.map(([id]) => id)),
    [
      ["present", "stage", "theme"],
      ["pin", "forward", "ask", "hide"],
      ["farther", "fit", "nearer"],
      ["help"],
    ],
  );
  assert.ok(
    !placed("file")
      .flat()
      .some(([id]) => id === "present"),
  );
});

test("arrows are printed as arrows, and in two words where another key is held", () => {
  assert.deepEqual(printed(ACTIONS.walk.keys), ["←", "↑", "→", "↓"]);
  assert.deepEqual(printed(ACTIONS.nudge.keys), ["Alt + arrows"]);
  assert.deepEqual(printed(["Escape"]), ["Esc"]);
});

test("each section stands in one tab of the sheet", () => {
  const inTabs = TABS.flatMap(({ sections }) => sections);
  assert.deepEqual(inTabs.toSorted(), guide.map(({ title }) => title).toSorted());
});

test("a search finds keys by what they do, by their letters and by the title of their section", () => {
  const does = (text) =>
    linesWith(guide, text).flatMap(({ lines }) => lines.map((line) => line.does));
  assert.ok(does("ctrl z").includes("Undo, redo"));
  assert.ok(does("Ctrl+Z").includes("Undo, redo"));
  assert.ok(does("zoo wheel").some((line) => line.startsWith("Zoom")));
  assert.equal(
    does("walk").length,
    guide.find(({ title }) => title === "Walk by keyboard").lines.length,
  );
  assert.deepEqual(does("nothing-like-this"), []);
});
