// Print, for each drawing in the JSON file that is the argument, the wires whose drawn curve passes under a card that is
// not one of its ends, as [source, target, card].

import { readFileSync } from "node:fs";

import {
  bounds,
  hookCurve,
  overlap,
  outputPoint,
  slotPoint,
  wireCurve,
} from "../../autodiff_viz/web/canvas/state/geometry.js";

const STEPS = 48; // points of each piece of a curve
const INSIDE = 1; // px by which a curve may touch a card

/** @param {[number, number][]} piece @param {number} t */
const along = ([a, b, c, d], t) =>
  [0, 1].map(
    (i) =>
      (1 - t) ** 3 * a[i] +
      3 * t * (1 - t) ** 2 * b[i] +
      3 * t * t * (1 - t) * c[i] +
      t ** 3 * d[i],
  );

const under = ({ x, y, w, h }, [px, py]) =>
  x + INSIDE < px && px < x + w - INSIDE && y + INSIDE < py && py < y + h - INSIDE;

function crossed({ nodes, wires }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return wires.flatMap(({ from, to, slot, via }) => {
    const [source, target] = [byId.get(from), byId.get(to)];
    const ends = [outputPoint(source), slotPoint(target, slot)];
    const curve =
      source.tab === to && !source.beside ? hookCurve(...ends) : wireCurve(...ends, via);
    const points = curve.flatMap((piece) =>
      Array.from({ length: STEPS + 1 }, (_, i) => along(piece, i / STEPS)),
    );
    const span = bounds(points.map(([x, y]) => ({ x, y, w: 0.1, h: 0.1 })));
    const others = nodes.filter(
      (node) => node.id !== from && node.id !== to && overlap(node, span),
    );
    return others
      .filter((box) => points.some((point) => under(box, point)))
      .map(({ id }) => [from, to, id]);
  });
}

process.stdout.write(
  JSON.stringify(JSON.parse(readFileSync(process.argv[2], "utf8")).map(crossed)),
);
