// SPDX-License-Identifier: LGPL-2.1-or-later
// Events: thumbnails by time at the left, the chosen one's clip at the right.
import { eventPath, get, post, query } from "../app/api.js";
import { emptyState, h, icon, iconButton, setText } from "../app/dom.js";
import { addKeys } from "../app/keyboard.js";
import { live } from "../app/live.js";
import { failure } from "../app/notice.js";
import { go, rewrite } from "../app/router.js";
import { store, titleOf } from "../app/store.js";
import { t, tn } from "../app/text.js";
import { timeOfDay } from "../app/time.js";
import { Cards } from "./cards.js";
import { Deletion } from "./deletion.js";
import { Filters } from "./filters.js";
import { Player } from "./player.js";

const pageSize = 60;
const alike = 36;

export function events(root, place, signal) {
  const like = place.query.get("like");
  const filters = new Filters(place.query);
  const deletion = new Deletion(signal);
  let cursor = null;
  let loading = null; // AbortController of the request under way
  let selected = place.query.get("id");

  const wide = matchMedia("(min-width: 1000px)");
  const cards = new Cards((id) => choose(id, { byHand: true }));
  const empty = h("div", { hidden: true });
  const more = h("button", { type: "button", class: "button more", hidden: true, onclick: () => load(true) }, t("Older events"));
  const likeHead = h("div", { class: "like-head", hidden: true });
  const player = new Player({ previous: () => step(-1), next: () => step(1), keep, drop, see: (event) => see(event, !event.seen), named: (event) => changed(event), close: () => choose(null),
    similar: (event) => go("events", [], { like: event.id, id: event.id }) }, signal);
  let waiting = [];
  const fresh = h("button", { type: "button", class: "button primary fresh", hidden: true, title: t("Show them (r)"), "aria-keyshortcuts": "r", onclick: () => showWaiting() });
  const list = h("div", { class: "events-list" }, cards.element, empty, more);
  root.append(h("div", { class: "view-head" }, h("h1", {}, t("Events")), h("a", { class: "button narrow-only", href: "#/heatmap" }, icon("heat"), t("Heat map")),
      h("a", { class: "button narrow-only", href: "#/labels" }, icon("label"), t("Labels")), like ? likeHead : filters.element),
    h("div", { class: "events-columns" }, h("div", { class: "events-room" }, fresh, list), player.element));

  const remember = () => rewrite("events", [], { ...filters.values, like, id: selected });
  /** `byHand`: somebody looks at it now, so it is new no longer. */
  function choose(id, { focus = false, byHand = false } = {}) {
    selected = id;
    const chosen = cards.events.find((event) => event.id === id) ?? null;
    player.show(chosen);
    if (chosen && byHand) see(chosen, true);
    cards.select(id, { focus });
    remember();
  }
  function step(by) {
    const next = cards.neighbour(selected, by);
    if (next) choose(next.id, { focus: true, byHand: true });
    if (!cards.neighbour(selected, 5) && cursor) load(true);
  }
  let marking = Promise.resolve(); // marks go to the server one after the other, so that the last one holds
  /** The page shows the mark at once, and takes it back if the server refuses it. */
  function see(event, seen) {
    if (Boolean(event.seen) === seen) return;
    changed({ ...event, seen });
    marking = marking.then(() => post(eventPath(event.id, "seen"), { seen })).catch((error) => {
      failure(error);
      const now = cards.events.find((other) => other.id === event.id);
      if (now && now.seen === seen) changed({ ...now, seen: !seen });
    });
  }
  async function keep(event) {
    if (!store.operator) return;
    try {
      changed(await post(eventPath(event.id, "retain"), { retain: !event.retained }));
    } catch (error) {
      failure(error);
    }
  }
  function drop(event) {
    if (!store.admin || deletion.has(event.id)) return;
    const neighbour = cards.neighbour(event.id, 1) ?? cards.neighbour(event.id, -1);
    deletion.add(event, {
      ontake: () => { cards.drop(event.id); choose(neighbour?.id ?? null, { focus: true }); sayEmpty(); },
      onback: () => {
        const list = [...cards.events, event].sort((a, b) => b.start_time - a.start_time);
        cards.fill(list);
        choose(event.id, { focus: true });
        sayEmpty();
      },
    });
  }
  function changed(event) {
    if (deletion.has(event.id)) return;
    const known = cards.events.find((other) => other.id === event.id);
    event.seen ??= known?.seen ?? false; // news of an event go to everybody, and do not say who has seen it
    event.labels ??= known?.labels ?? [];
    if (known) cards.set(event);
    else if (!like && filters.matches(event)) add(event);
    if (player.event?.id === event.id) player.show(event);
    filters.learn([event]);
    sayEmpty();
  }
  /** A new event waits behind a button: the list must not move under the hand. */
  function add(event) {
    waiting = [event, ...waiting.filter((other) => other.id !== event.id)];
    if (!cards.events.length) showWaiting();
    else {
      fresh.hidden = false;
      setText(fresh, tn("1 new event", "{n} new events", waiting.length));
    }
  }
  function showWaiting() {
    waiting.reverse().forEach((event) => cards.set(event));
    waiting = [];
    fresh.hidden = true;
    list.scrollTop = 0;
    sayEmpty();
  }
  function sayEmpty() {
    empty.hidden = cards.events.length > 0 || loading !== null;
    if (empty.hidden) return;
    empty.replaceChildren(like ? emptyState("similar", t("Nothing is like it yet"), t("Events are compared by what gpufisher sees in them; it takes a few events with gpufisher in the chain."))
      : filters.any ? emptyState("filter", t("No event fits these filters"), h("button", { type: "button", class: "button", onclick: () => filters.clear() }, t("Clear the filters")))
        : emptyState("events", t("Nothing has happened yet"), t("As soon as something moves before a camera, its picture and its clip appear here.")));
  }

  async function load(older = false) {
    if (older && (loading || !cursor)) return;
    loading?.abort();
    const mine = new AbortController();
    loading = mine;
    try {
      const answer = await get(`api/events${query({ ...filters.query, limit: pageSize, cursor: older ? cursor : undefined })}`, mine.signal);
      if (signal.aborted) return;
      cursor = answer.next_cursor;
      const found = answer.events.filter((event) => !deletion.has(event.id) && !(older && cards.events.some((other) => other.id === event.id)));
      filters.learn(found);
      if (older) cards.append(found);
      else {
        // An event that a link names is shown even where it is older than this page.
        if (selected && !found.some((event) => event.id === selected)) {
          const linked = await get(eventPath(selected), mine.signal).catch(() => null);
          if (linked && filters.matches(linked)) found.push(linked);
        }
        waiting = [];
        fresh.hidden = true;
        cards.fill(found);
        const first = wide.matches ? found[0]?.id : null;
        choose(found.some((event) => event.id === selected) ? selected : first ?? null);
      }
      more.hidden = cursor === null;
    } catch (error) {
      failure(error);
    } finally {
      if (loading === mine) {
        loading = null;
        sayEmpty();
      }
    }
  }
  async function loadAlike() {
    try {
      const [event, answer] = await Promise.all([get(eventPath(like), signal), get(`${eventPath(like, "similar")}${query({ limit: alike })}`, signal)]);
      likeHead.replaceChildren(h("span", { class: "badge" }, t("Like {camera}, {time}", { camera: titleOf(event.camera), time: timeOfDay(event.start_time) })),
        iconButton("close", t("All events"), () => go("events", [], { id: like }), { shown: true }));
      likeHead.hidden = false;
      const list = [{ event, similarity: 1 }, ...answer.events];
      cards.fill(list.map((item) => item.event), new Map(list.map((item) => [item.event.id, item.similarity])));
      choose(selected ?? event.id);
      if (answer.events.length === 0) { empty.hidden = false; sayEmpty(); }
    } catch (error) {
      failure(error);
    }
  }

  filters.addEventListener("change", () => { remember(); load(); });
  live.addEventListener("event", ({ detail }) => changed(detail.event), { signal });
  live.addEventListener("labels", ({ detail }) => {
    const known = cards.events.find((event) => event.id === detail.id);
    if (known) changed({ ...known, labels: detail.labels });
  }, { signal });
  live.addEventListener("deleted", ({ detail }) => { cards.drop(detail.id); waiting = waiting.filter((event) => event.id !== detail.id); if (selected === detail.id) choose(null); sayEmpty(); }, { signal });
  const observer = new IntersectionObserver((seen) => { if (seen.some((s) => s.isIntersecting)) load(true); }, { rootMargin: "400px" });
  observer.observe(more);
  signal.addEventListener("abort", () => { observer.disconnect(); loading?.abort(); player.show(null); });

  const act = (f) => () => player.event && f(player.event);
  addKeys(t("Events"), [
    { keys: ["n", "j", "ArrowRight", "ArrowDown"], words: t("next, an older event"), run: () => step(1) },
    { keys: ["p", "ArrowLeft", "ArrowUp"], words: t("previous, a newer event"), run: () => step(-1) },
    { keys: [" "], words: t("play or pause"), run: () => player.toggle() },
    ...(store.operator ? [{ keys: ["k"], words: t("keep whatever its age, or no longer"), run: act(keep) },
      { keys: ["Delete"], words: t("delete event, clip and picture"), run: act(drop) }] : []),
    { keys: ["s"], words: t("more like this"), run: act((event) => event.has_vector && go("events", [], { like: event.id, id: event.id })) },
    { keys: ["m"], words: t("mark as seen, or as new again"), run: act((event) => see(event, !event.seen)) },
    ...(store.operator ? [{ keys: [..."123456789"], words: t("give the event this label, or take it back"), when: () => player.event, run: ({ key }) => player.labels.key(Number(key)) },
      { keys: ["x"], words: t("the guessed label is wrong"), run: act(() => player.labels.wrong()) }] : []),
    { keys: ["r"], words: t("show new events"), run: () => showWaiting() },
    { keys: ["Escape"], words: t("close the event"), run: () => choose(null) },
  ], signal);
  live.watch({ cameras: [] });
  if (like) loadAlike();
  else load();
}
