// SPDX-License-Identifier: LGPL-2.1-or-later
// Zones, lines and masks over the picture, by mouse, finger or keys. With a tool: each press adds a corner, a press on the
// first one (or Enter, or a double click) closes; a drag makes a rectangle or a line at once. Without: drag a shape, one of
// its corners, or the middle of a side, which becomes a corner. Keys on a focused corner or shape: arrows move, Delete
// removes, + adds a corner.
import { s } from "../app/dom.js";
import { t } from "../app/text.js";
import { centre, clamp, fault, kinds, mostPoints, moved } from "./shapes.js";

const wide = 1000; // units of the drawing across the picture
const dragFrom = 6; // pixels of the screen that make a press a drag
const doublePress = 350; // ms

export class Draw extends EventTarget {
  tool = null;
  #areas;
  #svg;
  #draft = [];
  #pointer = null;
  #updates = [];
  #structure = "";
  #drag = null;
  #lastPress = 0;
  #tall = 562.5;
  #unit = 1; // units of the drawing a pixel of the screen

  constructor(areas, editable, signal) {
    super();
    this.#areas = areas;
    this.editable = editable;
    this.#svg = s("svg", { class: "draw", role: "group", "aria-label": t("Zones, lines and masks") });
    this.resize(areas.camera.width, areas.camera.height);
    const on = (target, name, f) => target.addEventListener(name, f, { signal });
    on(areas, "change", () => this.#render());
    on(areas, "select", () => this.#render());
    if (editable) {
      on(this.#svg, "pointerdown", (event) => this.#press(event));
      on(this.#svg, "pointermove", (event) => this.#move(event));
      on(this.#svg, "pointerup", (event) => this.#release(event));
      on(this.#svg, "pointercancel", () => this.#cancelDrag());
      on(this.#svg, "keydown", (event) => this.#key(event));
    }
    const observer = new ResizeObserver(() => {
      this.#unit = wide / Math.max(1, this.#svg.clientWidth);
      this.#place();
    });
    observer.observe(this.#svg);
    signal.addEventListener("abort", () => observer.disconnect());
  }

  get element() { return this.#svg; }

  /** Follows the picture's size. */
  resize(width, height) {
    this.#tall = width > 0 && height > 0 ? (wide * height) / width : 562.5;
    this.#svg.setAttribute("viewBox", `0 0 ${wide} ${this.#tall}`);
    this.#structure = "";
    this.#render();
  }

  /** Begins to draw a shape of `kind`; null ends it. */
  setTool(kind) {
    this.tool = kind;
    this.#draft = [];
    this.#pointer = null;
    if (kind) this.#areas.select(null);
    this.#svg.classList.toggle("drawing", kind !== null);
    this.#render();
    this.dispatchEvent(new Event("tool"));
  }

  /** Enter and Backspace while drawing; whether the key meant something. */
  draftKey(key) {
    if (!this.tool) return false;
    if (key === "Enter") this.#finish();
    else if (key === "Backspace") { this.#draft.pop(); this.#render(); } else if (key === "Escape") this.setTool(null);
    else return false;
    return true;
  }

  // --- pointer ---

  #at(event) {
    const box = this.#svg.getBoundingClientRect();
    return [clamp((event.clientX - box.left) / box.width), clamp((event.clientY - box.top) / box.height)];
  }

  #far(event) {
    return Math.hypot(event.clientX - this.#drag.x, event.clientY - this.#drag.y) > dragFrom;
  }

  #press(event) {
    if (event.button !== 0 || this.#drag) return;
    const at = this.#at(event);
    const { corner, middle, shape } = event.target.dataset;
    this.#svg.setPointerCapture(event.pointerId);
    this.#drag = { x: event.clientX, y: event.clientY, from: at, begun: false };
    if (this.tool) return;
    const found = shape && this.#areas.shapes.find((other) => `${other.kind}/${other.name}` === shape);
    if (!found) {
      this.#areas.select(null);
      return;
    }
    this.#areas.select(found);
    this.#areas.held = true;
    const points = found.points.map((p) => [...p]);
    let index = corner === undefined ? -1 : Number(corner);
    if (middle !== undefined) {
      index = Number(middle) + 1;
      points.splice(index, 0, at);
    }
    Object.assign(this.#drag, { before: found, points, index });
  }

  #move(event) {
    const at = this.#at(event);
    if (this.tool) {
      this.#pointer = at;
      if (this.#drag && !this.#draft.length && this.#far(event)) this.#drag.begun = true;
      this.#render();
      return;
    }
    if (!this.#drag?.before || (!this.#drag.begun && !this.#far(event))) return;
    const { from, before, points, index } = this.#drag;
    this.#drag.begun = true;
    const next = index < 0 ? moved(points, at[0] - from[0], at[1] - from[1]) : points.map((p, i) => (i === index ? at : p));
    this.#show({ ...before, points: next });
  }

  #release(event) {
    const drag = this.#drag;
    this.#drag = null;
    this.#areas.held = false;
    if (!drag) return;
    const at = this.#at(event);
    if (this.tool) this.#releaseTool(drag, at);
    else if (drag.begun) this.#areas.change(drag.before, this.#areas.find(drag.before));
  }

  #releaseTool(drag, at) {
    const { least, most } = kinds[this.tool];
    const soon = Date.now() - this.#lastPress < doublePress;
    this.#lastPress = Date.now();
    if (drag.begun && !this.#draft.length) {
      const [a, b] = [drag.from, at];
      this.#draft = most === 2 ? [a, b] : [a, [b[0], a[1]], b, [a[0], b[1]]];
      this.#finish();
      return;
    }
    const near = this.#draft.length && Math.hypot((at[0] - this.#draft[0][0]) * wide, (at[1] - this.#draft[0][1]) * this.#tall) < 14 * this.#unit;
    if (this.#draft.length >= least && (near || soon)) {
      this.#finish();
      return;
    }
    if (this.#draft.length < mostPoints) this.#draft.push(at);
    if (this.#draft.length === most) this.#finish();
    else this.#render();
  }

  #cancelDrag() {
    if (this.#drag?.before && this.#drag.begun) this.#show(this.#drag.before);
    this.#drag = null;
    this.#areas.held = false;
  }

  #finish() {
    const points = this.#draft;
    const kind = this.tool;
    if (!points.length) return;
    this.setTool(null);
    const options = kind === "lines" ? { direction: "both" } : {};
    this.#areas.add(kind, points, options).then((shape) => {
      if (shape) this.dispatchEvent(new CustomEvent("drawn", { detail: shape }));
    });
  }

  // --- keys ---

  #key(event) {
    const { corner, shape: key } = event.target.dataset;
    const shape = key && this.#areas.shapes.find((other) => `${other.kind}/${other.name}` === key);
    if (!shape || event.ctrlKey || event.altKey || event.metaKey) return;
    const step = event.shiftKey ? 0.05 : 0.01;
    const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    const at = corner === undefined ? -1 : Number(corner);
    let points = null;
    if (move && at < 0) points = moved(shape.points, ...move);
    else if (move) points = shape.points.map((p, i) => (i === at ? [clamp(p[0] + move[0]), clamp(p[1] + move[1])] : p));
    else if (event.key === "+" && at >= 0 && shape.kind !== "lines" && shape.points.length < mostPoints) {
      const next = shape.points[(at + 1) % shape.points.length];
      points = shape.points.toSpliced(at + 1, 0, centre([shape.points[at], next]));
    } else if (event.key === "Delete" && at >= 0 && shape.points.length > kinds[shape.kind].least) points = shape.points.toSpliced(at, 1);
    else if (event.key === "Delete" && at < 0) this.#areas.drop(shape);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (points) this.#areas.change(shape, { ...shape, points }, t("change of {name}", { name: shape.name }));
  }

  // --- drawing ---

  #show(shape) {
    this.#areas.shapes = this.#areas.shapes.map((other) => (other.kind === shape.kind && other.name === shape.name ? shape : other));
    this.#render();
  }

  #x(p) { return p[0] * wide; }
  #y(p) { return p[1] * this.#tall; }
  #points(points) { return points.map((p) => `${this.#x(p).toFixed(1)},${this.#y(p).toFixed(1)}`).join(" "); }

  /** Makes the elements again only where other ones are needed: while something is dragged they only move. */
  #render() {
    const { shapes, selected } = this.#areas;
    const structure = JSON.stringify([shapes.map((shape) => [shape.kind, shape.name, shape.points.length]), selected, this.tool,
      this.#draft.length, this.#pointer !== null, this.#drag?.begun && this.tool !== null]);
    if (structure !== this.#structure) {
      this.#structure = structure;
      const focus = this.#svg.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
      this.#updates = [];
      this.#svg.replaceChildren(...shapes.map((shape) => this.#shape(shape)), ...this.#drafted());
      if (focus) this.#svg.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
    }
    this.#place();
  }

  #place() {
    for (const update of this.#updates) update();
  }

  #shape({ kind, name }) {
    const key = `${kind}/${name}`;
    const now = () => this.#areas.find({ kind, name });
    const chosen = this.#areas.selected?.kind === kind && this.#areas.selected.name === name;
    const words = `${kinds[kind].word} ${name}`;
    const outline = s(kind === "lines" ? "polyline" : "polygon", { class: "outline", data: { shape: key, focus: key },
      tabindex: this.editable ? 0 : null, role: this.editable ? "button" : "img", "aria-label": words, "aria-pressed": this.editable ? String(chosen) : null,
      onfocus: () => this.#areas.select({ kind, name }) });
    const label = s("text", { class: "label", "aria-hidden": "true" }, name);
    const arrow = kind === "lines" ? s("path", { class: "arrow" }) : null;
    this.#updates.push(() => {
      const shape = now();
      if (!shape) return;
      outline.setAttribute("points", this.#points(shape.points));
      outline.classList.toggle("fault", fault(shape) !== null);
      const at = kind === "lines" ? shape.points[0] : shape.points.reduce((a, b) => (b[1] < a[1] ? b : a));
      label.setAttribute("x", Math.min(wide - 10 * this.#unit, this.#x(at) + 6 * this.#unit));
      label.setAttribute("y", Math.max(16 * this.#unit, this.#y(at) - 7 * this.#unit));
      label.setAttribute("font-size", 13 * this.#unit);
      arrow?.setAttribute("d", this.#arrow(shape));
    });
    const handles = chosen && this.editable ? this.#handles(key, words, now) : [];
    return s("g", { class: `shape ${kind}${chosen ? " chosen" : ""}` }, kind === "lines" ? this.#wideLine(key, now) : null, outline, arrow, label, handles);
  }

  /** A line is thin: around it lies what a finger can hit. */
  #wideLine(key, now) {
    const line = s("polyline", { class: "reach", data: { shape: key } });
    this.#updates.push(() => now() && line.setAttribute("points", this.#points(now().points)));
    return line;
  }

  /** Which way is "in": from the left to the right of somebody who looks from the first point to the second. */
  #arrow({ points: [a, b], options: { direction = "both" } }) {
    const [ax, ay, bx, by] = [this.#x(a), this.#y(a), this.#x(b), this.#y(b)];
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const [mx, my, nx, ny] = [(ax + bx) / 2, (ay + by) / 2, -(by - ay) / length, (bx - ax) / length];
    const u = this.#unit;
    const head = (sign) => {
      const [tx, ty] = [mx + sign * nx * 26 * u, my + sign * ny * 26 * u];
      const back = (along) => `${tx - sign * nx * 8 * u + along * ny * 6 * u},${ty - sign * ny * 8 * u - along * nx * 6 * u}`;
      return `M${mx},${my}L${tx},${ty}M${back(1)}L${tx},${ty}L${back(-1)}`;
    };
    return (direction === "out" ? "" : head(1)) + (direction === "in" ? "" : head(-1));
  }

  #handles(key, words, now) {
    const { kind, points } = now();
    const made = [];
    if (kind !== "lines" && points.length < mostPoints) {
      points.forEach((_, i) => made.push(this.#handle("middle", 4, { middle: i, shape: key }, {}, () => {
        const all = now()?.points ?? [];
        return all[i] && centre([all[i], all[(i + 1) % all.length]]);
      })));
    }
    points.forEach((_, i) => made.push(this.#handle("corner", 6.5, { corner: i, shape: key, focus: `${key}/${i}` },
      { tabindex: 0, role: "button", "aria-label": t("Corner {n} of {all} of {shape}. Arrow keys move it.", { n: i + 1, all: points.length, shape: words }) }, () => now()?.points[i])));
    return made;
  }

  #handle(name, radius, data, attributes, at) {
    const reach = s("circle", { class: "reach", data: { ...data, focus: "" } });
    const dot = s("circle", { class: name, data, ...attributes });
    this.#updates.push(() => {
      const p = at();
      if (!p) return;
      for (const [circle, r] of [[reach, 2.4 * radius], [dot, radius]]) {
        circle.setAttribute("cx", this.#x(p));
        circle.setAttribute("cy", this.#y(p));
        circle.setAttribute("r", r * this.#unit);
      }
    });
    return [reach, dot];
  }

  #drafted() {
    if (!this.tool) return [];
    const path = s("polyline", { class: "outline draft" });
    this.#updates.push(() => {
      let points = [...this.#draft, ...(this.#pointer ? [this.#pointer] : [])];
      if (this.#drag?.begun && !this.#draft.length && this.#pointer) {
        const [a, b] = [this.#drag.from, this.#pointer];
        points = this.tool === "lines" ? [a, b] : [a, [b[0], a[1]], b, [a[0], b[1]], a];
      }
      path.setAttribute("points", this.#points(points));
    });
    const dots = this.#draft.map((_, i) => this.#handle(i === 0 ? "corner first" : "corner", i === 0 ? 7.5 : 5, {}, {}, () => this.#draft[i]));
    return [s("g", { class: `shape ${this.tool} chosen` }, path, dots.flat())];
  }
}
