// @ts-check
// Make a path of lessons by clicks on cards, in their order, as an address that anybody can open.

/** The keys once a lesson has been clicked: it goes, or comes last while there is room. Pure.
 * @param {string[]} keys @param {string} key @param {number} most @returns {string[]} */
export function clicked(keys, key, most) {
  if (keys.includes(key)) return keys.filter((other) => other !== key);
  return keys.length < most ? [...keys, key] : keys;
}

/** The address of the path's page, from the page of lessons; lessons/paths.py reads it. Pure.
 * @param {string} path its key in addresses @param {string[]} keys @param {string} title */
export function addressOf(path, keys, title) {
  const fields = new URLSearchParams({ path, of: keys.join(",") });
  const name = title.trim();
  if (name) fields.set("name", name);
  return `?${String(fields).replaceAll("%2C", ",")}`;
}

/** What is said of the choice so far. Pure. @param {number} count @param {number} most */
export function chosenSays(count, most) {
  if (!count) return "Click lessons in the order in which they come.";
  if (count >= most) return `${count} lessons, which are as many as a path takes.`;
  return count === 1 ? "1 lesson" : `${count} lessons`;
}

/** @typedef {{ key: string, element: HTMLElement, link: HTMLAnchorElement }} Card */

/** Let cards be clicked to make a path. @param {Card[]} cards */
export function makePath(cards) {
  const begin = /** @type {HTMLButtonElement | null} */ (document.querySelector(".make"));
  const form = /** @type {HTMLFormElement} */ (document.querySelector(".making"));
  if (!begin) return;
  const title = /** @type {HTMLInputElement} */ (form.querySelector("input"));
  const said = /** @type {HTMLOutputElement} */ (form.querySelector("output"));
  const most = Number(form.dataset.most);
  /** @type {string[]} */
  let keys = [];
  const address = () =>
    new URL(addressOf(form.dataset.path ?? "", keys, title.value), location.href).href;
  const show = () => {
    const making = !form.hidden;
    document.body.classList.toggle("making-path", making);
    for (const { key, element, link } of cards) {
      const at = keys.indexOf(key);
      if (making && at >= 0) element.dataset.chosen = String(at + 1);
      else delete element.dataset.chosen;
      if (making) link.setAttribute("role", "button");
      else link.removeAttribute("role");
      if (making) link.setAttribute("aria-pressed", String(at >= 0));
      else link.removeAttribute("aria-pressed");
    }
    said.textContent = chosenSays(keys.length, most);
    for (const button of form.querySelectorAll("button:not([name=leave])"))
      /** @type {HTMLButtonElement} */ (button).disabled = !keys.length;
  };
  begin.addEventListener("click", () => {
    form.hidden = false;
    show();
  });
  form.querySelector("[name=leave]")?.addEventListener("click", () => {
    [form.hidden, keys] = [true, []];
    show();
    begin.focus();
  });
  form.querySelector("[name=copy]")?.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(address());
      said.textContent = "Its link is copied.";
    } catch {
      said.textContent = address(); // to be copied by hand
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    location.assign(address());
  });
  document.addEventListener(
    "click",
    (event) => {
      const on = event.target instanceof Element && event.target.closest(".card");
      const card = !form.hidden && on && cards.find(({ element }) => element === on);
      if (!card) return;
      event.preventDefault();
      keys = clicked(keys, card.key, most);
      show();
    },
    true,
  );
}
