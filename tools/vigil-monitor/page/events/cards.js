// SPDX-License-Identifier: LGPL-2.1-or-later
// Thumbnails of events by day, the newest first. One stop for the Tab key; next and previous go from card to card.
import { h, icon } from "../app/dom.js";
import { titleOf } from "../app/store.js";
import { t } from "../app/text.js";
import { dayName, dayStart, fullTime, span, timeOfDay } from "../app/time.js";
import { nameOf } from "../labels/field.js";
import { labelIcon, labelWords, thumbnail } from "./words.js";

// Loitering begins when a stay has become too long: the stay itself, its score, is what one asks for.
const lasts = (event) => (event.end_time ? span(event.label === "loitering" ? event.score : event.end_time - event.start_time) : t("now"));

function card(event, similarity, onchoose) {
  const words = [titleOf(event.camera), ...new Set([labelWords(event.label), nameOf(event)]), ...event.zones.map((zone) => t("in {zone}", { zone }))].join(", ");
  return h("button", { type: "button", class: `card${event.end_time ? "" : " going"}${event.seen ? "" : " new"}`, tabindex: "-1", data: { id: event.id }, title: fullTime(event.start_time),
    "aria-label": `${words}, ${dayName(event.start_time)} ${timeOfDay(event.start_time)}, ${lasts(event)}${event.retained ? `, ${t("kept")}` : ""}${event.seen ? "" : `, ${t("new")}`}`, onclick: () => onchoose(event.id) },
    h("span", { class: "thumb" }, h("img", { src: thumbnail(event), alt: "", loading: "lazy" }),
      h("span", { class: "thumb-foot" }, h("span", { class: "thumb-label" }, icon(labelIcon(event.label)), h("span", {}, nameOf(event))),
        h("span", { class: "thumb-length number" }, similarity === undefined ? lasts(event) : t("{n} % alike", { n: Math.round(similarity * 100) }))),
      !event.seen && h("span", { class: "thumb-new" }, t("New")),
      event.retained && h("span", { class: "thumb-kept" }, icon("keep"))),
    h("span", { class: "card-words" }, h("strong", {}, titleOf(event.camera)), h("span", { class: "number" }, timeOfDay(event.start_time))));
}

/** What a card showed stays until the picture of the one that takes its place is there: else it would be black for a moment. */
function keepPicture(old, made) {
  const before = old?.querySelector("img");
  const next = made.querySelector("img");
  if (!before?.naturalWidth) return;
  if (before.src === next.src) {
    next.replaceWith(before);
  } else {
    next.before(before);
    next.addEventListener("load", () => before.remove(), { once: true });
  }
}

export class Cards {
  events = [];
  #byDay = true;
  #similarity = new Map();
  #selected = null;
  #onchoose;

  constructor(onchoose) {
    this.#onchoose = onchoose;
    this.element = h("div", { class: "cards" });
  }

  /** Replaces all; with `similarity` (id -> number) they stand in the order given, not by day. */
  fill(events, similarity = null) {
    this.events = events;
    this.#byDay = similarity === null;
    this.#similarity = similarity ?? new Map();
    this.element.replaceChildren();
    if (this.#byDay) this.append(events, true);
    else this.element.append(h("div", { class: "card-grid" }, events.map((event) => this.#card(event))));
    this.select(this.#selected);
  }

  /** More, older ones at the end. */
  append(events, known = false) {
    if (!known) this.events = this.events.concat(events);
    for (const event of events) this.#grid(event, false).append(this.#card(event));
  }

  /** A new event, or one that changed. */
  set(event) {
    const at = this.events.findIndex((other) => other.id === event.id);
    if (at >= 0) {
      this.events[at] = event;
      const old = this.#find(event.id);
      const made = this.#card(event);
      const focused = old === document.activeElement;
      keepPicture(old, made);
      old?.replaceWith(made);
      if (focused) made.focus();
    } else if (this.#byDay) {
      this.events.unshift(event);
      this.#grid(event, true).prepend(this.#card(event));
    }
    this.select(this.#selected);
  }

  drop(id) {
    this.events = this.events.filter((event) => event.id !== id);
    const old = this.#find(id);
    const section = old?.closest("section");
    old?.remove();
    if (section && !section.querySelector(".card")) section.remove();
  }

  /** The event after (or before) this one in the order shown. */
  neighbour(id, step) {
    const at = this.events.findIndex((event) => event.id === id);
    return this.events[at < 0 ? 0 : at + step] ?? null;
  }

  select(id, { focus = false } = {}) {
    this.#selected = id;
    for (const one of this.element.querySelectorAll("[aria-current]")) {
      one.removeAttribute("aria-current");
      one.tabIndex = -1;
    }
    const chosen = this.#find(id);
    chosen?.setAttribute("aria-current", "true");
    const stop = chosen ?? this.element.querySelector(".card");
    if (stop) stop.tabIndex = 0;
    chosen?.scrollIntoView({ block: "nearest" });
    if (focus) chosen?.focus({ preventScroll: true });
  }

  #find(id) {
    return id ? this.element.querySelector(`.card[data-id="${CSS.escape(id)}"]`) : null;
  }

  #card(event) {
    return card(event, this.#similarity.get(event.id), this.#onchoose);
  }

  #grid(event, first) {
    const start = dayStart(event.start_time);
    let section = this.element.querySelector(`section[data-day="${start}"]`);
    if (!section) {
      section = h("section", { data: { day: start } }, h("h2", {}, dayName(event.start_time)), h("div", { class: "card-grid" }));
      if (first) this.element.prepend(section);
      else this.element.append(section);
    }
    return section.lastChild;
  }
}
