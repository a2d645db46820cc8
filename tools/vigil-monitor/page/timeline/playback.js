// SPDX-License-Identifier: LGPL-2.1-or-later
// The recording of one camera as video. Pieces of it are fetched whole, so that a camera holds a connection no longer than it
// needs one (browsers have six a host); the next piece is fetched while one plays, into a second <video>, and takes its place.
import { cameraPath, query } from "../app/api.js";
import { h, setText } from "../app/dom.js";
import { titleOf } from "../app/store.js";
import { t } from "../app/text.js";
import { Previews } from "./previews.js";

const first = 4; // seconds of the piece that a jump begins with: its picture comes soon
const longest = 64;
const often = 250; // ms between two searches of somebody who scrubs

/** Part of the recording, from `from` to `to` (UTC), in a <video> of its own. */
class Piece {
  video = h("video", { muted: true, playsInline: true, preload: "auto", tabindex: "-1", "aria-hidden": "true" });
  start = NaN; // UTC of its first frame
  problem = "";
  #abort = new AbortController();

  constructor(camera, from, to) {
    Object.assign(this, { from, to });
    this.ready = this.#load(camera);
  }

  holds(t) { return this.from <= t && t < this.to; }
  get time() { return this.start + this.video.currentTime; }

  /** True once the picture of t is there. */
  async seek(t) {
    await this.ready;
    if (this.problem || Number.isNaN(this.start)) return false;
    const wanted = Math.max(0, t - this.start);
    if (Math.abs(this.video.currentTime - wanted) < 0.001 && this.video.readyState >= 2 && !this.video.seeking) return true;
    this.video.currentTime = wanted;
    return new Promise((done) => this.video.addEventListener("seeked", () => done(true), { once: true, signal: this.#abort.signal }));
  }

  drop() {
    this.#abort.abort();
    this.video.pause();
    if (this.video.src) URL.revokeObjectURL(this.video.src);
    this.video.removeAttribute("src");
    this.video.load();
    this.video.remove();
  }

  async #load(camera) {
    const { signal } = this.#abort;
    try {
      const response = await fetch(`${cameraPath(camera, "recording.mp4")}${query({ from: this.from, to: this.to })}`, { signal });
      if (!response.ok) throw new Error((await response.json().catch(() => null))?.error ?? t("The server answered {status}", { status: response.status }));
      const start = Number(response.headers.get("X-Recording-Start"));
      const blob = await response.blob();
      if (signal.aborted) return;
      this.start = start || this.from;
      await new Promise((done, failed) => {
        this.video.addEventListener("loadeddata", done, { once: true, signal });
        this.video.addEventListener("error", () => failed(new Error(t("This browser cannot play what the camera sends. Save the recording and play it elsewhere."))), { once: true, signal });
        this.video.src = URL.createObjectURL(blob);
      });
    } catch (error) {
      if (error.name !== "AbortError") this.problem = error.message;
    }
  }
}

export class Playback {
  #camera;
  #history;
  #now = null; // Piece that is shown
  #next = null; // the one after it
  #wanted = null; // what seek() was called with last
  #seeking = false;
  #sought = -Infinity; // when seek() was called last, ms
  #scrubs = false; // it was called soon after the time before
  #rest = null; // timer: nobody scrubs any more
  #previews;
  #note = h("p", { class: "screen-note", hidden: true });

  constructor(camera, history, signal) {
    this.#camera = camera;
    this.#history = history;
    this.#previews = new Previews(camera, signal);
    this.element = h("div", { class: "tl-screen", role: "img", "aria-label": t("Recording of {camera}", { camera: titleOf(camera) }) }, this.#previews.element, this.#note);
    history.addEventListener("change", () => { if (this.#wanted !== null && !this.#now) this.#go(this.#wanted); }, { signal });
    signal.addEventListener("abort", () => { clearTimeout(this.#rest); this.#drop("now"); this.#drop("next"); });
  }

  /** UTC of the picture that is shown; NaN while none is. */
  get time() { return this.#now && !this.#now.problem ? this.#now.time : NaN; }
  /** Whether its pictures go on: it neither waits for data nor seeks. */
  get flows() { return Boolean(this.#now && !this.#now.problem && !this.#seeking && this.#now.video.readyState >= 3 && !this.#now.video.seeking); }
  get video() { return this.#now?.video ?? null; }

  /** Shows the picture of t; a small preview until it is there. Of many calls while one is under way the last one counts. Video of
      where somebody only passes by is not fetched. */
  seek(t) {
    const at = performance.now();
    this.#scrubs = at - this.#sought < often;
    this.#sought = at;
    return this.#go(t);
  }

  async #go(t) {
    this.#wanted = t;
    clearTimeout(this.#rest);
    this.#rest = null;
    if (!this.#now?.holds(t) && this.#history.recordedAt(t)) {
      this.#previews.show(t);
      if (this.#scrubs) {
        this.#rest = setTimeout(() => { this.#rest = null; this.#settle(); }, often);
        return;
      }
    }
    await this.#settle();
  }

  async #settle() {
    if (this.#seeking) return;
    this.#seeking = true;
    try {
      while (this.#wanted !== null) {
        const wanted = this.#wanted;
        await this.#show(wanted);
        if (this.#wanted === wanted || this.#rest) break;
      }
    } finally {
      this.#seeking = false;
    }
  }

  play(rate) {
    const video = this.#now?.video;
    if (!video || this.#now.problem) return;
    if (video.playbackRate !== rate) video.playbackRate = rate;
    if (video.paused && !video.ended) video.play().catch(() => {});
  }

  pause() { this.#now?.video.pause(); }

  /** While it plays: fetches what comes next, and goes over to it. `rate`: how many seconds pass in one. */
  ahead(rate) {
    const now = this.#now;
    if (!now || now.problem || this.#seeking || Number.isNaN(now.start)) return;
    const ends = now.time >= now.to - 0.02 || now.video.ended;
    if (!this.#next && now.time > now.to - Math.max(2 * rate, (now.to - now.from) * 0.6)) {
      const recorded = this.#history.recordedAt(now.to);
      if (recorded) this.#next = this.#piece(now.to, recorded, Math.min(longest, Math.max(2 * (now.to - now.from), 4 * rate)));
    }
    if (ends && this.#next) this.seek(this.#next.from);
  }

  async #show(t) {
    const recorded = this.#history.recordedAt(t);
    if (!recorded) return this.#say(t);
    if (this.#next?.holds(t)) {
      const old = this.#now;
      this.#now = this.#next;
      this.#next = null;
      await this.#now.seek(t);
      this.#reveal(old);
    } else if (!this.#now?.holds(t) || this.#now.problem) {
      this.#drop("next");
      const old = this.#now;
      const piece = this.#piece(Math.max(recorded.start, Math.floor(t / first) * first), recorded, first);
      this.#now = piece;
      await piece.seek(t);
      if (this.#wanted !== t && !piece.holds(this.#wanted)) { // already somewhere else: the old picture stays until then
        if (old && !old.problem) {
          this.#now = old;
          piece.drop();
          return;
        }
      }
      this.#reveal(old);
    } else {
      await this.#now.seek(t);
      this.#reveal(null);
    }
  }

  #piece(from, recorded, length) {
    return new Piece(this.#camera, from, Math.min(from + length, recorded.end));
  }

  #reveal(old) {
    const { video, problem } = this.#now;
    this.#note.hidden = !problem;
    setText(this.#note, problem);
    if (!video.isConnected) this.element.prepend(video);
    this.element.classList.toggle("none", Boolean(problem));
    if (this.#now.holds(this.#wanted)) this.#previews.hide();
    if (old && old !== this.#now) old.drop();
  }

  #say(time) {
    this.#drop("now");
    this.#drop("next");
    this.#previews.hide();
    const reason = this.#history.gapAt(time)?.reason;
    this.#note.hidden = false;
    this.element.classList.add("none");
    const words = !this.#history.knows(time) ? t("Looking up what is recorded") : reason ? t("Nothing is recorded here: {reason}", { reason }) : t("Nothing is recorded here");
    setText(this.#note, this.#history.problem || words);
  }

  #drop(which) {
    if (which === "now") { this.#now?.drop(); this.#now = null; } else { this.#next?.drop(); this.#next = null; }
  }
}
