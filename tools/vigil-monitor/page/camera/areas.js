// SPDX-License-Identifier: LGPL-2.1-or-later
// The zones, lines and masks of one camera: keeps them as the server has them, changes them there, and makes each change
// a step that can be taken back. The drawing and the list next to it both show this. Events: "change" and "select".
import { cameraPath, put, remove } from "../app/api.js";
import { failure, notice } from "../app/notice.js";
import { store } from "../app/store.js";
import { t } from "../app/text.js";
import { fault, format, freeName, goodName, kindWord, kinds, shapesOf } from "./shapes.js";

const body = (shape) => ({ coordinates: format(shape.points), ...shape.options });
/** For a deletion. */
export const gone = (error) => { if (error.status !== 404) throw error; }; // somebody else has deleted it already
const sameAs = (a) => (b) => a && b.kind === a.kind && b.name === a.name;

export class Areas extends EventTarget {
  shapes = [];
  selected = null; // {kind, name}
  held = false; // while something is dragged, what the server tells waits

  constructor(camera, history) {
    super();
    this.camera = camera;
    this.history = history;
    this.shapes = shapesOf(camera);
  }

  /** Takes over what the server has now. */
  tell(camera) {
    this.camera = camera;
    if (this.held) return;
    const before = JSON.stringify(this.shapes);
    this.shapes = shapesOf(camera);
    if (JSON.stringify(this.shapes) !== before) this.#changed();
  }

  find(key) {
    return this.shapes.find(sameAs(key)) ?? null;
  }

  select(key) {
    if (this.selected === key || (key && this.selected && sameAs(key)(this.selected))) return;
    this.selected = key && { kind: key.kind, name: key.name };
    this.dispatchEvent(new Event("select"));
  }

  /** A new shape with a free name; it is selected. */
  async add(kind, points, options = {}) {
    const shape = { kind, name: freeName(kind, this.shapes), points, options };
    const why = fault(shape);
    if (why) return this.#refuse(why);
    this.shapes.push(shape);
    this.select(shape);
    this.#changed();
    await this.#step(t("new {kind} {name}", { kind: kindWord(kind), name: shape.name }), null, shape);
    return shape;
  }

  /** Replaces `before` (a copy of what was) by `after`, which has the same kind and name. */
  async change(before, after, words = t("change of {name}", { name: after.name })) {
    const why = fault(after);
    if (why) {
      this.#replace(before, before);
      return this.#refuse(why);
    }
    this.#replace(before, after);
    return this.#step(words, before, after);
  }

  async rename(shape, name) {
    if (name === shape.name) return null;
    if (!goodName.test(name)) return this.#refuse(t("“{name}” cannot be a name: use letters, digits, - and _, at most 32.", { name }));
    if (this.find({ kind: shape.kind, name })) return this.#refuse(t("There is already a {kind} named {name}.", { kind: kindWord(shape.kind), name }));
    const after = { ...shape, name };
    this.#replace(shape, after);
    if (this.selected && sameAs(this.selected)(shape)) this.selected = { kind: after.kind, name };
    return this.#step(t("name {name}", { name }), shape, after);
  }

  async drop(shape) {
    this.shapes = this.shapes.filter((other) => !sameAs(shape)(other));
    if (sameAs(shape)(this.selected ?? {})) this.select(null);
    this.#changed();
    await this.#step(t("deletion of {name}", { name: shape.name }), shape, null);
    notice(t("{kind} {name} is deleted", { kind: kinds[shape.kind].word, name: shape.name }), { action: t("Undo"), onaction: () => this.history.undo().catch(failure) });
  }

  #replace(before, after) {
    this.shapes = this.shapes.map((shape) => (sameAs(before)(shape) ? after : shape));
    this.#changed();
  }

  #refuse(why) {
    notice(why, { bad: true });
    this.#changed();
    return null;
  }

  async #step(words, before, after) {
    try {
      await this.#send(before, after);
      this.history.add({ words, undo: () => this.#send(after, before), redo: () => this.#send(before, after) });
    } catch (error) {
      failure(error);
      this.tell(this.camera);
    }
  }

  /** Makes the server's state change from `from` to `to`; either can be null. */
  async #send(from, to) {
    const path = (shape) => cameraPath(this.camera.name, shape.kind, shape.name);
    let camera = null;
    if (to) camera = await put(path(to), body(to));
    if (from && !(to && sameAs(from)(to))) camera = await remove(path(from)).catch(gone) ?? camera;
    if (camera) store.set(camera);
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
