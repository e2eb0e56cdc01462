import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allows,
  readEmbed,
  shows,
  showsSlider,
  wholeLab,
} from "../../../autodiff_viz/web/embed/contract.js";

const frame = (query) => readEmbed(`?embed=1&v=1${query}`);

test("an address that is for no frame of this version is read as the whole lab", () => {
  for (const search of ["", "?embed=1", "?embed=true&v=1", "?embed=1&v=2", "?v=1"])
    assert.equal(readEmbed(search), null);
});

test("what cannot be read is the default", () => {
  const usual = frame("");
  assert.deepEqual(usual.show, ["canvas", "question", "sliders", "play", "open"]);
  assert.equal(usual.edit, "values");
  for (const query of ["&edit=ALL", "&show=&hide=bogus", "&step=-1&theme=sepia", "&unknown=1"])
    assert.deepEqual(frame(query), usual);
});

test("a list keeps its known words, once each, also names in other scripts", () => {
  const { show } = frame(
    `&show=formula,%20slider:x,bogus,plot:sweep,slider:${encodeURI("θ")},formula`,
  );
  assert.deepEqual(show, ["formula", "slider:x", "plot:sweep", "slider:θ"]);
});

test("sliders and plots are shown if any is, and hide takes away", () => {
  const embed = frame("&show=canvas,slider:x,slider:y,plot:sweep&hide=canvas,slider:y");
  assert.deepEqual(
    ["canvas", "sliders", "plot", "play"].map((name) => shows(embed, name)),
    [false, true, true, false],
  );
  assert.deepEqual(
    ["x", "y", "z"].map((name) => showsSlider(embed, name)),
    [true, false, false],
  );
});

test("edits that may be sent follow from what may be changed", () => {
  const kinds = ["select", "slide", "rules", "delete", "constant"];
  const may = (edit) => kinds.filter((kind) => allows(frame(`&edit=${edit}`), kind));
  assert.deepEqual(may("none"), ["select"]);
  assert.deepEqual(may("values"), ["select", "slide", "constant"]);
  assert.deepEqual(may("rules"), ["select", "slide", "rules", "constant"]);
  assert.deepEqual(may("all"), kinds);
});

test("the whole lab has the state and nothing of the frame", () => {
  assert.equal(
    wholeLab(
      "?embed=1&v=1&show=canvas&edit=none&lesson=two-uses&node=a&embed_options=dark_theme&step=2",
    ),
    "?lesson=two-uses&node=a&step=2",
  );
  assert.equal(wholeLab("?embed=1&v=1"), "");
});
