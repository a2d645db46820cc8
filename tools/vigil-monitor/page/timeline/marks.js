// SPDX-License-Identifier: LGPL-2.1-or-later
// The begin and the end that somebody has marked on the timeline; null where there is none. It sends "change" when one changes.
export class Marks extends EventTarget {
  from = null;
  to = null;

  get complete() { return this.from !== null && this.to !== null; }

  /** A begin behind the end takes the end away, and the other way round. */
  begin(t) { this.#set(t, this.to !== null && this.to > t ? this.to : null); }
  end(t) { this.#set(this.from !== null && this.from < t ? this.from : null, t); }
  both(from, to) { this.#set(from, to); }
  clear() { this.#set(null, null); }

  #set(from, to) {
    Object.assign(this, { from, to });
    this.dispatchEvent(new Event("change"));
  }
}
