// @ts-check
// Choose the theme of the page: Streamlit follows the system's, so what is chosen is answered in its place.
// This script stands in the head of each page, before Streamlit's code.

(() => {
  const root = document.documentElement;
  const THEMES = ["auto", "light", "dark", "contrast"];
  const ask = window.matchMedia.bind(window);
  const system = ask("(prefers-color-scheme: dark)");
  /** @type {Set<any>} */
  const followers = new Set();
  let theme = "auto";
  const isDark = () => (theme === "light" || theme === "dark" ? theme === "dark" : system.matches);
  /** @param {boolean} dark */
  const answer = (dark) => ({
    media: dark ? "(prefers-color-scheme: dark)" : "(prefers-color-scheme: light)",
    get matches() {
      return isDark() === dark;
    },
    onchange: null,
    addEventListener: (/** @type {string} */ _, /** @type {any} */ call) => followers.add(call),
    removeEventListener: (/** @type {string} */ _, /** @type {any} */ call) =>
      followers.delete(call),
    addListener: (/** @type {any} */ call) => followers.add(call),
    removeListener: (/** @type {any} */ call) => followers.delete(call),
    dispatchEvent: () => true,
  });
  window.matchMedia = (query) => {
    const scheme = /prefers-color-scheme: *(dark|light)/.exec(query);
    return scheme ? /** @type {any} */ (answer(scheme[1] === "dark")) : ask(query);
  };
  const tellTheme = () => {
    root.style.colorScheme = isDark() ? "dark" : "light";
    for (const dark of [true, false])
      for (const call of followers)
        (call.handleEvent ?? call)({ matches: isDark() === dark, media: answer(dark).media });
  };
  system.addEventListener("change", tellTheme);

  /** @param {string} name */
  const set = (name) => {
    theme = THEMES.includes(name) ? name : "auto";
    root.dataset.avTheme = theme;
    tellTheme();
  };

  /** What a frame's address says; else the link, or what this browser keeps: dock/layout.js writes both. */
  const first = () => {
    if (root.dataset.avTheme) return root.dataset.avTheme;
    try {
      const named = new URLSearchParams(location.hash.slice(1)).get("theme");
      return named ?? JSON.parse(localStorage.getItem("autodiff_viz.1.look") ?? "[]")[0]?.theme;
    } catch {
      return "auto"; // storage is denied, or another version has written it
    }
  };
  set(first());
  Object.assign(globalThis, { autodiff_viz_theme: { set } });
})();
