// SPDX-License-Identifier: LGPL-2.1-or-later
// When something moved in a region of one camera's picture: a list, the newest first. One stop for the Tab key; arrow keys go
// from hit to hit.
import { cameraPath, get, query } from "../app/api.js";
import { choice, h, icon, iconButton, setText, s } from "../app/dom.js";
import { titleOf } from "../app/store.js";
import { t, tn } from "../app/text.js";
import { dayName, now, percent, span, timeOfDay } from "../app/time.js";
import { notAnalysed } from "../camera/states.js";
import { regionWords } from "./region.js";

const day = 86400;

const compass = [t("up"), t("to the up and right"), t("to the right"), t("to the down and right"), t("down"), t("to the down and left"), t("to the left"), t("to the up and left")];

function arrow(direction) {
  if (direction === null) return h("span", { class: "tl-arrow" });
  const words = compass[Math.round(direction / 45) % 8];
  return h("span", { class: "tl-arrow" }, s("svg", { class: "icon", viewBox: "0 0 24 24", role: "img", "aria-label": words },
    s("path", { d: "M12 20V5M6 11l6-6 6 6", transform: `rotate(${direction} 12 12)` })));
}

export class Hits {
  #days = 1;
  #asked = null; // {camera, points, until}
  #loading = null;
  #list = h("ol", { class: "tl-hits" });
  #words = h("p", { class: "hint", role: "status" });
  #onchoose;

  /** `acts`: {choose(camera, time), close()} */
  constructor(acts, signal) {
    this.#onchoose = acts.choose;
    this.heading = h("h2", {}, t("Search"));
    this.hint = regionWords();
    this.element = h("aside", { class: "tl-search panel", hidden: true, "aria-label": t("Search where something moved") },
      h("header", {}, this.heading, h("span", { class: "grow" }),
        choice(t("Days searched"), [1, 7, 30].map((n) => ({ value: n, words: tn("1 day", "{n} days", n) })), this.#days, (n) => { this.#days = n; this.#ask(); }),
        iconButton("close", t("End the search"), acts.close, { class: "button quiet icon-only" })),
      this.hint, this.#words, this.#list);
    this.#list.addEventListener("keydown", (event) => {
      const buttons = [...this.#list.querySelectorAll("button")];
      const to = buttons[buttons.indexOf(document.activeElement) + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] ?? NaN)];
      if (!to) return;
      event.preventDefault();
      event.stopPropagation();
      to.focus();
    });
    signal.addEventListener("abort", () => this.#loading?.abort());
  }

  /** Waits for a region on this camera's picture. */
  open(camera) {
    this.#asked = null;
    this.element.hidden = false;
    this.hint.hidden = false;
    setText(this.heading, t("Search at {camera}", { camera: titleOf(camera) }));
    setText(this.#words, "");
    this.#list.replaceChildren();
  }

  close() {
    this.#loading?.abort();
    this.#asked = null;
    this.element.hidden = true;
  }

  /** Searches the days before `until`. */
  search(camera, points, until) {
    this.#asked = { camera, points, until };
    this.hint.hidden = true;
    return this.#ask();
  }

  async #ask() {
    if (!this.#asked) return;
    const { camera, points, until } = this.#asked;
    this.#loading?.abort();
    const mine = new AbortController();
    this.#loading = mine;
    setText(this.#words, t("Searching"));
    const to = Math.min(until, now());
    try {
      const { hits, more, analysed } = await get(`${cameraPath(camera, "search")}${query({ polygon: points.flat().map((v) => v.toFixed(4)).join(","), from: to - this.#days * day, to, limit: 200 })}`, mine.signal);
      setText(this.#words, (analysed ? "" : `${notAnalysed} `) + (hits.length === 0 ? t("Nothing moved there in this time") : more ? t("The newest {n} times something moved there", { n: hits.length }) : tn("1 time something moved there", "{n} times something moved there", hits.length)));
      this.#list.replaceChildren(...hits.map((hit, i) => h("li", {}, h("button", { type: "button", class: "tl-hit", tabindex: i === 0 ? "0" : "-1", data: { start: hit.start }, onclick: () => this.#onchoose(camera, hit.start) },
        icon("motion"), h("span", { class: "number" }, `${dayName(hit.start)} ${timeOfDay(hit.start)}`), h("span", { class: "number muted" }, span(hit.end - hit.start)), arrow(hit.direction),
        h("span", { class: "number muted", title: t("The largest share of the region that moved at once") }, percent(hit.share))))));
    } catch (error) {
      if (error.name === "AbortError") return;
      setText(this.#words, error.message);
      this.#list.replaceChildren();
    }
  }
}
