// @ts-check
// Request the lab's code as soon as the page has come, before Streamlit's. This script stands in the page.

(() => {
  const opening = document.getElementById("av-opening");
  if (!opening) return;
  const path = new URL(opening.dataset.code ?? "", document.baseURI).href;
  import(path).then(
    (code) => code.open(code.css, code.constants),
    () => {}, // a host that does not serve it: the page comes with Streamlit's
  );
})();
