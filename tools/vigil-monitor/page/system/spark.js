// SPDX-License-Identifier: LGPL-2.1-or-later
// A small line of the last values, without axes: the number is next to it. Values outlive the view, so that somebody who
// comes back to it sees how things went before.
import { s } from "../app/dom.js";

const most = 90; // values kept
const fewest = 20; // as wide as this many at least, so that the first values are no line from edge to edge
const pause = 15000; // ms; after a longer one the line starts over
const [wide, tall] = [100, 26];
const histories = new Map(); // by key

export class Spark {
  #history;
  #line = s("path", { class: "series" });

  /** Sparks of one `key` show one line, whichever view they are in. */
  constructor(color, key) {
    if (!histories.has(key)) histories.set(key, { values: [], last: -Infinity });
    this.#history = histories.get(key);
    this.element = s("svg", { class: `spark color-${color}`, viewBox: `0 0 ${wide} ${tall}`, preserveAspectRatio: "none", "aria-hidden": "true" }, this.#line);
  }

  add(value, now = performance.now()) {
    const { values, last } = this.#history;
    const next = now - last > pause ? [value] : [...values.slice(1 - most), value];
    Object.assign(this.#history, { values: next, last: now });
    if (next.length < 2) return this.#line.removeAttribute("d");
    const top = Math.max(...next, 1e-9) * 1.1;
    const step = wide / (Math.max(next.length, fewest) - 1);
    const at = (v, i) => `${(wide - (next.length - 1 - i) * step).toFixed(1)},${(tall - 1 - (v / top) * (tall - 2)).toFixed(1)}`;
    return this.#line.setAttribute("d", `M${next.map(at).join("L")}`);
  }
}
