// SPDX-License-Identifier: LGPL-2.1-or-later
// The review: what is new for this person, one item after the other, by keys or by one thumb.
import { eventPath, get, post, query } from "../app/api.js";
import { emptyState, h, icon, iconButton, setText } from "../app/dom.js";
import { addKeys } from "../app/keyboard.js";
import { live } from "../app/live.js";
import { failure, notice } from "../app/notice.js";
import { address, go } from "../app/router.js";
import { store, titleOf } from "../app/store.js";
import { t, tn } from "../app/text.js";
import { dayName, span, timeOfDay } from "../app/time.js";
import { labelIcon, thumbnail } from "../events/words.js";
import { LabelField, nameOf } from "../labels/field.js";
import { Marks } from "./marks.js";
import { itemsOf } from "./queue.js";

const loaded = 500; // events at once
const rest = 500; // ms on one item after which its clip is fetched: who goes on at once needs no clip

export function review(root, place, signal) {
  const marks = new Marks();
  let events = new Map(); // id -> event: what is new
  const known = new Set(); // ids that were new here: news of an event go to everybody, and do not say who has seen it
  let items = [];
  let current = null; // the key of the item that is shown
  let shown = ""; // the event whose picture is on the screen
  let more = false; // whether there are older ones than those that are loaded
  let busy = true;
  let timer = 0;

  const summary = h("span", { class: "hint number", role: "status" });
  const undo = iconButton("undo", t("Undo"), () => takeBack(), { keys: "u", disabled: true });
  const all = h("button", { type: "button", class: "button", title: t("Mark all as seen (a)"), "aria-keyshortcuts": "a", onclick: () => seeAll() }, t("All seen"));
  const screen = h("div", { class: "screen" });
  const heading = h("h2", {});
  const when = h("p", { class: "number" });
  const parts = h("div", { class: "chips review-parts" });
  const names = new LabelField((event) => named(event), signal);
  const seen = h("button", { type: "button", class: "button primary review-seen", title: t("Seen, and on to the next (Enter)"), "aria-keyshortcuts": "Enter", onclick: () => see() }, icon("eye"), t("Seen"));
  const keep = iconButton("keep", t("Keep"), () => keepEvent(), { shown: true, keys: "k", "aria-pressed": "false" });
  const bar = h("div", { class: "review-bar" }, iconButton("back", t("Item before"), () => step(-1), { keys: "p" }), store.operator && keep,
    h("a", { class: "button", href: "#/events" }, t("Open")), seen, iconButton("next", t("Next, without a mark"), () => step(1), { keys: "n" }));
  const open = bar.querySelector("a");
  const list = h("ol", { class: "review-list", "aria-label": t("What is new, by weight") });
  const empty = h("div", { hidden: true });
  const body = h("div", { class: "review-columns", hidden: true }, h("section", { class: "review-main panel", "aria-label": t("Item") }, screen, h("div", { class: "review-words" }, heading, when, parts), names.element, bar), list);
  root.append(h("div", { class: "view-head" }, h("h1", {}, t("Review")), summary, h("span", { class: "grow" }), undo, all), body, empty);

  const at = () => items.findIndex((item) => item.key === current);
  const item = () => items[at()] ?? null;

  function picture(event) {
    if (shown === event.id) return;
    shown = event.id;
    clearTimeout(timer);
    stop();
    const source = thumbnail(event);
    screen.replaceChildren(source ? h("img", { src: source, alt: t("Picture of the event at {camera}", { camera: titleOf(event.camera) }) }) : h("p", { class: "screen-note" }, t("There is no picture.")));
    if (!event.has_clip) return;
    timer = setTimeout(() => {
      const video = h("video", { controls: true, autoplay: true, muted: true, loop: true, playsInline: true, poster: source, src: eventPath(event.id, "clip.mp4"), "aria-label": t("Clip of {camera}", { camera: titleOf(event.camera) }) });
      video.addEventListener("error", () => video.remove());
      screen.append(video);
    }, rest);
  }
  function stop() {
    const video = screen.querySelector("video");
    video?.pause();
    video?.removeAttribute("src");
    video?.load(); // lets the connection go
  }

  function showItem(chosen = null) {
    const now = item();
    if (!now) return;
    const event = now.events.find(({ id }) => id === chosen) ?? now.event;
    picture(event);
    heading.replaceChildren(icon(labelIcon(event.label)), t("{label} at {camera}", { label: nameOf(event), camera: titleOf(event.camera) }));
    const length = event.end_time ? span(event.end_time - event.start_time) : t("it still goes on");
    setText(when, [`${dayName(event.start_time)} ${timeOfDay(event.start_time)}`, length, ...event.zones.map((zone) => t("in {zone}", { zone }))].join(", "));
    parts.replaceChildren(...(now.events.length > 1 ? now.events.map((one) => h("button", { type: "button", class: "button", "aria-pressed": String(one.id === event.id), onclick: () => showItem(one.id) },
      `${nameOf(one)} ${timeOfDay(one.start_time)}`)) : []));
    names.show(event);
    keep.setAttribute("aria-pressed", String(event.retained));
    keep.dataset.id = event.id;
    open.href = address("events", [], { id: event.id });
    for (const row of list.children) {
      const here = row.dataset.key === current;
      row.firstChild.toggleAttribute("aria-current", here);
      if (here && matchMedia("(min-width: 900px)").matches) row.scrollIntoView({ block: "nearest" }); // else the list would take the picture's place
    }
    const next = items[at() + 1];
    if (next && thumbnail(next.event)) new Image().src = thumbnail(next.event); // it is there before it is asked for
  }

  const rows = new Map(); // key -> {text, element}
  function row(one) {
    const { event } = one;
    const text = JSON.stringify([event.id, nameOf(event), event.has_snapshot, one.events.length, event.end_time !== null]);
    if (rows.get(one.key)?.text === text) return rows.get(one.key).element;
    const words = t("{label} at {camera}", { label: nameOf(event), camera: titleOf(event.camera) });
    const element = h("li", { data: { key: one.key } }, h("button", { type: "button", class: "review-item", onclick: () => { current = one.key; showItem(); } },
      h("img", { src: thumbnail(event) ?? undefined, alt: "", width: 96, height: 54, loading: "lazy" }),
      h("span", { class: "review-item-words" }, h("strong", {}, words), h("span", { class: "number muted" }, timeOfDay(event.start_time)),
        one.events.length > 1 && h("span", { class: "badge" }, tn("1 event", "{n} events", one.events.length)))));
    rows.set(one.key, { text, element });
    return element;
  }

  function draw() {
    const before = at();
    items = itemsOf(events.values());
    if (at() < 0) current = items[Math.max(0, Math.min(items.length - 1, before))]?.key ?? null;
    const wanted = items.map(row);
    if (wanted.length !== list.children.length || wanted.some((element, i) => element !== list.children[i])) list.replaceChildren(...wanted);
    for (const key of rows.keys()) if (!items.some((one) => one.key === key)) rows.delete(key);
    const some = items.length > 0;
    body.hidden = !some;
    empty.hidden = some || busy;
    undo.disabled = !marks.undoable;
    all.disabled = !some;
    setText(summary, !some ? "" : more ? t("the newest {n} events", { n: events.size }) : `${tn("1 item", "{n} items", items.length)}, ${tn("1 event", "{n} events", events.size)}`);
    if (some) {
      showItem(items[at()]?.events.some(({ id }) => id === shown) ? shown : null);
    } else {
      shown = "";
      stop();
      screen.replaceChildren();
      if (!busy) empty.replaceChildren(emptyState("eye", t("Nothing is new"), t("You have seen all events. New ones appear here by themselves.")));
    }
  }

  function step(by) {
    const next = items[at() + by];
    if (!next) return;
    current = next.key;
    showItem();
  }
  function see() {
    const now = item();
    if (!now) return;
    const gone = now.events;
    const next = items[at() + 1] ?? items[at() - 1];
    for (const { id } of gone) { events.delete(id); known.add(id); }
    current = next?.key ?? null;
    marks.see(gone.map(({ id }) => id), (ids, error) => {
      for (const event of gone) events.set(event.id, event);
      failure(error);
      draw();
    }).then(() => { if (!events.size && more) load(); });
    draw();
  }
  async function takeBack() {
    try {
      const ids = await marks.undo();
      if (!ids.length) return;
      await load();
      current = items.find((one) => one.events.some(({ id }) => id === ids[0]))?.key ?? current;
      draw();
    } catch (error) {
      failure(error);
    }
  }
  async function seeAll() {
    try {
      const count = await marks.seeAll();
      events = new Map();
      more = false;
      draw();
      notice(tn("1 event is marked as seen", "{n} events are marked as seen", count), { action: t("Undo"), onaction: takeBack });
    } catch (error) {
      failure(error);
      load();
    }
  }
  async function keepEvent() {
    const event = events.get(keep.dataset.id);
    if (!store.operator || !event) return;
    try {
      events.set(event.id, { ...event, ...await post(eventPath(event.id, "retain"), { retain: !event.retained }) });
      draw();
    } catch (error) {
      failure(error);
    }
  }
  function named(event) {
    if (!events.has(event.id)) return; // it was seen meanwhile
    events.set(event.id, { ...events.get(event.id), labels: event.labels });
    draw();
  }
  async function load() {
    try {
      const answer = await get(`api/events${query({ seen: false, limit: loaded })}`, signal);
      events = new Map(answer.events.map((event) => [event.id, event]));
      for (const id of events.keys()) known.add(id);
      more = answer.next_cursor !== null;
    } catch (error) {
      failure(error);
    }
    busy = false;
    draw();
  }

  live.addEventListener("event", ({ detail: { event } }) => {
    if (events.has(event.id)) events.set(event.id, { ...events.get(event.id), ...event, seen: false });
    else if (!known.has(event.id) && event.end_time === null) events.set(event.id, event); // one that begins: nobody has seen it
    else return;
    known.add(event.id);
    draw();
  }, { signal });
  live.addEventListener("labels", ({ detail }) => named(detail), { signal });
  live.addEventListener("deleted", ({ detail }) => { if (events.delete(detail.id)) draw(); }, { signal });
  signal.addEventListener("abort", () => { clearTimeout(timer); stop(); });
  addEventListener("pagehide", stop, { signal });
  addKeys(t("Review"), [
    { keys: ["Enter", " "], words: t("seen, and on to the next"), run: see },
    { keys: ["n", "j", "ArrowRight", "ArrowDown"], words: t("next, without a mark"), run: () => step(1) },
    { keys: ["p", "ArrowLeft", "ArrowUp"], words: t("the item before"), run: () => step(-1) },
    { keys: ["u", "Control+z"], words: t("take the last mark back"), run: takeBack },
    { keys: ["a"], words: t("mark all as seen"), run: seeAll },
    ...(store.operator ? [{ keys: ["k"], words: t("keep whatever its age, or no longer"), run: keepEvent },
      { keys: [..."123456789"], words: t("give the event this label, or take it back"), when: item, run: ({ key }) => names.key(Number(key)) },
      { keys: ["x"], words: t("the guessed label is wrong"), run: () => names.wrong() }] : []),
    { keys: ["o"], words: t("open it among the events"), run: () => item() && go("events", [], { id: shown }) },
  ], signal);
  live.watch({ cameras: [] });
  load();
}
