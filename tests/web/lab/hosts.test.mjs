// Each host gives the lab all that it asks of where it runs, and says so itself.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import test from "node:test";

const WEB = new URL("../../../autodiff_viz/web/", import.meta.url);
const notebooks = await import(new URL("hosts/notebook.js", WEB));
const { BARE, host, runIn } = await import(new URL("base/host.js", WEB));

const EMBED = { edit: "values", wheel: "page", show: [], hide: [] };

/** A way to a kernel that notes what is sent, and a notebook that is dark. */
function peer() {
  const made = { sent: [], listeners: [], send: (content) => made.sent.push(content) };
  made.listen = (call) => (made.listeners.push(call), () => made.listeners.splice(0));
  made.answer = (word) =>
    made.listeners.forEach((call) => call({ kind: "answer", text: JSON.stringify(word) }));
  return { ...made, made, isDark: () => true, watch: (changed) => (made.changed = changed) };
}

/** The record of a host's file; a function makes it of what an address says, or of the way to a kernel. @returns {Promise<any>} */
async function hostOf(file) {
  const exported = await import(new URL(`hosts/${file}`, WEB));
  const found = Object.values(exported).find((one) => one?.name && one.mount);
  return found ?? (exported.frameOf ? exported.frameOf(EMBED) : exported.notebookOf(peer()));
}

// All that takes time is done before the tests: the next file is loaded while a test waits, and changes the globals.
const { may } = await import(new URL("embed/gate.js", WEB));
const { readList, TAB } = await import(new URL("base/store.js", WEB));
const scripts = await scriptsIn("");
const files = await scriptsIn("hosts/");
const hosts = await Promise.all(files.map(hostOf));
const texts = await Promise.all(scripts.map((name) => readFile(new URL(name, WEB), "utf-8")));

/** The names of the scripts in a folder and below it. @param {string} folder @returns {Promise<string[]>} */
async function scriptsIn(folder) {
  const names = await readdir(new URL(folder, WEB), { recursive: true });
  return names.filter((name) => name.endsWith(".js"));
}

test("each host is a file with a name of its own, and has every field", () => {
  assert.deepEqual(hosts.map(({ name }) => `${name}.js`).sort(), files.sort());
  for (const one of hosts) {
    assert.deepEqual(Object.keys(one).sort(), Object.keys(BARE).sort(), one.name);
    assert.deepEqual(Object.keys(one.reach).sort(), Object.keys(BARE.reach).sort(), one.name);
  }
});

test("only entry points name a host: nothing else knows where it runs", () => {
  const naming = scripts.filter((_name, i) => /from "\.{1,2}\/hosts\//.test(texts[i]));
  assert.deepEqual(naming.sort(), [
    "figure/figure.js",
    "lessons_page/page.js",
    "main.js",
    "notebook/notebook.js",
  ]);
});

test("what is asked is asked of the host that was named last", (t) => {
  const [before, named] = [{ ...host }, (file) => hosts[files.indexOf(file)]];
  t.after(() => runIn(before));
  assert.equal(may("rules"), true);
  runIn(named("frame.js"));
  assert.deepEqual([may("slide"), may("rules"), host.size.scrolls()], [true, false, true]);
  runIn(named("file.js"));
  assert.equal(may("rules"), true);
  assert.deepEqual(readList(TAB, "anything"), []); // it keeps nothing, and nothing fails
});

test("a notebook's host sends what it is given to the kernel, and says when that does not answer", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const way = peer();
  const { notebookOf, LATE_MS } = notebooks;
  const { openChannel, reach, storage } = notebookOf(way);
  const heard = [];
  let told = 0;
  reach.watch(() => told++);
  const channel = openChannel((answer) => heard.push(answer));
  assert.equal(channel.send({ edits: [{ seq: 1 }] }), true);
  assert.deepEqual(way.made.sent, [{ kind: "message", message: { edits: [{ seq: 1 }] } }]);
  t.mock.timers.tick(LATE_MS - 1);
  assert.deepEqual([reach.isOffline(), told], [false, 0]);
  t.mock.timers.tick(1);
  assert.deepEqual([reach.isOffline(), reach.isConnected(), told], [true, false, 1]);
  way.made.answer({ ack: 3 });
  assert.deepEqual([heard, reach.isOffline(), told], [[{ ack: 3 }], false, 2]);
  t.mock.timers.tick(10 * LATE_MS); // nothing is sent, so nothing is late
  assert.equal(told, 2);
  storage.tab().setItem("a", "1");
  assert.deepEqual([storage.tab().getItem("a"), storage.browser().getItem("a")], ["1", null]);
});

test("a notebook's host says that its kernel has stopped until it answers again, and nothing is sent meanwhile", () => {
  const way = peer();
  const { openChannel, reach } = notebooks.notebookOf(way);
  let told = 0;
  reach.watch(() => told++);
  openChannel(() => {});
  assert.deepEqual([reach.over(), reach.isConnected()], ["", true]);
  way.made.listeners.forEach((call) => call({ kind: "cut" }));
  assert.match(reach.over(), /The kernel has stopped; run the cell again\./);
  assert.deepEqual([reach.isOffline(), reach.isConnected(), told], [true, false, 1]);
  way.made.answer({ ack: 0 });
  assert.deepEqual([reach.over(), reach.isConnected(), told], ["", true, 2]);
});

test("to save in a notebook's lab is to save the notebook, and no other key is taken", () => {
  const [page, pressed] = [new EventTarget(), []];
  notebooks.saveWith(page, { press: (keys) => pressed.push(keys) });
  const press = (/** @type {object} */ keys) => {
    const event = Object.assign(new Event("keydown", { cancelable: true }), keys);
    page.dispatchEvent(event);
    return event.defaultPrevented;
  };
  const held = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };
  const save = { ...held, key: "s", code: "KeyS", keyCode: 83, ctrlKey: true };
  assert.equal(press(save), true);
  assert.deepEqual(pressed.pop(), { key: "s", code: "KeyS", keyCode: 83, ctrlKey: true, metaKey: false, shiftKey: false }); // prettier-ignore
  assert.equal(press({ ...save, ctrlKey: false, metaKey: true }), true); // of a Mac
  assert.equal(press({ ...save, key: "S", shiftKey: true }), true);
  pressed.length = 0;
  assert.equal(press({ ...save, ctrlKey: false }), false); // a stop
  assert.equal(press({ ...save, altKey: true }), false);
  assert.equal(press({ ...save, key: "z" }), false);
  assert.deepEqual(pressed, []);
});

test("a notebook's lab has the notebook's theme until another one is chosen", () => {
  const themes = [];
  globalThis.autodiff_viz_theme = { set: (name) => themes.push(name) };
  const way = peer();
  const { setTheme } = notebooks.notebookOf(way);
  way.made.changed();
  setTheme("contrast");
  way.made.changed();
  setTheme("auto");
  assert.deepEqual(themes, ["dark", "contrast", "contrast", "dark"]);
  delete globalThis.autodiff_viz_theme;
});
