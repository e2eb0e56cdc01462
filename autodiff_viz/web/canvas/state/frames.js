// @ts-check
// Find the frames that hold nodes, checkpoint regions and groups, nested or side by side. Pure.

/** @typedef {import("../../types.js").Frame} Frame */
/** @typedef {import("../../types.js").Region} Region */
/** @typedef {import("../../types.js").Group} Group */

/** @param {Frame} frame @returns {frame is Group} */
export const isGroup = (frame) => !("policy" in frame);

/** @param {{ regions: Region[], groups?: Group[] }} drawing @returns {Frame[]} */
export const framesOf = ({ regions, groups = [] }) =>
  groups.length ? [...regions, ...groups] : regions;

/** Whether two drawings show the same nodes, wires and frames: the same objects, so that nothing is to be laid out again.
 * @param {import("../../types.js").Drawing} one @param {import("../../types.js").Drawing} other */
export const showsTheSame = (one, other) =>
  /** @type {const} */ (["nodes", "wires", "regions", "groups"]).every(
    (part) => one[part] === other[part],
  );

/** The frames with other nodes: a region's saved names are limited to its nodes, and an empty frame is removed.
 * @template {Frame} T @param {T[]} frames @param {(frame: T) => string[]} nodesOf @returns {T[]} */
export function framesOfNodes(frames, nodesOf) {
  const next = frames.map((frame) => {
    const nodes = nodesOf(frame);
    if (nodes.length === frame.nodes.length && nodes.every((id) => frame.nodes.includes(id)))
      return frame;
    return isGroup(frame)
      ? { ...frame, nodes }
      : { ...frame, nodes, saved: frame.saved?.filter((id) => nodes.includes(id)) };
  });
  return next.every((frame, i) => frame === frames[i])
    ? frames
    : next.filter(({ nodes }) => nodes.length);
}

/** @param {Frame} frame */
const ofBranches = (frame) => isGroup(frame) && frame.branches !== undefined;

/** Frames with their depth, outermost first; of a group and a region with the same nodes the group is the outer one,
 * of two groups that of branches, as in graph/frames.py.
 * @template {Frame} T @param {T[]} frames @returns {{ frame: T, depth: number }[]} */
export function nested(frames) {
  const sorted = [...frames].sort(
    (a, b) =>
      b.nodes.length - a.nodes.length ||
      Number(isGroup(b)) - Number(isGroup(a)) ||
      Number(ofBranches(b)) - Number(ofBranches(a)) ||
      (a.name < b.name ? -1 : 1),
  );
  /** How many frames so far hold a node. @type {Map<string, number>} */
  const held = new Map();
  return sorted.map((frame, i) => {
    const around = frame.nodes.map((id) => held.get(id) ?? 0);
    frame.nodes.forEach((id, at) => held.set(id, around[at] + 1));
    return { frame, depth: around.length ? around.reduce((a, b) => Math.min(a, b)) : i };
  });
}
