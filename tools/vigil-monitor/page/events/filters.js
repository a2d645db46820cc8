// SPDX-License-Identifier: LGPL-2.1-or-later
// Which events are shown. The filters stand in the address, so that a search can be kept as a bookmark.
import { dayField, h, iconButton } from "../app/dom.js";
import { store, titleOf } from "../app/store.js";
import { t } from "../app/text.js";
import { dateValue, dayStart, fromDateValue, hourStart, now } from "../app/time.js";
import { labelsOf } from "../labels/field.js";
import { labelWords } from "./words.js";

const names = ["camera", "label", "zone", "day", "hour", "retained", "seen"];
const hours = Array.from({ length: 24 }, (_, hour) => [String(hour), t("{from}:00 to {to}:00", { from: hour, to: hour + 1 })]);

function select(words, key, options, values, onchange) {
  const field = h("select", { "aria-label": words, onchange: () => onchange({ [key]: field.value }) },
    h("option", { value: "" }, t("{what}: all", { what: words })), options.map(([value, text]) => h("option", { value, selected: values[key] === value }, text)));
  return field;
}

const isDay = (text) => fromDateValue(text) >= 0;
const isHour = (text) => hours.some(([hour]) => hour === text);

export class Filters extends EventTarget {
  values = {};
  labels = new Set(["motion"]);
  #day;
  #before = h("div", { class: "filters-part" });
  #after = h("div", { class: "filters-part" });

  constructor(query) {
    super();
    for (const name of names) if (query.get(name)) this.values[name] = query.get(name);
    if (this.values.seen !== "false") delete this.values.seen;
    if (!isDay(this.values.day ?? "")) delete this.values.day;
    if (!this.values.day || !isHour(this.values.hour)) delete this.values.hour;
    // The day's field stays where it is while all else is made again: somebody may be typing in it.
    this.#day = dayField(isDay, (day) => this.#set(day ? { day } : { day, hour: "" }), { max: dateValue(now()) });
    this.element = h("div", { class: "filters", role: "search", "aria-label": t("Filter events") }, this.#before, this.#day, this.#after);
    this.#fill();
  }

  /** For GET /api/events. */
  get query() {
    const { camera, label, zone, day, hour, retained, seen } = this.values;
    const start = day && fromDateValue(day);
    const [after, before] = !start ? [] : hour ? [hourStart(start, Number(hour)), hourStart(start, Number(hour) + 1)] : [start, dayStart(start + 43200, 1)];
    return { camera, label, zone, retained, seen, after, before };
  }

  get any() { return names.some((name) => this.values[name]); }

  matches(event) {
    const { camera, label, zone, retained, seen, after, before } = this.query;
    return (!camera || event.camera === camera) && (!label || event.label === label || labelsOf(event).some((l) => l.label === label)) && (!zone || event.zones.includes(zone)) &&
      (!retained || event.retained) && (!seen || !event.seen) && (!after || event.start_time >= after) && (!before || event.start_time < before);
  }

  /** Labels are known from the events that were seen. */
  learn(events) {
    const before = this.labels.size;
    for (const event of events) {
      this.labels.add(event.label);
      for (const { label } of labelsOf(event)) this.labels.add(label);
    }
    if (this.labels.size !== before && !this.element.contains(document.activeElement)) this.#fill();
  }

  clear() { this.#set(Object.fromEntries(names.map((name) => [name, ""]))); }

  #set(values) {
    for (const [name, value] of Object.entries(values)) {
      if (value) this.values[name] = value;
      else delete this.values[name];
    }
    const focus = this.element.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    this.#fill();
    if (focus) this.element.querySelector(`[aria-label="${CSS.escape(focus)}"]`)?.focus();
    this.dispatchEvent(new Event("change"));
  }

  #fill() {
    const { values } = this;
    if (values.label) this.labels.add(values.label);
    const set = (more) => this.#set(more);
    const zones = new Set([...store.cameras.values()].filter((c) => !values.camera || c.name === values.camera).flatMap((c) => Object.keys(c.zones)));
    if (values.zone) zones.add(values.zone);
    const cameras = new Set(store.cameras.keys());
    if (values.camera) cameras.add(values.camera); // one that is not configured any more can still have events
    if (this.#day.value !== (values.day ?? "")) this.#day.value = values.day ?? "";
    this.#before.replaceChildren(
      select(t("Camera"), "camera", [...cameras].map((name) => [name, titleOf(name)]), values, (more) => set({ ...more, zone: "" })),
      select(t("Label"), "label", [...this.labels].map((label) => [label, labelWords(label)]), values, set),
      zones.size ? select(t("Zone"), "zone", [...zones].map((name) => [name, name]), values, set) : "");
    this.#after.replaceChildren(
      values.day ? select(t("Hour"), "hour", hours, values, set) : "",
      iconButton("eye", t("New"), () => set({ seen: values.seen ? "" : "false" }), { shown: true, "aria-pressed": String(Boolean(values.seen)), "aria-label": t("Only new events, which you have not seen") }),
      iconButton("keep", t("Kept"), () => set({ retained: values.retained ? "" : "1" }), { shown: true, "aria-pressed": String(Boolean(values.retained)), "aria-label": t("Only kept events") }),
      this.any ? iconButton("close", t("Clear"), () => this.clear(), { shown: true, class: "button quiet" }) : "");
  }
}
