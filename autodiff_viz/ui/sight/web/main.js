// @ts-check
// Whether a place of the page can be seen, told to Python whenever that changes.

const NAME = "seen";

/** @type {WeakMap<Node, IntersectionObserver>} */
const watches = new WeakMap();

/** @param {{ data: { place: string }, parentElement: ParentNode & Node, setStateValue: (name: string, value: any) => void }} component */
export default function sight({ data, parentElement, setStateValue }) {
  watches.get(parentElement)?.disconnect();
  let told = false; // what Python takes for granted
  const watch = new IntersectionObserver((entries) => {
    const seen = entries.at(-1)?.isIntersecting ?? true;
    if (seen !== told) setStateValue(NAME, (told = seen));
  });
  watches.set(parentElement, watch);
  const place = document.querySelector(`.st-key-${data.place}`);
  if (place) watch.observe(place);
  return () => {};
}
