// @ts-check
// Run the lab's code as soon as the picture of the first view is on the screen, and Streamlit's when the lab stands: all of it
// is fetched meanwhile. This script stands in the page, behind the picture.

(() => {
  const LATE_MS = 1500; // after which Streamlit does not wait for the lab
  const UNSEEN_MS = 200; // after which nothing waits for a picture that is not painted, as in a tab behind another
  const opening = document.getElementById("av-opening");
  const later = /** @type {HTMLTemplateElement | null} */ (document.getElementById("av-later"));
  if (!opening || !later) return;
  const path = new URL(opening.dataset.code ?? "", document.baseURI).href;
  const after = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const startLab = () =>
    import(path)
      .then((code) => code.open(code.css, code.constants))
      .catch((error) => {
        document.getElementById("av-first")?.remove(); // as on a host that does not serve it: Streamlit's page is not covered
        console.warn(error);
      });
  const start = async () => {
    await Promise.race([frame(), after(UNSEEN_MS)]);
    const tags = document.importNode(later.content, true);
    const streamlit = [...tags.querySelectorAll("script")];
    for (const script of streamlit) script.remove();
    document.head.append(tags);
    await Promise.race([startLab(), after(LATE_MS)]);
    await Promise.race([frame(), after(UNSEEN_MS)]);
    document.head.append(...streamlit);
  };
  start();
})();
