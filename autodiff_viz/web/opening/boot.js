// @ts-check
// Run the lab's code as soon as the page has come, and Streamlit's when the lab stands: both are fetched meanwhile. This
// script stands in the page.

(() => {
  const LATE_MS = 1500; // after which Streamlit does not wait for the lab
  const opening = document.getElementById("av-opening");
  if (!opening) return;
  const path = new URL(opening.dataset.code ?? "", document.baseURI).href;
  const late = new Promise((resolve) => setTimeout(resolve, LATE_MS));
  const lab = import(path)
    .then((code) => code.open(code.css, code.constants))
    .catch((error) => {
      document.getElementById("av-first")?.remove(); // as on a host that does not serve it: Streamlit's page is not covered
      console.warn(error);
    });
  Promise.race([lab, late]).then(() =>
    requestAnimationFrame(() =>
      setTimeout(() => {
        const later = /** @type {HTMLLinkElement | null} */ (document.getElementById("av-later"));
        const script = document.createElement("script");
        Object.assign(script, { type: "module", crossOrigin: "", src: later?.href });
        if (later) document.head.append(script);
      }),
    ),
  );
})();
