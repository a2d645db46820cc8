// SPDX-License-Identifier: LGPL-2.1-or-later
// The part of time that is shown, from ten seconds to a day. "change" is dispatched when it becomes another one.
import { dayStart, hourMinute, timeOfDay } from "../app/time.js";

const shortest = 10;
const longest = 86400 + 3600; // a day on which clocks are set back lasts 25 hours
const steps = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10800, 21600];

export class Axis extends EventTarget {
  start = 0;
  end = 0;

  get span() { return this.end - this.start; }

  /** Where a time stands, from 0 to 1 within what is shown. */
  share(t) { return (t - this.start) / this.span; }
  time(share) { return this.start + share * this.span; }

  show(start, end) {
    const span = Math.min(longest, Math.max(shortest, end - start));
    if (start === this.start && start + span === this.end) return;
    this.start = start;
    this.end = start + span;
    this.dispatchEvent(new Event("change"));
  }

  day(t) { this.show(dayStart(t), dayStart(dayStart(t) + 43200, 1)); }

  /** Times `factor` as much is shown, and `t` stays where it stands. */
  zoom(factor, t) {
    const span = Math.min(longest, Math.max(shortest, this.span * factor));
    const start = t - this.share(t) * span;
    this.show(start, start + span);
  }

  move(seconds) { this.show(this.start + seconds, this.end + seconds); }

  /** Moves so that `t` is shown; by `page`, so that a cursor that plays does not move all the time. */
  reveal(t, page = false) {
    if (t < this.start || t > this.end) this.move(t - (page ? this.start + 0.05 * this.span : this.start + this.span / 2));
  }

  /** Round times at which a mark stands, at most about `most`: [time, words]. */
  ticks(most) {
    const step = steps.find((s) => this.span / s <= most) ?? steps.at(-1);
    const words = step < 60 ? timeOfDay : hourMinute;
    const midnight = dayStart(this.start);
    const found = [];
    for (let t = midnight + Math.ceil((this.start - midnight) / step) * step; t <= this.end; t += step) found.push([t, words(t)]);
    return found;
  }
}
