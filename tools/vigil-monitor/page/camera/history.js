// SPDX-License-Identifier: LGPL-2.1-or-later
// What can be taken back on the page of one camera: each step knows its way back and forth. Dispatches "change" whenever it changes.
export class History extends EventTarget {
  #done = [];
  #undone = [];
  #busy = false;

  /** Adds a step that has just been taken: {words, undo, redo}; both return promises. */
  add(step) {
    this.#done.push(step);
    this.#undone = [];
    this.#tell();
  }

  get undoWords() { return this.#done.at(-1)?.words ?? null; }
  get redoWords() { return this.#undone.at(-1)?.words ?? null; }

  undo() { return this.#move(this.#done, this.#undone, "undo"); }
  redo() { return this.#move(this.#undone, this.#done, "redo"); }

  async #move(from, to, way) {
    if (this.#busy || !from.length) return null;
    this.#busy = true;
    const step = from.pop();
    try {
      await step[way]();
      to.push(step);
      return step.words;
    } catch (error) {
      from.push(step);
      throw error;
    } finally {
      this.#busy = false;
      this.#tell();
    }
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}
