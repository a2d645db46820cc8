// SPDX-License-Identifier: LGPL-2.1-or-later
// The time that all cameras show, and how fast it passes. The first camera that has a picture leads; the others follow it.
// "change" is dispatched when the time or the state has changed.
export const rates = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32];
const fastest = 16; // that browsers play by themselves; beyond it pictures are sought one after the other

export class Transport extends EventTarget {
  time;
  playing = false;
  rate = 1;
  #players = [];
  #last = 0; // of the frame before, ms
  #sought = 0;
  #settled = -Infinity; // since when the time was set, ms

  constructor(time, signal) {
    super();
    this.time = time;
    const frame = (at) => {
      if (signal.aborted) return;
      this.#pass(at);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  /** [{playback, history}] */
  use(players) {
    this.#players = players;
    this.seek(this.time);
  }

  seek(time) {
    this.time = time;
    this.#settled = performance.now();
    for (const { playback } of this.#players) playback.seek(time);
    this.dispatchEvent(new Event("change"));
  }

  toggle(playing = !this.playing) {
    this.playing = playing;
    if (!playing) for (const { playback } of this.#players) playback.pause();
    // Beyond the browser's own speeds the picture is behind the time by up to one search.
    if (!playing && this.rate > fastest) this.seek(this.time);
    else this.dispatchEvent(new Event("change"));
  }

  setRate(rate) {
    this.rate = rate;
    if (rate > fastest) for (const { playback } of this.#players) playback.pause();
    this.dispatchEvent(new Event("change"));
  }

  faster(by) {
    this.setRate(rates[Math.max(0, Math.min(rates.length - 1, rates.indexOf(this.rate) + by))]);
  }

  #pass(at) {
    const passed = Math.min(0.25, (at - this.#last) / 1000);
    this.#last = at;
    if (!this.playing) return;
    if (this.time >= Date.now() / 1000) {
      this.toggle(false);
      return;
    }
    const here = this.#players.filter(({ history }) => history.recordedAt(this.time));
    if (here.length === 0) return this.#leap(passed);
    if (this.rate > fastest) return this.#search(here, at, passed);
    for (const { playback } of here) {
      playback.play(this.rate);
      playback.ahead(this.rate);
    }
    const lead = here.find(({ playback }) => playback.flows);
    if (!lead) return; // all wait for data
    const time = lead.playback.time;
    // A jump is under way until the picture is the one that was asked for.
    if (at - this.#settled < 300 && Math.abs(time - this.time) > 1) return;
    this.time = time;
    const apart = Math.max(0.25, 0.25 * this.rate);
    for (const { playback } of here) {
      if (playback === lead.playback) continue;
      if (Number.isNaN(playback.time) || (playback.flows && Math.abs(playback.time - time) > apart)) playback.seek(time);
    }
    this.dispatchEvent(new Event("change"));
  }

  /** No camera has anything here: on to where one goes on. */
  #leap(passed) {
    const next = this.#players.map(({ history }) => history.nextRecorded(this.time)).filter((t) => t !== null);
    if (next.length) {
      this.seek(Math.min(...next));
    } else {
      this.time += passed * this.rate;
      this.dispatchEvent(new Event("change"));
    }
  }

  #search(here, at, passed) {
    this.time += passed * this.rate;
    if (at - this.#sought > 100) {
      this.#sought = at;
      for (const { playback } of here) playback.seek(this.time);
    }
    this.dispatchEvent(new Event("change"));
  }
}
