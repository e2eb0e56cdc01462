// Each host gives the lab all that it asks of where it runs, and says so itself.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import test from "node:test";

const WEB = new URL("../../../autodiff_viz/web/", import.meta.url);
const { BARE, host, runIn } = await import(new URL("base/host.js", WEB));

const EMBED = { edit: "values", wheel: "page", show: [], hide: [] };

/** The record of a host's file; a function makes it of what an address says. @returns {Promise<any>} */
async function hostOf(file) {
  const exported = await import(new URL(`hosts/${file}`, WEB));
  const found = Object.values(exported).find((one) => one?.name && one.mount);
  return found ?? exported.frameOf(EMBED);
}

const files = (await readdir(new URL("hosts/", WEB))).filter((name) => name.endsWith(".js"));

test("each host is a file with a name of its own, and has every field", async () => {
  const hosts = await Promise.all(files.map(hostOf));
  assert.deepEqual(hosts.map(({ name }) => `${name}.js`).sort(), files.sort());
  for (const one of hosts) {
    assert.deepEqual(Object.keys(one).sort(), Object.keys(BARE).sort(), one.name);
    assert.deepEqual(Object.keys(one.reach).sort(), Object.keys(BARE.reach).sort(), one.name);
  }
});

test("only entry points name a host: nothing else knows where it runs", async () => {
  const scripts = (await readdir(WEB, { recursive: true })).filter((name) => name.endsWith(".js"));
  const naming = [];
  for (const name of scripts) {
    const text = await readFile(new URL(name, WEB), "utf-8");
    if (/from "\.{1,2}\/hosts\//.test(text)) naming.push(name);
  }
  assert.deepEqual(naming.sort(), ["figure/figure.js", "lessons_page/page.js", "main.js"]);
});

test("what is asked is asked of the host that was named last", async () => {
  const { may } = await import(new URL("embed/gate.js", WEB));
  const { readList, TAB } = await import(new URL("base/store.js", WEB));
  assert.equal(may("rules"), true);
  runIn(await hostOf("frame.js"));
  assert.deepEqual([may("slide"), may("rules"), host.size.scrolls()], [true, false, true]);
  runIn(await hostOf("file.js"));
  assert.equal(may("rules"), true);
  assert.deepEqual(readList(TAB, "anything"), []); // it keeps nothing, and nothing fails
});
