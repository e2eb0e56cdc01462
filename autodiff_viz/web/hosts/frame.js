// @ts-check
// Run in a frame of a page of others: that of Streamlit with what the frame's address shows and lets change, an address
// that is replaced and never pushed, and a height that is told to the page around it.

import { allows } from "../embed/contract.js";
import { Frame, page } from "../embed/frame.js";
import { overSocket, PAGE } from "./page.js";

const OF_STREAMLIT = ["embed", "embed_options"]; // which it hides from the page's code

/** Put a query into the frame's own address, without a step in the history of the page around it. @param {string} query */
function showAddress(query) {
  const hosts = [...new URLSearchParams(location.search)].filter(([name]) =>
    OF_STREAMLIT.includes(name),
  );
  const search = `?${new URLSearchParams(hosts)}&${query}`;
  if (search === location.search) return;
  history.replaceState(history.state, "", location.pathname + search);
  page()?.keep();
}

/** @param {import("../embed/contract.js").Embed} embed what the frame's address says @returns {import("../base/host.js").Host} */
export const frameOf = (embed) => ({
  ...PAGE,
  name: "frame",
  around: (editor, plot, sliders) => new Frame(editor, embed, plot, sliders),
  openChannel: overSocket,
  showAddress,
  may: (kind) => allows(embed, kind),
  setTheme: (theme) => page()?.setTheme(theme),
  size: { tell: (px) => page()?.tellHeight(px), scrolls: () => embed.wheel === "page" },
});
