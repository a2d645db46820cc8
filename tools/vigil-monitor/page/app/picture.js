// SPDX-License-Identifier: LGPL-2.1-or-later
// A canvas with the newest picture of one camera. JPEG is decoded off the main thread; while one picture is being decoded
// only the newest of those that come in is kept, so a slow machine sees fewer pictures, never older ones.
import { h } from "./dom.js";
import { live } from "./live.js";

export class Picture {
  #context;
  #waiting = null;
  #busy = false;
  #onshow;
  time = 0; // capture time of what is shown
  frames = 0;

  /** `onshow(record)` is called when a picture has come up. */
  constructor(label, onshow = () => {}) {
    this.canvas = h("canvas", { class: "picture", width: 16, height: 9, role: "img", "aria-label": label });
    this.#context = this.canvas.getContext("bitmaprenderer");
    this.#onshow = onshow;
  }

  show(record) {
    this.#waiting = record;
    if (!this.#busy) this.#decode();
  }

  async #decode() {
    this.#busy = true;
    while (this.#waiting) {
      const record = this.#waiting;
      this.#waiting = null;
      try {
        const bitmap = await createImageBitmap(new Blob([record.payload], { type: "image/jpeg" }));
        if (this.canvas.width !== bitmap.width || this.canvas.height !== bitmap.height) {
          this.canvas.width = bitmap.width;
          this.canvas.height = bitmap.height;
        }
        this.#context.transferFromImageBitmap(bitmap);
        this.time = record.time;
        this.frames++;
        this.#onshow(record);
      } catch {
        // A picture that cannot be decoded is left out; the next one comes soon.
      }
    }
    this.#busy = false;
  }

  /** Seconds from the capture of what is shown until now, by the server's clock. */
  age() {
    return this.time ? Math.max(0, Date.now() / 1000 + live.clockOffset - this.time) : 0;
  }
}
