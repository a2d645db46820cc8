// SPDX-License-Identifier: LGPL-2.1-or-later
// How far the server's clock is ahead of ours. Every JSON record of the live stream says when it was sent; one that took
// long on its way makes the server's clock look slow, so the largest difference of the last records counts. After either
// clock was set, the records before that are forgotten soon.
const kept = 30;

export class ServerClock {
  #differences = [];

  /** A record that was sent at `sent`, by the server's clock, has come at `now`, by ours. Both in seconds. */
  hear(sent, now = Date.now() / 1000) {
    this.#differences = [...this.#differences.slice(1 - kept), sent - now];
  }

  /** Server's clock minus ours, in seconds; 0 while nothing has been heard. */
  get offset() {
    return this.#differences.length ? Math.max(...this.#differences) : 0;
  }
}
