// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of one camera's picture that move all day, each with a line below the picture and an outline over it: a person masks
// it or leaves it as it is, and can take that back (unmasked.js). Nothing is masked without that. Where there are several they
// have numbers.
import { cameraPath, get, put, remove } from "../app/api.js";
import { h, icon, s, setText } from "../app/dom.js";
import { failure } from "../app/notice.js";
import { store } from "../app/store.js";
import { t } from "../app/text.js";
import { gone } from "./areas.js";
import { UnmaskedParts } from "./unmasked.js";
import { parse } from "./shapes.js";

const often = 600_000; // ms between two looks

const number = (i) => h("b", { "aria-hidden": "true" }, String(i + 1));

function numberAt({ coordinates }, i) {
  const [x, y] = parse(coordinates)[0];
  const element = number(i);
  element.style.left = `${100 * x}%`;
  element.style.top = `${100 * y}%`;
  return element;
}

export class Restless {
  #name;
  #areas;
  #history;
  #signal;
  #unmasked;
  #lines = h("div", { class: "restless-lines" });
  #outlines = s("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none" });
  #decided = null; // shapes that the last look knew
  #looks = 0;

  constructor(areas, history, signal) {
    this.#name = areas.camera.name;
    this.#areas = areas;
    this.#history = history;
    this.#signal = signal;
    this.#unmasked = new UnmaskedParts(this.#name, history);
    this.#unmasked.addEventListener("mark", ({ detail }) => this.#markUnmasked(detail));
    this.layer = h("div", { class: "proposed", "aria-hidden": "true" });
    this.element = h("section", { class: "restless panel", hidden: true, "aria-label": t("Parts that move all day") }, this.#lines, this.#unmasked.element);
    const timer = setInterval(() => this.#look(), often);
    signal.addEventListener("abort", () => clearInterval(timer));
  }

  /** Looks again where masks have changed since. */
  tell(camera) {
    this.#unmasked.tell(camera);
    this.#hideEmpty();
    const decided = JSON.stringify([camera.masks, camera.unmasked]);
    if (decided === this.#decided) return;
    this.#decided = decided;
    this.#look();
  }

  async #look() {
    const look = ++this.#looks;
    try {
      const { parts } = await get(cameraPath(this.#name, "restless"), this.#signal);
      if (look === this.#looks) this.#show(parts);
    } catch { /* the next look may find them: nobody asked for this one */ }
  }

  #show(parts) {
    const focus = this.#lines.contains(document.activeElement);
    this.#outlines.replaceChildren(...parts.map(({ coordinates }) => s("polygon", { points: coordinates })));
    this.layer.replaceChildren(this.#outlines, ...(parts.length > 1 ? parts.map(numberAt) : []));
    this.#lines.replaceChildren(...parts.map((part, i) => this.#line(part, i, parts.length)));
    this.#hideEmpty();
    if (focus) this.#lines.querySelector("button")?.focus();
  }

  #hideEmpty() {
    this.element.hidden = !this.#lines.childElementCount && this.#unmasked.empty;
  }

  #markUnmasked(coordinates) {
    for (const old of this.#outlines.querySelectorAll(".unmasked")) old.remove();
    if (coordinates) this.#outlines.append(s("polygon", { class: "meant unmasked", points: coordinates }));
  }

  #line(part, i, all) {
    const words = h("span", { id: `restless-${i}` });
    setText(words, t("This part moved in {n} of the last 24 hours. Mask it?", { n: part.hours }));
    const mark = (on) => this.#outlines.children[i]?.classList.toggle("meant", on && all > 1);
    const buttons = [h("button", { type: "button", class: "button", "aria-describedby": words.id, onclick: () => this.#mask(part) }, icon("mask"), t("Mask it")),
      h("button", { type: "button", class: "button quiet", "aria-describedby": words.id, onclick: () => this.#leave(part) }, t("Leave it"))];
    return h("div", { class: "restless-one", onpointerenter: () => mark(true), onpointerleave: () => mark(false), onfocusin: () => mark(true), onfocusout: () => mark(false) },
      all > 1 ? number(i) : "", words, buttons);
  }

  #mask({ coordinates }) {
    return this.#areas.add("masks", parse(coordinates));
  }

  async #leave({ coordinates }) {
    const known = store.cameras.get(this.#name)?.unmasked ?? {};
    let n = 1;
    while (`part-${n}` in known) n++;
    const path = cameraPath(this.#name, "unmasked", `part-${n}`);
    const redo = async () => store.set(await put(path, { coordinates }));
    try {
      await redo();
      this.#history.add({ words: t("leaving a part that moves all day"), undo: async () => {
        const camera = await remove(path).catch(gone);
        if (camera) store.set(camera);
      }, redo });
    } catch (error) {
      failure(error);
    }
  }
}
