// SPDX-License-Identifier: LGPL-2.1-or-later
// What one camera's timeline holds of the part that is shown: what is recorded, gaps, motion, events. It is asked for again
// when another part is shown, or the same part much larger; the end of a recording that goes on comes by the live connection.
// "change" is dispatched when something came.
import { cameraPath, get, query } from "../app/api.js";
import { live } from "../app/live.js";
import { now } from "../app/time.js";

const calm = 150; // ms without a change of the axis, after which is asked
const settled = 1000; // ms after an event, until the server has it
const joined = 5; // seconds; where the recording's end is farther on than that, there may be a gap
const empty = { from: 0, to: 0, oldest: null, recorded: [], gaps: [], events: [], motion: { start: 0, step: 1, levels: [] } };

export class History extends EventTarget {
  data = empty;
  problem = ""; // why there is none
  #timer = null;
  #asking = null;

  constructor(camera, axis, signal) {
    super();
    this.camera = camera;
    this.axis = axis;
    axis.addEventListener("change", () => this.#later(calm), { signal });
    live.addEventListener("recorded", ({ detail }) => { if (detail.camera === camera) this.#goesOn(detail.end); }, { signal });
    live.addEventListener("event", ({ detail }) => { if (detail.event.camera === camera && this.data.to > now()) this.#later(settled); }, { signal });
    signal.addEventListener("abort", () => { clearTimeout(this.#timer); this.#asking?.abort(); });
    this.#ask();
  }

  knows(t) { return this.data.from <= t && t <= this.data.to; }
  /** The stretch of recording that holds t; null in a gap. */
  recordedAt(t) { return this.data.recorded.find(({ start, end }) => start <= t && t < end) ?? null; }
  gapAt(t) { return this.data.gaps.find(({ start, end }) => start <= t && t < end) ?? null; }
  /** When the recording goes on after t; null where nothing is known of it. */
  nextRecorded(t) { return this.data.recorded.find(({ start }) => start > t)?.start ?? null; }
  eventAt(t, within) {
    return this.data.events.filter((e) => e.start - within <= t && t <= (e.end ?? now()) + within).at(-1) ?? null;
  }

  /** The recording reaches to `end` by now. */
  #goesOn(end) {
    if (end > this.data.to) return;
    const last = this.data.recorded.at(-1);
    if (!last || end - last.end > joined) {
      this.#later(settled);
    } else if (end > last.end) {
      last.end = end;
      this.dispatchEvent(new Event("change"));
    }
  }

  #later(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), ms);
  }

  async #ask() {
    const { axis, data } = this;
    const within = data.from <= axis.start && axis.end <= data.to && data.to < now();
    if (within && axis.span > (data.to - data.from) / 4) return;
    this.#asking?.abort();
    const mine = new AbortController();
    this.#asking = mine;
    // More than is shown, so that a small move needs no question.
    const from = axis.start - axis.span / 2;
    const to = axis.end + axis.span / 2;
    try {
      this.data = { ...empty, ...await get(`${cameraPath(this.camera, "timeline")}${query({ from, to })}`, mine.signal), from, to };
      this.problem = "";
    } catch (error) {
      if (error.name === "AbortError") return;
      this.problem = error.message;
    }
    this.dispatchEvent(new Event("change"));
    if (to > now() || this.problem) this.#later(15000); // it goes on
  }
}
