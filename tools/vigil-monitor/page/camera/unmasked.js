// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of one camera's picture that move all day and that a person left as they are: a list that opens, in which each
// can be taken back. It is proposed as a mask again then, if it still moves. Event: "mark", with coordinates or null.
import { cameraPath, put, remove } from "../app/api.js";
import { h, setText } from "../app/dom.js";
import { failure } from "../app/notice.js";
import { store } from "../app/store.js";
import { t, tn } from "../app/text.js";
import { gone } from "./areas.js";

export class UnmaskedParts extends EventTarget {
  #name;
  #history;
  #parts = "{}"; // as JSON
  #summary = h("summary");
  #list = h("ul");

  constructor(name, history) {
    super();
    this.#name = name;
    this.#history = history;
    this.element = h("details", { class: "unmasked", hidden: true }, this.#summary, this.#list);
  }

  get empty() {
    return this.element.hidden;
  }

  tell({ unmasked }) {
    const now = JSON.stringify(unmasked);
    if (now === this.#parts) return;
    this.#parts = now;
    const parts = Object.entries(unmasked);
    const at = [...this.#list.children].findIndex((line) => line.contains(document.activeElement));
    setText(this.#summary, tn("1 part left as it is", "{n} parts left as they are", parts.length));
    this.#list.replaceChildren(...parts.map(([name, part]) => this.#line(name, part)));
    this.element.hidden = !parts.length;
    this.#mark(null);
    if (at >= 0) (this.#list.children[Math.min(at, parts.length - 1)]?.querySelector("button") ?? this.#summary).focus();
  }

  #mark(coordinates) {
    this.dispatchEvent(new CustomEvent("mark", { detail: coordinates }));
  }

  #line(name, { coordinates }) {
    const on = () => this.#mark(coordinates), off = () => this.#mark(null);
    return h("li", { class: "restless-one", onpointerenter: on, onpointerleave: off, onfocusin: on, onfocusout: off }, h("span", {}, name),
      h("button", { type: "button", class: "button quiet", "aria-label": t("Propose {name} as a mask again", { name }), onclick: () => this.#takeBack(name, coordinates) }, t("Propose it again")));
  }

  async #takeBack(name, coordinates) {
    const path = cameraPath(this.#name, "unmasked", name);
    const redo = async () => {
      const camera = await remove(path).catch(gone);
      if (camera) store.set(camera);
    };
    try {
      await redo();
      this.#history.add({ words: t("proposing {name} again", { name }), undo: async () => store.set(await put(path, { coordinates })), redo });
    } catch (error) {
      failure(error);
    }
  }
}
