// @ts-check
// Find nodes that were added, removed or moved between two drawings. Pure.

/** @typedef {{ id: string, x: number, y: number }} Placed */

/** New nodes, whether others have gone or moved, and whether most nodes are new.
 * @param {Placed[]} before @param {Placed[]} after @returns {{ came: string[], moved: boolean, most: boolean }} */
export function changed(before, after) {
  const old = new Map(before.map((node) => [node.id, node]));
  const came = after.filter(({ id }) => !old.has(id)).map(({ id }) => id);
  const stayed = after.length - came.length;
  const moved = stayed < before.length || after.some(({ id, x, y }) => {
    const was = old.get(id);
    return was !== undefined && (was.x !== x || was.y !== y);
  });
  return { came, moved, most: came.length > stayed };
}
