// SPDX-License-Identifier: LGPL-2.1-or-later
// The newest events next to the wall, with the clip one click away.
import { get } from "../app/api.js";
import { h, setText } from "../app/dom.js";
import { live } from "../app/live.js";
import { address } from "../app/router.js";
import { titleOf } from "../app/store.js";
import { t } from "../app/text.js";
import { fullTime, now, span, timeOfDay } from "../app/time.js";
import { labelWords, thumbnail } from "../events/words.js";

const most = 24;

/** One place in the list. Events move from place to place; the places stay where they are. */
class Place {
  event = null;
  #camera = h("strong");
  #label = h("span", { class: "muted" });
  #when = h("span", { class: "number" });
  #image = h("img", { alt: "", width: 112, height: 63 });
  element = h("a", { class: "latest-event", hidden: true }, this.#image, h("span", { class: "latest-words" }, this.#camera, this.#label, this.#when));

  show(event) {
    this.event = event ?? null;
    this.element.hidden = !event;
    if (!event) return;
    this.element.href = address("events", [], { id: event.id });
    this.element.classList.toggle("going", !event.end_time);
    this.#when.title = fullTime(event.start_time);
    setText(this.#camera, titleOf(event.camera));
    setText(this.#label, labelWords(event.label));
    this.tick();
  }

  tick() {
    if (!this.event) return;
    const source = thumbnail(this.event);
    if (source === null) this.#image.removeAttribute("src");
    else if (this.#image.getAttribute("src") !== source) this.#image.src = source;
    const { start_time: start, end_time: end } = this.event;
    setText(this.#when, end ? `${timeOfDay(start)}, ${span(end - start)}` : t("now, for {span}", { span: span(now() + live.clockOffset - start) }));
  }
}

export function latest(signal) {
  let events = [];
  const places = Array.from({ length: most }, () => new Place());
  const none = h("p", { class: "hint" }, t("Nothing has moved yet. Events appear here while they happen."));
  const element = h("aside", { class: "latest", "aria-label": t("Newest events") },
    h("header", {}, h("h2", {}, t("Newest")), h("a", { href: "#/events" }, t("All events"))), none,
    h("div", { class: "latest-list" }, places.map((place) => place.element)));
  const show = (next) => {
    events = next.sort((a, b) => b.start_time - a.start_time).slice(0, most);
    none.hidden = events.length > 0;
    places.forEach((place, i) => place.show(events[i]));
  };
  const without = (id) => events.filter((event) => event.id !== id);
  get(`api/events?limit=${most}`, signal).then((answer) => {
    show([...events, ...answer.events.filter((event) => !events.some((other) => other.id === event.id))]);
  }).catch(() => {});
  live.addEventListener("event", ({ detail }) => show([...without(detail.event.id), detail.event]), { signal });
  live.addEventListener("deleted", ({ detail }) => show(without(detail.id)), { signal });
  return { element, tick: () => places.forEach((place) => place.tick()) };
}
