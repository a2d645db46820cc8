// SPDX-License-Identifier: LGPL-2.1-or-later
// The one live connection of the page: pictures of the cameras that are looked at, and all messages. It is opened again
// whenever it closes. Listeners get "picture" and each kind of docs/reference/live-stream.md as events of `live`, and "state" when the
// connection comes or goes.
import { query, signIn } from "./api.js";
import { ServerClock } from "./clock.js";
import { Records } from "./framing.js";

const retryAfter = 1000; // ms
const sleepAfter = 15000; // ms out of sight
const silence = 12000; // ms; the server says something every five seconds

class Live extends EventTarget {
  connected = false;
  #clock = new ServerClock();
  #wanted = null;
  #abort = null;
  #last = 0;
  #timer = 0;
  #asleep = false;

  constructor() {
    super();
    // A page that nobody sees, or that lies in the browser's history, gives its connection back: a browser has six for all
    // of its tabs together. Short looks elsewhere do not count.
    let drowsy = 0;
    document.addEventListener("visibilitychange", () => {
      clearTimeout(drowsy);
      if (document.hidden) drowsy = setTimeout(() => this.#sleep(), sleepAfter);
      else this.#wake();
    });
    addEventListener("pagehide", () => this.#sleep());
    addEventListener("pageshow", () => this.#wake());
  }

  /** Server's clock minus ours, in seconds. */
  get clockOffset() {
    return this.#clock.offset;
  }

  /** Says what is looked at from now on: {cameras: [names], view, height, pictures}. Without cameras, or with pictures: 0, only events come. */
  watch(wanted) {
    const key = JSON.stringify(wanted);
    if (key === this.#wanted) return;
    this.#wanted = key;
    this.#abort?.abort();
    clearTimeout(this.#timer);
    if (!this.#asleep) this.#open();
  }

  stop() {
    this.#wanted = null;
    clearTimeout(this.#timer);
    this.#abort?.abort();
  }

  #sleep() {
    this.#asleep = true;
    clearTimeout(this.#timer);
    this.#abort?.abort();
  }

  #wake() {
    if (!this.#asleep) return;
    this.#asleep = false;
    if (this.#wanted !== null) this.#open();
  }

  async #open() {
    const abort = new AbortController();
    this.#abort = abort;
    const { cameras, view, height, pictures = cameras.length ? undefined : 0 } = JSON.parse(this.#wanted);
    const guard = setInterval(() => { if (Date.now() - this.#last > silence) abort.abort(); }, 3000);
    try {
      this.#last = Date.now();
      const response = await fetch(`api/live${query({ cameras: cameras.join(","), view, height, pictures })}`,
        { signal: abort.signal, cache: "no-store" });
      if (response.status === 401) {
        signIn.dispatchEvent(new Event("needed"));
        return;
      }
      if (response.status === 404 && cameras.length) // one of them is gone: without pictures it says which there are
        this.#wanted = JSON.stringify({ cameras: [], view, height });
      if (!response.ok) throw new Error(`live: ${response.status}`);
      await this.#read(response.body.getReader());
    } catch {
      // The connection broke or was replaced; below decides what is next.
    } finally {
      clearInterval(guard);
      if (this.#abort === abort && this.#wanted !== null && !this.#asleep) {
        this.#setConnected(false);
        this.#timer = setTimeout(() => this.#open(), retryAfter);
      }
    }
  }

  async #read(reader) {
    const records = new Records();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#last = Date.now();
      records.push(value, (record) => {
        if (record.type === "J") this.dispatchEvent(new CustomEvent("picture", { detail: record }));
        else if (record.type === "E") this.#tell(JSON.parse(decoder.decode(record.payload)), record);
      });
    }
  }

  #tell(message, record) {
    if (message.kind === "hello") {
      this.#clock = new ServerClock();
      this.#setConnected(true);
    }
    this.#clock.hear(record.time);
    this.dispatchEvent(new CustomEvent(message.kind, { detail: { ...message, at: record.time } }));
  }

  #setConnected(connected) {
    if (this.connected === connected) return;
    this.connected = connected;
    this.dispatchEvent(new Event("state"));
  }
}

export const live = new Live();
