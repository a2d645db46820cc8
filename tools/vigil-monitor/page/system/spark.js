// SPDX-License-Identifier: LGPL-2.1-or-later
// A small line of the last values, without axes: the number stands beside it.
import { s } from "../app/dom.js";

const most = 90; // values kept
const [wide, tall] = [most, 26];

export class Spark {
  #values = [];
  #line = s("path", { class: "series" });

  constructor(color = 1) {
    this.element = s("svg", { class: `spark color-${color}`, viewBox: `0 0 ${wide} ${tall}`, preserveAspectRatio: "none", "aria-hidden": "true" }, this.#line);
  }

  add(value) {
    this.#values = [...this.#values.slice(1 - most), value];
    if (this.#values.length < 2) return;
    const top = Math.max(...this.#values, 1e-9) * 1.1;
    const at = (v, i) => `${wide - this.#values.length + i + 1},${(tall - 1 - (v / top) * (tall - 2)).toFixed(1)}`;
    this.#line.setAttribute("d", `M${this.#values.map(at).join("L")}`);
  }
}
