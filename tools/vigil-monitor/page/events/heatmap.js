// SPDX-License-Identifier: LGPL-2.1-or-later
// Where things moved on one day, over a picture of each camera, how many events each hour had, and how many crossed each line.
import { cameraPath, get, query } from "../app/api.js";
import { dayField, h, icon, iconButton, setText } from "../app/dom.js";
import { addKeys } from "../app/keyboard.js";
import { live } from "../app/live.js";
import { noCamera } from "../app/nocamera.js";
import { failure } from "../app/notice.js";
import { address, rewrite } from "../app/router.js";
import { store } from "../app/store.js";
import { t, tn } from "../app/text.js";
import { dateValue, dayName, dayStart, fromDateValue, now } from "../app/time.js";

// From cold to hot; the legend in events.css has the same colours.
const stops = [[29, 58, 138], [30, 158, 158], [246, 208, 77], [224, 69, 43]];
const mostPages = 20;

function heatColor(share) {
  const at = Math.min(0.9999, Math.max(0, share)) * (stops.length - 1);
  const [a, b] = [stops[Math.floor(at)], stops[Math.floor(at) + 1]];
  return a.map((v, i) => v + (b[i] - v) * (at % 1));
}

/** Counts become colours by their square root: rare ways stay visible next to a busy door. The canvas is smoothed when it is scaled up. */
function paint(canvas, { columns, rows, counts }) {
  canvas.width = columns;
  canvas.height = rows;
  const most = Math.max(...counts, 1);
  const pixels = new ImageData(columns, rows);
  counts.forEach((count, i) => {
    const share = Math.sqrt(count / most);
    pixels.data.set([...heatColor(share), count ? 70 + 160 * share : 0], 4 * i);
  });
  canvas.getContext("2d").putImageData(pixels, 0, 0);
}

async function hoursOf(camera, after, before, signal) {
  const hours = Array(24).fill(0);
  let cursor = null;
  for (let page = 0; page < mostPages && (page === 0 || cursor); page++) {
    const answer = await get(`api/events${query({ camera, after, before, limit: 200, cursor })}`, signal);
    for (const event of answer.events) hours[new Date(event.start_time * 1000).getHours()]++;
    cursor = answer.next_cursor;
  }
  return hours;
}

function panel(camera) {
  const canvas = h("canvas", { width: 32, height: 18, role: "img", "aria-label": t("Where things moved at {camera}", { camera: camera.title }) });
  const none = h("div", { class: "none", hidden: true }, t("Nothing moved on this day"));
  const total = h("span", { class: "hint number" });
  const hours = h("div", { class: "heat-hours" });
  const lines = h("ul", { class: "heat-lines", "aria-label": t("Who crossed the lines of {camera}", { camera: camera.title }) });
  const picture = h("div", { class: "heat-picture" }, h("img", { src: cameraPath(camera.name, camera.views.includes("background") ? "background.jpg" : "latest.jpg"), alt: "", onerror: ({ target }) => target.remove() }), canvas, none);
  if (camera.width && camera.height) picture.style.setProperty("--ratio", camera.width / camera.height);
  const element = h("article", { class: "heat panel", "aria-label": camera.title }, h("header", {}, h("h2", {}, camera.title), total), picture, hours,
    h("div", { class: "heat-ticks number", "aria-hidden": "true" }, [0, 6, 12, 18, 24].map((n) => h("span", {}, String(n).padStart(2, "0")))), lines);
  const fill = async (day, signal) => {
    const [after, before] = [day, dayStart(day + 43200, 1)];
    const ask = (what) => get(`${cameraPath(camera.name, what)}${query({ after, before })}`, signal);
    const [map, counts, crossed] = await Promise.all([ask("heatmap"), hoursOf(camera.name, after, before, signal), ask("crossings")]);
    paint(canvas, map);
    const sum = counts.reduce((a, b) => a + b, 0);
    none.hidden = map.counts.some((count) => count > 0);
    setText(none, sum ? t("Where things moved is shown within a minute") : t("Nothing moved on this day"));
    setText(total, tn("1 event", "{n} events", sum));
    const most = Math.max(...counts, 1);
    lines.replaceChildren(...Object.entries(crossed.lines).map(([name, n]) => h("li", {}, icon("line"), h("span", {}, name), h("strong", { class: "number" }, t("{in} in, {out} out", { in: n.in, out: n.out })))));
    lines.hidden = !lines.childElementCount;
    hours.replaceChildren(...counts.map((count, hour) => {
      const bar = h("span");
      bar.style.height = `${(100 * count) / most}%`;
      return h("a", { href: address("events", [], { camera: camera.name, day: dateValue(day), hour: String(hour) }), tabindex: hour === 0 ? 0 : -1,
        title: t("{from}:00 to {to}:00: {events}", { from: hour, to: hour + 1, events: tn("1 event", "{n} events", count) }), "aria-label": t("Events of {camera} from {from} to {to} on this day: {count}", { camera: camera.name, from: hour, to: hour + 1, count }) }, bar);
    }));
  };
  return { element, fill };
}

export function heatmap(root, place, signal) {
  let day = fromDateValue(place.query.get("day") ?? "") || dayStart();
  let loading = null;
  const date = dayField((value) => fromDateValue(value) >= 0, (value) => { if (value) show(fromDateValue(value)); }, { max: dateValue(now()) });
  const title = h("h2", { class: "muted", role: "status" });
  const panels = [...store.cameras.values()].map(panel);
  const grid = h("div", { class: "heat-grid" });
  grid.style.setProperty("--count", String(panels.length));
  const move = (days) => {
    const next = dayStart(day + 43200, days);
    if (next <= dayStart()) show(next);
  };
  const later = iconButton("next", t("Next day"), () => move(1), { keys: "n", class: "button quiet icon-only" });
  async function show(to) {
    day = to;
    if (date.value !== dateValue(day)) date.value = dateValue(day);
    later.disabled = day >= dayStart();
    setText(title, dayName(day));
    rewrite("heatmap", [], { day: day === dayStart() ? "" : date.value });
    loading?.abort();
    const mine = loading = new AbortController();
    const filled = panels.map(({ fill }) => fill(day, mine.signal));
    Promise.all(filled).catch(failure);
    for (const [i, { element }] of panels.entries()) { // one after the other, once its lines are known: what is on the screen stays in place
      await filled[i].catch(() => {});
      if (mine.signal.aborted) return;
      if (!element.isConnected) grid.append(element);
    }
  }
  root.append(h("div", { class: "view-head" }, h("h1", {}, t("Heat map")), iconButton("back", t("Day before"), () => move(-1), { keys: "p", class: "button quiet icon-only" }), date, later, title,
    h("span", { class: "grow" }), h("span", { class: "legend" }, t("rarely"), h("i"), t("often"))),
    panels.length ? grid : noCamera());
  addKeys(t("Heat map"), [{ keys: ["p", "ArrowLeft"], words: t("the day before"), run: () => move(-1) }, { keys: ["n", "ArrowRight"], words: t("the next day"), run: () => move(1) }], signal);
  signal.addEventListener("abort", () => loading?.abort());
  live.watch({ cameras: [] });
  show(day);
}
