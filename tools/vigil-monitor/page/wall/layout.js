// SPDX-License-Identifier: LGPL-2.1-or-later
// How many columns make the tiles largest: of all numbers of columns, the one whose tiles of `aspect` are widest while
// all rows fit into the height. Where they would be narrower than `least`, the wall scrolls instead.
export function columnsFor(count, width, height, gap, aspect = 16 / 9, least = 240) {
  let best = { columns: 1, tile: 0 };
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const tile = Math.min((width - gap * (columns - 1)) / columns, ((height - gap * (rows - 1)) / rows) * aspect);
    if (tile > best.tile) best = { columns, tile };
  }
  if (best.tile >= Math.min(least, width)) return { ...best, fits: true };
  const columns = Math.max(1, Math.floor((width + gap) / (least + gap)));
  return { columns, tile: (width - gap * (columns - 1)) / columns, fits: false };
}
