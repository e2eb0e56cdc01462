// @ts-check
// Build the lab in the document of a notebook's cell, and draw there the figures that the kernel makes: the entry point
// of the script that notebook/shim.js loads.

import { html } from "../base/dom.js";
import { runIn } from "../base/host.js";
import { notebookOf } from "../hosts/notebook.js";
import { Lab } from "../lab.js";

/** @typedef {import("../hosts/notebook.js").Peer} Peer */
/** A figure of Plotly, or why there is none, in words. @typedef {{ figure: any, words: string }} Shown */

const NO_PLOTLY = "Plotly could not be loaded here, so this plot is told in words.";

/** @param {Peer} peer @param {Record<string, string>} css by folder @param {import("../types.js").Constants} constants */
export default function main(peer, css, constants) {
  runIn(notebookOf(peer));
  const place = /** @type {HTMLElement} */ (document.getElementById("av-first-canvas"));
  const lab = new Lab(place.attachShadow({ mode: "open" }), css, constants);
  const plot = new Plot(/** @type {HTMLElement} */ (document.getElementById("av-figure")), peer);
  peer.listen(({ kind, figure }) => kind === "answer" && figure && plot.show(figure));
  peer.watch(() => plot.draw());
  peer.send({ kind: "open" });
  return lab;
}

class Plot {
  /** @param {HTMLElement} host @param {Peer} peer */
  constructor(host, peer) {
    this.chart = html("div", { class: "plot" });
    this.words = html("p", { class: "words" });
    host.replaceChildren(this.chart, this.words);
    this.peer = peer;
    /** @type {Shown | null} */
    this.shown = null;
    /** Plotly, once it was needed; null if it cannot be loaded. @type {Promise<any> | null} */
    this.plotly = null;
    new ResizeObserver(() => this.draw()).observe(this.chart);
  }

  /** @param {Shown} shown */
  show(shown) {
    this.shown = shown;
    this.draw();
  }

  async draw() {
    if (!this.shown || !this.chart.clientWidth) return; // as soon as its panel opens it has a width
    const { shown } = this;
    if (shown.figure) this.plotly ??= plotlyOf(this.peer);
    const plotly = shown.figure && (await this.plotly);
    if (this.shown !== shown) return;
    this.chart.hidden = !plotly;
    this.words.textContent = plotly || !shown.figure ? shown.words : `${NO_PLOTLY} ${shown.words}`;
    if (plotly) await plotly.react(this.chart, ...inColours(shown.figure, this.chart));
  }
}

/** The library, which the kernel has, once for all cells of the page; null where it cannot be run.
 * @param {Peer} peer @returns {Promise<any>} */
const plotlyOf = (peer) =>
  new Promise((loaded) => {
    const close = peer.listen(({ kind, url }) => {
      if (kind !== "plotly") return;
      close();
      const source = /** @type {HTMLScriptElement} */ (html("script", {}));
      source.addEventListener("load", () => loaded(/** @type {any} */ (globalThis).Plotly ?? null));
      source.addEventListener("error", () => loaded(null));
      source.src = url;
      document.head.append(source);
    });
    peer.send({ kind: "plotly" });
  });

/** The arguments of `react`, in the colours of the page. @param {any} figure @param {HTMLElement} chart */
function inColours({ data, layout }, chart) {
  const { color } = getComputedStyle(chart);
  const line = getComputedStyle(chart).borderTopColor;
  const axes = Object.fromEntries(
    Object.entries(layout)
      .filter(([name]) => /^[xy]axis/.test(name))
      .map(([name, axis]) => [name, { gridcolor: line, zerolinecolor: line, ...axis }]),
  );
  const clear = "transparent";
  return [
    data,
    {
      ...layout,
      ...axes,
      font: { color, ...layout.font },
      paper_bgcolor: clear,
      plot_bgcolor: clear,
      width: chart.clientWidth,
      template: undefined,
    },
    { displayModeBar: false, displaylogo: false },
  ];
}
