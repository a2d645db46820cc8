// SPDX-License-Identifier: LGPL-2.1-or-later
// Deletes events a few seconds after they were chosen, so that it can be taken back. What waits is sent when the view or the
// page is left.
import { eventPath, remove } from "../app/api.js";
import { failure, notice } from "../app/notice.js";
import { t } from "../app/text.js";

export class Deletion {
  #waiting = new Map(); // id -> closes the notice, which sends

  constructor(signal) {
    const flush = () => [...this.#waiting.values()].forEach((close) => close());
    signal.addEventListener("abort", flush);
    addEventListener("pagehide", flush, { signal });
  }

  has(id) { return this.#waiting.has(id); }

  add(event, { ontake, onback }) {
    ontake();
    const send = () => {
      this.#waiting.delete(event.id);
      remove(eventPath(event.id), true).catch((error) => {
        failure(error);
        if (error.status !== 404) onback();
      });
    };
    const close = notice(t("Event, clip and picture are deleted"), { action: t("Undo"), ongone: send, onaction: () => {
      this.#waiting.delete(event.id);
      onback();
    } });
    this.#waiting.set(event.id, close);
  }
}
