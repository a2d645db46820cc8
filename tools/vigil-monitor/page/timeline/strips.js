// SPDX-License-Identifier: LGPL-2.1-or-later
// A strip of time for each camera: what is recorded, gaps, motion as a heat strip, events as marks. The strips together are one
// slider, whose value is the time: pointer, wheel and keys work on all of them.
import { h, s, setText } from "../app/dom.js";
import { titleOf } from "../app/store.js";
import { t } from "../app/text.js";
import { fullTime, now, span, timeOfDay } from "../app/time.js";
import { labelWords } from "../events/words.js";

const wide = 1000;
const tall = 40;

function drawStrip(svg, history, axis) {
  const x = (t) => Math.max(-5, Math.min(wide + 5, axis.share(t) * wide));
  const { recorded, gaps, motion, events } = history.data;
  const until = ({ start, end }) => end ?? Math.max(start, now()); // what goes on has no end, and nothing is drawn in the future
  const shown = (list) => list.filter((part) => until(part) >= axis.start && part.start <= axis.end);
  const bar = (kind, part, words, least = 0) => s("rect", { class: kind, x: x(part.start), width: Math.max(least, x(until(part)) - x(part.start)), y: 0, height: tall },
    words && s("title", {}, words));
  let heat = "";
  const first = Math.max(0, Math.floor((axis.start - motion.start) / motion.step));
  const last = Math.min(motion.levels.length, Math.ceil((axis.end - motion.start) / motion.step));
  for (let i = first; i < last; i++) {
    if (!motion.levels[i]) continue;
    const t = motion.start + i * motion.step;
    // By the square root: a person far away is visible next to a lorry.
    const high = Math.max(4, Math.sqrt(motion.levels[i] / 255) * (tall - 12));
    heat += `M${x(t).toFixed(2)} ${tall}V${(tall - high).toFixed(1)}H${Math.max(x(t) + 1, x(t + motion.step)).toFixed(2)}V${tall}Z`;
  }
  svg.replaceChildren(...shown(recorded).map((r) => bar("tl-recorded", r)),
    ...shown(gaps).map((g) => bar("tl-gap", g, t("{reason}, {from} to {to}", { reason: g.reason, from: timeOfDay(g.start), to: timeOfDay(g.end) }))),
    s("path", { class: "tl-heat", d: heat }),
    ...shown(events).map((e) => s("rect", { class: "tl-event", data: { kind: e.kind ?? "" }, x: x(e.start), width: Math.max(3, x(until(e)) - x(e.start)), y: 0, height: 7 },
      s("title", {}, t("{label} at {time}", { label: labelWords(e.label ?? e.kind), time: timeOfDay(e.start) })))));
}

export class Strips {
  #axis;
  #transport;
  #marks;
  #rows = [];
  #ticks = h("div", { class: "tl-ticks number", "aria-hidden": "true" });
  #cursor = h("div", { class: "tl-cursor", "aria-hidden": "true" });
  #marked = h("div", { class: "tl-marked", "aria-hidden": "true", hidden: true });
  #list = h("div", { class: "tl-rows" });
  #drawing = false;

  constructor(axis, transport, marks, signal) {
    this.#axis = axis;
    this.#transport = transport;
    this.#marks = marks;
    this.band = h("div", { class: "tl-band", role: "slider", tabindex: "0", "aria-label": t("Time"), "aria-orientation": "horizontal" }, this.#ticks, this.#list, this.#marked, this.#cursor);
    this.status = h("p", { class: "tl-status hint number" });
    this.element = h("section", { class: "tl-strips panel", "aria-label": t("Strips of time") }, this.band, this.status);
    axis.addEventListener("change", () => this.draw(), { signal });
    transport.addEventListener("change", () => this.#place(), { signal });
    marks.addEventListener("change", () => this.#place(), { signal });
    this.#listen(signal);
    const observer = new ResizeObserver(() => this.draw());
    observer.observe(this.band);
    signal.addEventListener("abort", () => observer.disconnect());
  }

  /** [{name, history}] */
  use(cameras, signal) {
    this.#rows = cameras.map(({ name, history }) => {
      const svg = s("svg", { class: "tl-strip", viewBox: `0 0 ${wide} ${tall}`, preserveAspectRatio: "none", "aria-hidden": "true" });
      const problem = h("span", { class: "tl-problem hint" });
      history.addEventListener("change", () => this.draw(), { signal });
      return { name, history, svg, problem, element: h("div", { class: "tl-row", data: { camera: name } }, h("span", { class: "tl-name" }, titleOf(name)), svg, problem) };
    });
    this.#list.replaceChildren(...this.#rows.map(({ element }) => element));
    this.draw();
  }

  /** Once a frame at most, however many changes there are. */
  draw() {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      for (const { svg, history, problem } of this.#rows) {
        drawStrip(svg, history, this.#axis);
        setText(problem, history.problem);
      }
      this.#ticks.replaceChildren(...this.#axis.ticks(Math.max(2, this.band.clientWidth / 90)).filter(([t]) => this.#axis.share(t) > 0.01 && this.#axis.share(t) < 0.96)
        .map(([t, words]) => { const mark = h("span", {}, words); mark.style.left = `${this.#axis.share(t) * 100}%`; return mark; }));
      this.#place();
    });
  }

  #place() {
    const { time } = this.#transport;
    const share = this.#axis.share(time);
    this.#cursor.hidden = share < 0 || share > 1;
    this.#cursor.style.left = `${share * 100}%`;
    const { from, to } = this.#marks;
    this.#marked.hidden = from === null && to === null;
    const within = (t) => Math.min(1, Math.max(0, this.#axis.share(t)));
    this.#marked.style.left = `${within(from ?? to) * 100}%`;
    this.#marked.style.width = `${(within(to ?? from) - within(from ?? to)) * 100}%`;
    const set = (name, value) => { if (this.band.getAttribute(name) !== value) this.band.setAttribute(name, value); };
    set("aria-valuemin", String(Math.floor(this.#axis.start)));
    set("aria-valuemax", String(Math.ceil(this.#axis.end)));
    set("aria-valuenow", String(Math.min(Math.ceil(this.#axis.end), Math.max(Math.floor(this.#axis.start), Math.round(time)))));
    set("aria-valuetext", fullTime(time));
    setText(this.status, this.#words(time));
  }

  #words(time) {
    const near = (2 * this.#axis.span) / Math.max(1, this.band.clientWidth);
    const all = this.#rows.map(({ name, history }) => {
      const event = history.eventAt(time, near);
      const gap = history.gapAt(time);
      const state = event ? labelWords(event.label ?? event.kind) : gap ? `${gap.reason} (${span(gap.end - gap.start)})` : history.recordedAt(time) ? t("recorded") : t("nothing recorded");
      return `${name}: ${state}`;
    });
    return all.join(" · ");
  }

  #listen(signal) {
    const at = (event) => {
      const box = this.band.getBoundingClientRect();
      return this.#axis.time(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
    };
    const options = { signal };
    this.band.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.band.setPointerCapture(event.pointerId);
      this.#transport.seek(at(event));
    }, options);
    this.band.addEventListener("pointermove", (event) => { if (this.band.hasPointerCapture(event.pointerId)) this.#transport.seek(at(event)); }, options);
    this.band.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.#axis.move(((event.deltaX || event.deltaY) / 1000) * this.#axis.span);
      else this.#axis.zoom(1.0015 ** Math.max(-400, Math.min(400, event.deltaY)), at(event));
    }, { signal, passive: false });
  }
}
