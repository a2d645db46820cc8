// SPDX-License-Identifier: LGPL-2.1-or-later
// Marks of seen events, sent in the background one after the other, and taken back. The page goes on meanwhile.
import { get, post, query } from "../app/api.js";

const most = 500; // of one request
const rounds = 200;

export class Marks {
  #last = Promise.resolve();
  #done = []; // lists of ids, the newest last

  get undoable() { return this.#done.length > 0; }

  /** Marks these; `onfail(ids, error)` when the server does not take it. */
  see(ids, onfail) {
    this.#done.push(ids);
    this.#last = this.#last.then(() => this.#send(ids, true)).catch((error) => {
      this.#done = this.#done.filter((list) => list !== ids);
      onfail(ids, error);
    });
    return this.#last;
  }

  /** All that is new until now, also what is not loaded. How many there were. */
  async seeAll() {
    await this.#last;
    const all = [];
    this.#done.push(all);
    for (let round = 0; round < rounds; round++) {
      const { events } = await get(`api/events${query({ seen: false, limit: most })}`);
      if (!events.length) break;
      const { changed } = await this.#send(events.map((event) => event.id), true);
      all.push(...changed);
      if (!changed.length) break;
    }
    return all.length;
  }

  /** Takes the last marks back; their ids. */
  async undo() {
    await this.#last;
    const ids = this.#done.pop();
    if (!ids) return [];
    try {
      for (let at = 0; at < ids.length; at += most) await this.#send(ids.slice(at, at + most), false);
    } catch (error) {
      this.#done.push(ids);
      throw error;
    }
    return ids;
  }

  #send(ids, seen) {
    return post("api/events/seen", { ids, seen });
  }
}
