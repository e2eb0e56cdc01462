// @ts-check
// Request the lab's code as soon as the page has come, before Streamlit's. This script stands in the page.

(() => {
  const opening = document.getElementById("av-opening");
  if (!opening) return;
  const path = new URL(opening.dataset.code ?? "", document.baseURI).href;
  import(path)
    .then((code) => code.open(code.css, code.constants))
    .catch((error) => {
      document.getElementById("av-first")?.remove(); // as on a host that does not serve it: Streamlit's page is not covered
      console.warn(error);
    });
})();
