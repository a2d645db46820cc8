// SPDX-License-Identifier: LGPL-2.1-or-later
// Small pictures of one camera's recording, for scrubbing. Of many that are asked for while one is under way the last one counts.
import { cameraPath, query } from "../app/api.js";
import { h } from "../app/dom.js";

const near = 1; // seconds: a picture of this time does
const most = 400; // that are kept

export class Previews {
  element = h("img", { class: "tl-preview", alt: "", hidden: true });
  #camera;
  #signal;
  #kept = new Map(); // by the second that was asked for: {time, url}
  #wanted = null;
  #busy = false;

  constructor(camera, signal) {
    this.#camera = camera;
    this.#signal = signal;
    signal.addEventListener("abort", () => { for (const { url } of this.#kept.values()) URL.revokeObjectURL(url); });
  }

  hide() {
    this.#wanted = null;
    this.element.hidden = true;
  }

  async show(t) {
    this.#wanted = t;
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#wanted !== null) {
        const wanted = this.#wanted;
        const picture = await this.#picture(wanted);
        if (this.#signal.aborted) return;
        if (picture && this.#wanted !== null) {
          this.element.src = picture.url;
          this.element.dataset.time = String(picture.time);
          this.element.hidden = false;
        }
        if (this.#wanted === wanted) break;
      }
    } finally {
      this.#busy = false;
    }
  }

  /** {time, url}; null where there is none. */
  async #picture(t) {
    const key = Math.round(t / near);
    if (this.#kept.has(key)) return this.#kept.get(key);
    try {
      const response = await fetch(`${cameraPath(this.#camera, "preview")}${query({ at: key * near })}`, { signal: this.#signal });
      if (response.status !== 200) return null;
      const time = Number(response.headers.get("X-Capture-Time"));
      const picture = { time, url: URL.createObjectURL(await response.blob()) };
      if (this.#signal.aborted) {
        URL.revokeObjectURL(picture.url);
        return null;
      }
      // What is recorded just now may have a nearer one soon.
      if (Math.abs(time - t) < 10 * near) this.#keep(key, picture);
      return picture;
    } catch {
      return null;
    }
  }

  #keep(key, picture) {
    this.#kept.set(key, picture);
    if (this.#kept.size <= most) return;
    const [oldest, { url }] = this.#kept.entries().next().value;
    this.#kept.delete(oldest);
    if (this.element.src !== url) URL.revokeObjectURL(url);
  }
}
