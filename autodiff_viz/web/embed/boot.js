// @ts-check
// Prepare a frame: it shows a picture that the server has made, and loads the lab at the first touch. This
// script stands in the page. It keeps what the lab stores in memory, since in a frame storage may be denied
// and is shared with other frames; the link of a frame that was touched is kept for the tab, so that a slide
// that is left and entered again has its state.

(() => {
  const originOf = (/** @type {string} */ url) => (URL.canParse(url) ? new URL(url).origin : "");
  const root = document.documentElement;
  const poster = document.getElementById("av-poster");
  const later = /** @type {HTMLTemplateElement | null} */ (document.getElementById("av-later"));
  const given = location.search;
  const LATE_MS = 12_000; // after which the picture says that it takes long
  const { parent } = window;
  // Of two frames with one address each keeps its own state: which frame of its page it is tells them apart.
  const place = Array.from({ length: parent.length }, (_, i) => parent[i]).indexOf(window);
  const NAME = `autodiff_viz.frame ${window.name || place} ${given}`;

  /** @param {() => Storage} place */
  const storage = (place) => {
    try {
      return place();
    } catch {
      return null; // sandboxed, or denied in frames
    }
  };
  const tab = storage(() => sessionStorage);

  /** A storage in memory. */
  const memory = () => {
    /** @type {Map<string, string>} */
    const held = new Map();
    return {
      get length() {
        return held.size;
      },
      key: (/** @type {number} */ i) => [...held.keys()][i] ?? null,
      getItem: (/** @type {string} */ key) => held.get(String(key)) ?? null,
      setItem: (/** @type {string} */ key, /** @type {string} */ value) =>
        void held.set(String(key), String(value)),
      removeItem: (/** @type {string} */ key) => void held.delete(String(key)),
      clear: () => held.clear(),
    };
  };
  for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { value: memory(), configurable: true });
  try {
    void document.cookie;
  } catch {
    Object.defineProperty(document, "cookie", { get: () => "", set: () => {} });
  }

  // The state of a frame that was touched before.
  let started = false;
  const kept = tab?.getItem(NAME);
  if (kept) history.replaceState(history.state, "", location.pathname + kept);

  /** Load the lab: what Streamlit's page loads at once. */
  const start = () => {
    if (started || !later) return;
    started = true;
    root.dataset.avStarted = "";
    poster?.setAttribute("aria-busy", "true");
    document.head.append(later.content.cloneNode(true));
    setTimeout(() => {
      // The server is full or cannot be reached. Streamlit goes on trying, and says so behind the picture.
      if (!poster?.isConnected) return;
      poster.removeAttribute("aria-busy");
      const words = poster.querySelector(".av-try");
      if (words) words.textContent = "Still connecting \u2026 the server may be busy";
    }, LATE_MS);
  };
  const touched = (/** @type {Event} */ event) => {
    if (!event.isTrusted || /** @type {Element} */ (event.target).closest?.("a")) return;
    start();
  };
  poster?.addEventListener("pointerdown", touched);
  poster?.addEventListener("click", touched);
  poster?.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      start();
    }
  });

  /** @type {MessageEvent[]} */
  const waiting = [];
  /** @type {(event: MessageEvent) => void} */
  let hear = (event) => {
    waiting.push(event);
  };
  const post = (/** @type {unknown} */ message) => {
    if (window.parent !== window) window.parent.postMessage(message, "*");
  };
  let height = 0;
  Object.assign(globalThis, {
    autodiff_viz_frame: {
      start,
      setTheme: /** @type {any} */ (globalThis).autodiff_viz_theme.set,
      /** Remove the picture: the lab is on view. */
      shown: () => {
        if (!poster?.isConnected) return;
        const focused = document.activeElement === poster;
        poster.remove();
        return focused;
      },
      /** Tell the page around the frame how high it wants to be. @param {number} px */
      tellHeight: (px) => {
        if (px === height) return;
        height = px;
        post({ type: "autodiff:shown", v: 1, height });
        post(JSON.stringify({ subject: "lti.frameResize", height }));
      },
      /** Keep the address that the frame has now. */
      keep: () => {
        try {
          tab?.setItem(NAME, location.search);
        } catch {
          // full or denied: a frame that is loaded again begins anew
        }
      },
      /** Hand over the messages that have come so far, and all others. @param {(event: MessageEvent) => void} listener */
      listen: (listener) => {
        hear = listener;
        waiting.splice(0).forEach(listener);
      },
    },
  });
  // Who may talk to the frame: the listed origins, or without a list that of the page that has loaded it.
  const listed = (root.dataset.avEmbedders ?? "").split(" ").filter(Boolean);
  const around = [location.ancestorOrigins?.[0], originOf(document.referrer)];
  const mayTalk = (/** @type {string} */ origin) =>
    listed.length
      ? listed.includes("*") || listed.includes(origin)
      : origin !== "null" && around.includes(origin);
  addEventListener("message", (event) => {
    if (event.source !== window.parent || window.parent === window) return;
    const { type, id } = event.data ?? {};
    if (type !== undefined && !mayTalk(event.origin)) return;
    if (type === "autodiff:get") {
      const back = typeof id === "number" || (typeof id === "string" && id.length < 65) ? id : null;
      const to = event.origin === "null" ? "*" : event.origin;
      window.parent.postMessage(
        { type: "autodiff:state", v: 1, id: back, link: location.href },
        to,
      );
      return;
    }
    if (started || waiting.length < 20) hear(event);
    if (type === "autodiff:set") start();
  });
  post({ type: "autodiff:ready", v: 1 });
  const own = /** @type {any} */ (globalThis).autodiff_viz_frame;
  const say = () => {
    if (started) return;
    const [wide, high] = (root.dataset.avGraph ?? "").split(" ").map(Number);
    const scale = Math.min(1, Math.max(innerWidth - 48, 1) / wide);
    const picture = wide ? high * scale + 72 : 150;
    own.tellHeight(
      Math.round(Math.min(640, Math.max(150, picture)) + Number(root.dataset.avRows ?? 0)),
    );
  };
  say();
  addEventListener("resize", say);
  if (kept || root.dataset.avStart === "now") start();
})();
