// @ts-check
// Remember the progress of lessons in the browser: exercises that were once done (`.av-done`) stay ticked.
// Streamlit draws them; a style sheet fills the ticks in. The page of lessons reads what is kept here.
// Streamlit drops a script that holds the sign "less than" before a letter.

(() => {
  const NAME = "autodiff_viz done",
    STYLE = "av-progress-style";
  const page = /** @type {{ autodiff_viz_progress?: MutationObserver }} */ (globalThis);

  /** @returns {string[]} ids of exercises, such as "fork:0" */
  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(NAME) ?? "[]").filter((/** @type {unknown} */ id) =>
        /^[a-z0-9-]+:[0-9]+$/.test(String(id)),
      );
    } catch {
      return [];
    }
  };
  const done = new Set(read());
  const sheet =
    document.getElementById(STYLE) ??
    document.head.appendChild(Object.assign(document.createElement("style"), { id: STYLE }));

  const show = () => {
    const ticks = [...done].map(
      (id) =>
        `.av-tick[data-try="${id}"]::before { content: "\u2713" / "done"; font-weight: 700; }`,
    );
    sheet.textContent = ticks.join("\n");
  };

  const look = () => {
    const before = done.size;
    for (const mark of document.querySelectorAll(".av-done[data-try]"))
      done.add(mark.getAttribute("data-try") ?? "");
    if (done.size === before) return;
    try {
      localStorage.setItem(NAME, JSON.stringify([...done]));
    } catch {
      // a browser that keeps nothing
    }
    show();
  };

  page.autodiff_viz_progress?.disconnect();
  page.autodiff_viz_progress = new MutationObserver(look);
  page.autodiff_viz_progress.observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["class"],
  });
  show();
  look();
})();
