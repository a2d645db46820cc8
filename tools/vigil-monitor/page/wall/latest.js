// SPDX-License-Identifier: LGPL-2.1-or-later
// The newest events beside the wall, with the clip one click away.
import { eventPath, get } from "../app/api.js";
import { h, setText } from "../app/dom.js";
import { live } from "../app/live.js";
import { address } from "../app/router.js";
import { fullTime, now, span, timeOfDay } from "../app/time.js";
import { labelWords } from "../events/words.js";

const most = 24;

function item(event) {
  const when = h("span", { class: "number", title: fullTime(event.start_time) });
  const link = h("a", { href: address("events", [], { id: event.id }), class: "latest-event" },
    h("img", { src: `${eventPath(event.id, "thumbnail.jpg")}?${event.end_time ?? ""}`, alt: "", loading: "lazy", width: 112, height: 63 }),
    h("span", { class: "latest-words" }, h("strong", {}, event.camera), h("span", { class: "muted" }, labelWords(event.label)), when));
  const tell = () => setText(when, event.end_time ? `${timeOfDay(event.start_time)}, ${span(event.end_time - event.start_time)}`
    : `now, for ${span(now() + live.clockOffset - event.start_time)}`);
  tell();
  link.classList.toggle("going", !event.end_time);
  return { event, element: link, tell };
}

export function latest(signal) {
  let items = [];
  const list = h("div", { class: "latest-list" });
  const none = h("p", { class: "hint" }, "Nothing has moved yet. Events appear here while they happen.");
  const element = h("aside", { class: "latest", "aria-label": "Newest events" },
    h("header", {}, h("h2", {}, "Newest"), h("a", { href: "#/events" }, "All events")), none, list);
  const set = (event) => {
    const made = item(event);
    const at = items.findIndex((i) => i.event.id === event.id);
    if (at >= 0) {
      items[at].element.replaceWith(made.element);
      items[at] = made;
    } else {
      items.unshift(made);
      list.prepend(made.element);
      for (const old of items.splice(most)) old.element.remove();
    }
    none.hidden = true;
  };
  const drop = (id) => {
    items.filter((i) => i.event.id === id).forEach((i) => i.element.remove());
    items = items.filter((i) => i.event.id !== id);
    none.hidden = items.length > 0;
  };
  get(`/api/events?limit=${most}`, signal).then(({ events }) => events.reverse().forEach(set)).catch(() => {});
  live.addEventListener("event", ({ detail }) => set(detail.event), { signal });
  live.addEventListener("deleted", ({ detail }) => drop(detail.id), { signal });
  return { element, tick: () => items.forEach((i) => i.event.end_time || i.tell()) };
}
