// SPDX-License-Identifier: LGPL-2.1-or-later
// Events of one camera over the last hours. One stop for the Tab key; arrow keys go from event to event, Enter opens.
import { get, query } from "../app/api.js";
import { choice, h, setText } from "../app/dom.js";
import { live } from "../app/live.js";
import { failure } from "../app/notice.js";
import { go } from "../app/router.js";
import { t, tn } from "../app/text.js";
import { dayStart, hourMinute, now, span, timeOfDay } from "../app/time.js";
import { labelWords, thumbnail } from "../events/words.js";

const mostPages = 5;

export function timeline(camera, signal) {
  let hours = 6;
  let events = [];
  let chosen = null;
  const band = h("div", { class: "timeline-band", role: "listbox", tabindex: "0", "aria-label": t("Events by time. Arrow keys choose, Enter plays."), data: { arrows: "" } });
  const ticks = h("div", { class: "timeline-ticks number", "aria-hidden": "true" });
  const preview = h("div", { class: "timeline-preview", hidden: true });
  const count = h("span", { class: "hint number" });
  const element = h("section", { class: "timeline panel", "aria-label": t("Activity") },
    h("header", {}, h("h2", {}, t("Activity")), count, h("span", { class: "grow" }),
      choice(t("Hours shown"), [1, 6, 24].map((n) => ({ value: n, words: t("{n} h", { n }) })), hours, (n) => { hours = n; load(); })),
    h("div", { class: "timeline-box" }, band, ticks, preview));

  const show = (event) => {
    chosen = event;
    preview.hidden = !event;
    for (const bar of band.children) {
      const mine = event !== null && bar.id === `bar-${event.id}`;
      bar.setAttribute("aria-selected", String(mine));
    }
    if (!event) {
      band.removeAttribute("aria-activedescendant");
      return;
    }
    band.setAttribute("aria-activedescendant", `bar-${event.id}`);
    preview.replaceChildren(h("img", { src: thumbnail(event), alt: "", width: 160, height: 90 }),
      h("span", {}, h("strong", {}, labelWords(event.label)), ` ${timeOfDay(event.start_time)}`));
    preview.style.left = `clamp(0px, calc(${share(event.start_time) * 100}% - 85px), calc(100% - 170px))`;
  };
  const share = (time) => 1 - (now() + live.clockOffset - time) / (hours * 3600);

  const draw = () => {
    const end = now() + live.clockOffset;
    const start = end - hours * 3600;
    const shown = events.filter((e) => (e.end_time ?? end) > start);
    setText(count, tn("1 event", "{n} events", shown.length));
    band.replaceChildren(...shown.map((e) => {
      const from = Math.max(0, share(e.start_time));
      const bar = h("span", { class: "bar", id: `bar-${e.id}`, role: "option", "aria-selected": String(e.id === chosen?.id), data: { label: e.label, id: e.id },
        "aria-label": `${t("{label} at {time}", { label: labelWords(e.label), time: timeOfDay(e.start_time) })}, ${e.end_time ? span(e.end_time - e.start_time) : t("still going on")}` });
      bar.style.left = `${from * 100}%`;
      bar.style.width = `${Math.max(0, share(e.end_time ?? end) - from) * 100}%`;
      return bar;
    }));
    const step = { 1: 600, 6: 3600, 24: 4 * 3600 }[hours];
    const marks = [];
    const midnight = dayStart(start);
    for (let t = midnight + Math.ceil((start - midnight) / step) * step; t <= end; t += step) {
      if (share(t) < 0.03 || share(t) > 0.97) continue;
      const mark = h("span", {}, hourMinute(t));
      mark.style.left = `${share(t) * 100}%`;
      marks.push(mark);
    }
    ticks.replaceChildren(...marks);
  };
  async function load() {
    try {
      const after = now() + live.clockOffset - hours * 3600;
      let all = [];
      let cursor = null;
      for (let page = 0; page < mostPages && (page === 0 || cursor); page++) {
        const answer = await get(`api/events${query({ camera, after, limit: 200, cursor })}`, signal);
        all = all.concat(answer.events);
        cursor = answer.next_cursor;
      }
      events = all.reverse();
      draw();
    } catch (error) {
      failure(error);
    }
  }
  band.addEventListener("pointerover", (event) => show(events.find((e) => e.id === event.target.dataset.id) ?? null));
  band.addEventListener("pointerleave", () => show(null));
  band.addEventListener("blur", () => show(null));
  band.addEventListener("click", (event) => { if (event.target.dataset.id) go("events", [], { id: event.target.dataset.id }); });
  band.addEventListener("keydown", (event) => {
    const at = events.indexOf(chosen);
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[event.key];
    if (step && events.length) {
      show(events[at < 0 ? events.length - 1 : Math.max(0, Math.min(events.length - 1, at + step))]);
    } else if (event.key === "Enter" && chosen) go("events", [], { id: chosen.id });
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  live.addEventListener("event", ({ detail: { event } }) => {
    if (event.camera !== camera) return;
    events = [...events.filter((e) => e.id !== event.id), event].sort((a, b) => a.start_time - b.start_time);
    draw();
  }, { signal });
  live.addEventListener("deleted", ({ detail }) => { events = events.filter((e) => e.id !== detail.id); draw(); }, { signal });
  const timer = setInterval(draw, 10000);
  signal.addEventListener("abort", () => clearInterval(timer));
  load();
  return element;
}
