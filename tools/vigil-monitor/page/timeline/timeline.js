// SPDX-License-Identifier: LGPL-2.1-or-later
// What was recorded: pictures of one or several cameras at one time, and strips of time below them.
import { cameraPath, get, query } from "../app/api.js";
import { dayField, h, icon, iconButton, setText } from "../app/dom.js";
import { addKeys } from "../app/keyboard.js";
import { live } from "../app/live.js";
import { noCamera } from "../app/nocamera.js";
import { failure } from "../app/notice.js";
import { rewrite } from "../app/router.js";
import { store, titleOf } from "../app/store.js";
import { t } from "../app/text.js";
import { dateValue, dayName, dayStart, fromDateValue, now, timeOfDay } from "../app/time.js";
import { Axis } from "./axis.js";
import { Exports } from "./exports.js";
import { History } from "./history.js";
import { Hits } from "./hits.js";
import { Marks } from "./marks.js";
import { Playback } from "./playback.js";
import { Region } from "./region.js";
import { Strips } from "./strips.js";
import { rates, Transport } from "./transport.js";

const mostCameras = 6; // at once
const wholePicture = "0,0,1,0,1,1,0,1";
const usualRate = 15; // frames a second, where the camera's is not known

const rateWords = (rate) => (rate < 1 ? `1/${1 / rate}×` : `${rate}×`);

/** A time of the address; NaN where it is none. */
function wantedTime(text) {
  const t = Number.parseFloat(text ?? "");
  return t > 0 && t < 1e11 ? t : NaN;
}

