// SPDX-License-Identifier: LGPL-2.1-or-later
// "Search here": a rectangle or polygon drawn on a picture. Dragging draws a rectangle; presses one after the other draw the
// corners of a polygon, which the first corner, a double click or Enter closes. By keys alone: arrow keys move a rectangle, with
// Shift they change its size, Enter searches, Escape ends it.
import { h, s } from "../app/dom.js";
import { t } from "../app/text.js";

const near = 0.03; // shares of the picture

export class Region {
  #points = []; // of the polygon so far
  #drag = null; // where the pointer went down
  #rect = null;
  #done;

  /** `ondone(points)` when a region is drawn; null when it was given up. */
  constructor(words, ondone) {
    this.#done = ondone;
    this.shape = s("polygon", { class: "tl-region" });
    this.element = s("svg", { class: "tl-draw", viewBox: "0 0 1 1", preserveAspectRatio: "none", tabindex: "0", role: "application", "aria-label": words }, this.shape);
    this.element.addEventListener("pointerdown", (event) => this.#down(event));
    this.element.addEventListener("pointermove", (event) => this.#move(event));
    this.element.addEventListener("pointerup", (event) => this.#up(event));
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  begin() {
    this.#points = [];
    this.#rect = null;
    this.#draw([]);
    this.element.focus({ preventScroll: true });
  }

  #at(event) {
    const box = this.element.getBoundingClientRect();
    const share = (v) => Math.min(1, Math.max(0, v));
    return [share((event.clientX - box.left) / box.width), share((event.clientY - box.top) / box.height)];
  }

  #draw(points) { this.shape.setAttribute("points", points.map((p) => p.map((v) => v.toFixed(4)).join(",")).join(" ")); }

  #down(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    this.#drag = this.#at(event);
  }

  #move(event) {
    const to = this.#at(event);
    if (this.#drag && this.#points.length === 0) this.#draw(corners(this.#drag, to));
    else if (this.#points.length) this.#draw([...this.#points, to]);
  }

  #up(event) {
    if (!this.#drag) return;
    const from = this.#drag;
    const to = this.#at(event);
    this.#drag = null;
    const moved = Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (this.#points.length === 0 && moved > near) {
      if (Math.abs(to[0] - from[0]) > 0.005 && Math.abs(to[1] - from[1]) > 0.005) this.#end(corners(from, to));
      return;
    }
    const [start] = this.#points;
    const last = this.#points.at(-1);
    const closes = (p) => p && Math.hypot(p[0] - to[0], p[1] - to[1]) < near;
    if (this.#points.length >= 3 && (closes(start) || closes(last))) return this.#end(this.#points);
    if (closes(last)) return; // a second click at the same place
    this.#points.push(to);
    this.#draw(this.#points);
  }

  #key(event) {
    const step = { ArrowLeft: [-0.02, 0], ArrowRight: [0.02, 0], ArrowUp: [0, -0.02], ArrowDown: [0, 0.02] }[event.key];
    if (step) {
      this.#rect ??= [0.4, 0.4, 0.2, 0.2];
      const [x, y, w, high] = this.#rect;
      const within = (v, most) => Math.min(most, Math.max(0, v));
      this.#rect = event.shiftKey ? [x, y, Math.min(1 - x, Math.max(0.02, w + step[0])), Math.min(1 - y, Math.max(0.02, high + step[1]))]
        : [within(x + step[0], 1 - w), within(y + step[1], 1 - high), w, high];
      this.#draw(this.#corners());
    } else if (event.key === "Enter" && (this.#rect || this.#points.length >= 3)) {
      this.#end(this.#rect ? this.#corners() : this.#points);
    } else if (event.key === "Escape") {
      this.#draw([]);
      this.#done(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #corners() {
    const [x, y, w, high] = this.#rect;
    return corners([x, y], [x + w, y + high]);
  }

  #end(points) {
    this.#draw(points);
    this.#points = [];
    this.#done(points);
  }
}

function corners([x0, y0], [x1, y1]) {
  return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
}

/** For whom no mouse is at hand: the words of what to do. */
export const regionWords = () => h("p", { class: "hint" }, t("Drag a rectangle on the picture, or press the corners of a polygon and its first one again. Arrow keys move a rectangle, with Shift they size it; Enter searches, Escape ends."));
