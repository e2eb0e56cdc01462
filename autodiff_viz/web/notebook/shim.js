// @ts-check
// Show a picture in a notebook's cell, and in its place the lab as soon as its code has come: from the kernel, once for all
// cells of the page. The lab has a document of its own, so that no key, style or name of the notebook meets one of its
// own. This script is the module of the widget, which each cell has: all else comes by messages.

/** @typedef {{ send: (content: object) => void, get: (name: string) => any, set: (name: string, value: any) => void,
 *   widget_manager?: { kernel?: { statusChanged?: any } },
 *   save_changes: () => void, on: (name: string, call: any) => void, off: (name: string, call: any) => void }} Model */
/** @typedef {{ kind: string, text?: string, html?: string, script?: string, url?: string, state?: number }} Content */

/** Of a kernel in JupyterLab, after which nothing is left of what was computed. */
const ENDS = new Set(["terminating", "dead", "restarting", "autorestarting"]);

const page = /** @type {any} */ (globalThis);
/** What has come, and is for all cells: by version. @type {Record<string, any>} */
const kept = (page.autodiff_viz_notebook ??= {});

/** Whether what is behind an element is dark: the next ground that is no glass. Painted, since a colour may be written in
 * many ways. @param {Element} from */
export function isDark(from) {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  /** @type {Element | null} */
  let at = pen && from;
  while (pen && at) {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = getComputedStyle(at).backgroundColor;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, through] = pen.getImageData(0, 0, 1, 1).data;
    if (through > 128) return 0.3 * red + 0.59 * green + 0.11 * blue < 128;
    const root = at.getRootNode();
    at = at.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  }
  return false;
}

/** A URL of a text that the kernel sends once. @param {Model} model @param {string} kind @param {string} key
 * @returns {Promise<{ url: string, html: string }>} */
export function once(model, kind, key) {
  return (kept[key] ??= new Promise((come) => {
    const heard = (/** @type {Content} */ content) => {
      if (content.kind !== kind) return;
      model.off("msg:custom", heard);
      const type = "text/javascript";
      const url = URL.createObjectURL(new Blob([content.text ?? ""], { type }));
      come({ url, html: content.html });
    };
    model.on("msg:custom", heard);
    model.send({ kind });
  }));
}

/** Keys that were pressed in the lab, as the notebook hears them around it. @param {object} keys */
export const pressed = (keys) =>
  new KeyboardEvent("keydown", { ...keys, bubbles: true, cancelable: true, composed: true });

export default {
  /** @param {{ model: Model, el: HTMLElement }} cell */
  render({ model, el }) {
    const picture = document.createElement("img");
    const show = () => {
      picture.src = `data:image/svg+xml,${encodeURIComponent(model.get("still"))}`;
      picture.alt = model.get("says");
    };
    show();
    const word = document.createElement("p");
    word.textContent =
      "The numbers answer as soon as the kernel does. If there is none, start it and run the cell to make it live.";
    word.style.cssText = "margin: 4px 0; font: 13px sans-serif";
    picture.style.cssText = "max-width: 100%";
    const frame = document.createElement("iframe");
    frame.title = "Lab";
    frame.style.cssText = `display: block; width: 100%; height: ${model.get("height")}px; border: 0; resize: vertical`;
    el.style.position = "relative";
    el.replaceChildren(picture, word);

    /** @type {Set<(content: Content) => void>} */
    const listeners = new Set();
    const heard = (/** @type {Content} */ content) => {
      if (content.kind !== "answer") return; // what is for all cells comes by `once`
      for (const call of [...listeners]) call(content);
      if (content.state === undefined || content.state === model.get("state")) return;
      model.set("state", content.state); // so that what depends on the widget follows, as a cell of marimo
      model.save_changes();
    };
    model.on("msg:custom", heard);
    // The way to the kernel has ended, or another one was found. If this lab is still there, it answers.
    const cut = () => {
      word.textContent = "The kernel has stopped; run the cell again.";
      for (const call of [...listeners]) call({ kind: "cut" });
      try {
        model.send({ kind: "open" });
      } catch {
        // a channel that is closed
      }
    };
    model.on("comm_live_update", cut); // of Jupyter, which says nothing of a kernel that has died or was shut down
    const signal = model.widget_manager?.kernel?.statusChanged;
    const heed = (/** @type {unknown} */ _kernel, /** @type {string} */ status) =>
      void (ENDS.has(status) && cut());
    signal?.connect(heed);
    /** @type {Set<() => void>} */
    const watchers = new Set();
    const watch = new MutationObserver(() => watchers.forEach((changed) => changed()));
    for (const element of [document.documentElement, document.body])
      watch.observe(element, { attributes: true });

    const version = model.get("version");
    once(model, "code", version).then(({ url, html }) => {
      // Also when the notebook has taken the cell out of the page and put it back, which empties the document.
      frame.addEventListener("load", () => {
        const inside = /** @type {any} */ (frame.contentWindow);
        if (!inside?.document.getElementById("av-first")) return;
        listeners.clear();
        watchers.clear();
        inside.autodiff_viz_peer = {
          send: (/** @type {{ kind: string }} */ content) => {
            if (content.kind !== "plotly") return model.send(content);
            once(model, "plotly", "plotly").then(({ url: library }) =>
              listeners.forEach((call) => call({ kind: "plotly", url: library })),
            );
          },
          listen: (/** @type {(content: Content) => void} */ call) => (
            listeners.add(call),
            () => void listeners.delete(call)
          ),
          press: (/** @type {object} */ keys) => el.dispatchEvent(pressed(keys)),
          isDark: () => isDark(el),
          watch: (/** @type {() => void} */ changed) => void watchers.add(changed),
        };
        const script = inside.document.createElement("script");
        script.type = "module";
        script.src = url;
        inside.document.head.append(script);
      });
      // Behind the picture until it has something to show.
      Object.assign(frame.style, { position: "absolute", top: "0", visibility: "hidden" });
      const answered = (/** @type {Content} */ { kind }) => {
        if (kind !== "answer") return;
        model.off("msg:custom", answered);
        Object.assign(frame.style, { position: "static", visibility: "visible" });
        picture.remove(); // a frame that is moved begins anew
        word.remove();
      };
      model.on("msg:custom", answered);
      frame.srcdoc = html;
      el.append(frame);
    });
    return () => {
      model.off("msg:custom", heard);
      model.off("comm_live_update", cut);
      signal?.disconnect(heed);
      watch.disconnect();
    };
  },
};
