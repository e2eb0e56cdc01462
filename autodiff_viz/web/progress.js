// @ts-check
// Remember the progress of lessons in the browser: exercises that were once done (`.av-done`) stay ticked,
// and the cards of the gallery show how many are. Streamlit draws both; a style sheet fills them in.
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
    /** @type {{ [key: string]: number }} */
    const counts = {};
    for (const id of done) counts[id.split(":")[0]] = (counts[id.split(":")[0]] ?? 0) + 1;
    const ticks = [...done].map(
      (id) =>
        `.av-tick[data-try="${id}"]::before { content: "\u2713" / "done"; font-weight: 700; }`,
    );
    const cards = Object.entries(counts).map(
      ([key, n]) => `.av-progress[data-lesson="${key}"]::before { content: "${n} of "; }`,
    );
    sheet.textContent = [...ticks, ...cards].join("\n");
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