export function timeline(root, place, signal) {
  live.watch({ cameras: [] });
  const all = [...store.cameras.keys()];
  const heading = h("h1", {}, t("Timeline"));
  if (!all.length) {
    root.append(h("div", { class: "view-head" }, heading), noCamera());
    return;
  }
  let names = (place.query.get("cameras") ?? "").split(",").filter((name) => all.includes(name)).slice(0, mostCameras);
  if (!names.length) names = all.slice(0, 1);
  const axis = new Axis();
  const transport = new Transport(wantedTime(place.query.get("t")) || now() - 60, signal);
  const span = wantedTime(place.query.get("span"));
  if (span) axis.show(transport.time - span / 2, transport.time + span / 2);
  else axis.day(transport.time);

  // What stands above: the day, the cameras.
  const isDay = (value) => fromDateValue(value) >= 0;
  const date = dayField(isDay, (value) => { if (value) goTo(fromDateValue(value) + (transport.time - dayStart(transport.time))); }, { max: dateValue(now()) });
  const dayWords = h("h2", { class: "muted tl-day" });
  const chips = h("div", { class: "tl-cameras", role: "group", "aria-label": t("Cameras shown") });
  const moveDay = (days) => goTo(dayStart(dayStart(transport.time) + 43200, days) + (transport.time - dayStart(transport.time)));

  // The pictures.
  const screens = h("div", { class: "tl-screens" });
  const marks = new Marks();
  const strips = new Strips(axis, transport, marks, signal);
  const hits = new Hits({ choose: (camera, time) => transport.seek(time), close: () => endSearch() }, signal);
  const exports = new Exports(marks, { time: () => transport.time, cameras: () => names, close: () => showExports(false) }, signal);
  let cameras = []; // of those that are shown: {name, history, playback, region, element}
  let leave = null; // AbortController of them

  function shown(name) {
    const history = new History(name, axis, leave.signal);
    const playback = new Playback(name, history, leave.signal);
    const region = new Region(t("Draw where to search at {name}", { name }), (points) => (points ? hits.search(name, points, axis.end) : endSearch()));
    const search = iconButton("search", t("Search here, at {name}", { name: titleOf(name) }), () => beginSearch(name), { class: "button icon-only tl-search-button", "aria-pressed": "false" });
    const { width, height } = store.cameras.get(name) ?? {};
    const element = h("figure", { class: "tl-camera", data: { camera: name } }, playback.element, h("figcaption", {}, titleOf(name)), search);
    element.style.setProperty("--ratio", width && height ? width / height : 16 / 9);
    return { name, history, playback, region, search, element };
  }

  function show(list) {
    names = list;
    endSearch();
    leave?.abort();
    leave = new AbortController();
    cameras = names.map(shown);
    screens.replaceChildren(...cameras.map(({ element }) => element));
    screens.dataset.count = String(cameras.length);
    strips.use(cameras, leave.signal);
    transport.use(cameras);
    exports.tell();
    for (const chip of chips.children) chip.setAttribute("aria-pressed", String(names.includes(chip.dataset.camera)));
    remember();
  }
  chips.append(...all.map((name) => h("button", { type: "button", class: "button", "aria-pressed": "false", data: { camera: name }, onclick: () => {
    const next = names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
    if (next.length && next.length <= mostCameras) show(next);
  } }, titleOf(name))));

  // Search here.
  function beginSearch(name) {
    const camera = cameras.find((c) => c.name === name);
    if (!camera || camera.region.element.isConnected) return endSearch();
    endSearch();
    showExports(false);
    transport.toggle(false);
    hits.open(name);
    camera.search.setAttribute("aria-pressed", "true");
    camera.playback.element.append(camera.region.element);
    camera.region.begin();
  }
  function endSearch() {
    for (const { region, search } of cameras) {
      region.element.remove();
      search.setAttribute("aria-pressed", "false");
    }
    hits.close();
  }

  // Exports.
  function showExports(open = true) {
    if (open === exports.open) return;
    exportButton.setAttribute("aria-expanded", String(open));
    if (!open) {
      exports.close();
      marks.clear();
      exportButton.focus();
      return;
    }
    endSearch();
    const around = 30; // seconds, before and after what is shown
    if (!marks.complete) marks.both(transport.time - around, Math.min(transport.time + around, now()));
    exports.show();
  }
  /** Marks the time that is shown, and opens the exports. */
  function mark(act) {
    act.call(marks, transport.time);
    if (exports.open) return;
    if (!marks.complete) marks.both(marks.from ?? marks.to - 60, marks.to ?? Math.min(marks.from + 60, now()));
    showExports();
  }

  // The address holds cameras, time and how much is shown. Chromium takes 200 changes in 30 seconds.
  let remembered = 0;
  let later = null;
  function remember() {
    clearTimeout(later);
    const wait = remembered + 500 - Date.now();
    if (wait > 0) {
      later = setTimeout(remember, wait);
      return;
    }
    remembered = Date.now();
    rewrite("timeline", [], { cameras: names.join(","), t: transport.time.toFixed(2), span: axis.span.toFixed(0) });
  }

  const frames = () => store.cameras.get(names[0])?.fps || usualRate;
  const step = (frame) => {
    transport.toggle(false);
    transport.seek(transport.time + frame / frames());
  };
  function goTo(time) {
    transport.seek(Math.min(time, now()));
    axis.reveal(transport.time);
  }
  /** Whole hits of the first camera, in a time that grows until there is one. */
  async function motion(direction) {
    const from = transport.time;
    try {
      for (const reach of [600, 3600, 6 * 3600, 86400, 30 * 86400]) {
        const span = direction < 0 ? { from: from - reach, to: from - 1, limit: 1 } : { from, to: from + reach, limit: 1000 };
        const { hits: found } = await get(`${cameraPath(names[0], "search")}${query({ polygon: wholePicture, ...span })}`, signal);
        // The hit that goes on at `from` is not the next one.
        const start = direction < 0 ? found[0]?.start : found.filter((hit) => hit.start > from + 1).at(-1)?.start;
        if (start !== undefined) return goTo(start);
        if (direction > 0 && from + reach > now()) break;
      }
      setText(spoken, direction < 0 ? t("Nothing moved before") : t("Nothing moved after"));
    } catch (error) {
      failure(error);
    }
  }

  // The buttons.
  const clock = h("output", { class: "tl-clock number" });
  const spoken = h("span", { class: "hint", role: "status" });
  const play = iconButton("play", t("Play"), () => transport.toggle(), { keys: "Space" });
  const rate = h("select", { "aria-label": t("Speed"), onchange: () => transport.setRate(rates[rate.selectedIndex]) },
    rates.map((r) => h("option", { value: String(r), selected: r === 1 }, rateWords(r))));
  const wider = iconButton("zoom-out", t("Show a longer time"), () => axis.zoom(2, transport.time), { keys: "-" });
  const closer = iconButton("zoom-in", t("Show a shorter time"), () => axis.zoom(0.5, transport.time), { keys: "+" });
  const exportButton = iconButton("download", t("Export"), () => showExports(!exports.open), { shown: true, keys: "x", "aria-expanded": "false" });
  const bar = h("div", { class: "tl-bar", role: "toolbar", "aria-label": t("Play") },
    iconButton("motion-before", t("Previous motion"), () => motion(-1), { keys: "p" }), iconButton("back", t("One frame back"), () => step(-1), { keys: "," }), play,
    iconButton("next", t("One frame on"), () => step(1), { keys: "." }), iconButton("motion-after", t("Next motion"), () => motion(1), { keys: "n" }),
    rate, clock, spoken, h("span", { class: "grow" }), exportButton, wider, closer,
    h("button", { type: "button", class: "button", title: t("Show the whole day (d)"), "aria-keyshortcuts": "d", onclick: () => axis.day(transport.time) }, t("Day")));

  const tell = () => {
    setText(clock, timeOfDay(transport.time));
    setText(dayWords, dayName(transport.time));
    const words = transport.playing ? t("Pause") : t("Play");
    if (play.getAttribute("aria-label") !== words) {
      play.setAttribute("aria-label", words);
      play.title = t("{what} (Space)", { what: words });
      play.replaceChildren(icon(transport.playing ? "pause" : "play"));
    }
    rate.selectedIndex = rates.indexOf(transport.rate);
    const value = dateValue(transport.time);
    if (date.value !== value && document.activeElement !== date) date.value = value;
    if (transport.playing) axis.reveal(transport.time, true);
    remember();
  };
  transport.addEventListener("change", tell);
  axis.addEventListener("change", remember, { signal });

  root.append(h("div", { class: "view-head" }, heading, iconButton("back", t("Day before"), () => moveDay(-1), { keys: "PageUp", class: "button quiet icon-only" }), date,
    iconButton("next", t("Next day"), () => moveDay(1), { keys: "PageDown", class: "button quiet icon-only" }), dayWords, h("span", { class: "grow" }), chips),
  h("div", { class: "tl-columns" }, h("div", { class: "tl-main" }, screens, bar, strips.element), hits.element, exports.element));
  show(names);
  tell();

  const seekBy = (share) => goTo(transport.time + Math.sign(share) * Math.max(1, Math.abs(share) * axis.span));
  addKeys(t("Timeline"), [
    { keys: [" "], words: t("play or pause"), run: () => transport.toggle() },
    { keys: ["ArrowLeft"], words: t("back by a sixtieth of what is shown"), run: () => seekBy(-1 / 60) },
    { keys: ["ArrowRight"], words: t("on by a sixtieth of what is shown"), run: () => seekBy(1 / 60) },
    { keys: [","], words: t("one frame back"), run: () => step(-1) },
    { keys: ["."], words: t("one frame on"), run: () => step(1) },
    { keys: ["p"], words: t("previous motion at the first camera"), run: () => motion(-1) },
    { keys: ["n"], words: t("next motion at the first camera"), run: () => motion(1) },
    { keys: ["["], words: t("slower"), run: () => transport.faster(-1) },
    { keys: ["]"], words: t("faster"), run: () => transport.faster(1) },
    { keys: ["+", "="], words: t("show a shorter time"), run: () => axis.zoom(0.5, transport.time) },
    { keys: ["-"], words: t("show a longer time"), run: () => axis.zoom(2, transport.time) },
    { keys: ["d"], words: t("show the whole day"), run: () => axis.day(transport.time) },
    { keys: ["PageUp"], words: t("the day before"), run: () => moveDay(-1) },
    { keys: ["PageDown"], words: t("the next day"), run: () => moveDay(1) },
    { keys: ["Home"], words: t("to the begin of what is shown"), run: () => goTo(axis.start) },
    { keys: ["End"], words: t("to the end of what is shown"), run: () => goTo(axis.end) },
    { keys: ["s"], words: t("search where something moved, at the first camera"), run: () => beginSearch(names[0]) },
    { keys: ["i"], words: t("mark the begin of an export"), run: () => mark(marks.begin) },
    { keys: ["o"], words: t("mark the end of an export"), run: () => mark(marks.end) },
    { keys: ["x"], words: t("show or close the exports"), run: () => showExports(!exports.open) },
    { keys: ["Escape"], words: t("end the search, close the exports"), run: () => { endSearch(); showExports(false); } },
  ], signal);
  signal.addEventListener("abort", () => { leave?.abort(); clearTimeout(later); });
}
