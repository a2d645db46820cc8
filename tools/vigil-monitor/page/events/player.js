// SPDX-License-Identifier: LGPL-2.1-or-later
// One event: its clip, which starts at once, and what can be done with it.
import { eventPath } from "../app/api.js";
import { emptyState, h, icon, iconButton, setText } from "../app/dom.js";
import { address } from "../app/router.js";
import { store, titleOf } from "../app/store.js";
import { t } from "../app/text.js";
import { bytes, digits, fullTime, percent, span, timeOfDay } from "../app/time.js";
import { LabelField } from "../labels/field.js";
import { clipComes, clipWords, isOutage, labelIcon, labelWords, thumbnail } from "./words.js";

/** The event's score in words of its own: what it counts depends on the label. */
function scoreFact({ label, score, end_time: end }) {
  if (label === "motion") return { [t("Changed, at most")]: percent(score) };
  if (label === "loitering") return { [t("Stayed")]: end ? span(score) : t("more than {span}", { span: span(score) }) };
  if (label === "camera-blurred") return { [t("Sharpness lost")]: percent(score) };
  if (label === "camera-covered" || label === "camera-moved") return { [t("Of the scene, unseen")]: percent(score) };
  if (isOutage(label)) return {};
  return { [t("Score")]: digits(score) };
}

export class Player {
  event = null;
  #video = null;
  #clock;
  #facts = new Map(); // words -> the element that has the value
  #source = "";

  /** `acts`: {previous, next, keep, drop, see, similar, named, close}, functions of the event. */
  constructor(acts, signal) {
    const act = (name) => () => this.event && acts[name](this.event);
    this.#clock = h("span", { class: "number" });
    this.screen = h("div", { class: "screen" });
    this.keep = iconButton("keep", t("Keep"), act("keep"), { shown: true, keys: "k", "aria-pressed": "false" });
    this.similar = iconButton("similar", t("More like this"), act("similar"), { shown: true, keys: "s" });
    this.seen = iconButton("eye", t("Seen"), act("see"), { shown: true, keys: "m", "aria-pressed": "false" });
    this.drop = iconButton("trash", t("Delete"), act("drop"), { shown: true, keys: "Delete", class: "button danger" });
    this.labels = new LabelField(acts.named, signal);
    this.save = h("a", { class: "button", download: "" }, icon("download"), t("Clip"));
    this.before = h("a", { class: "button", title: t("The recording, from ten seconds before") }, icon("timeline"), t("Timeline"));
    this.facts = h("dl", { class: "player-facts" });
    this.heading = h("h2", {});
    this.body = h("div", { class: "player-body" }, h("div", { class: "player-head" }, this.heading, h("span", { class: "grow" }), this.#clock,
      iconButton("back", t("Newer event"), act("previous"), { keys: "p", class: "button quiet icon-only" }),
      iconButton("next", t("Older event"), act("next"), { keys: "n", class: "button quiet icon-only" }),
      iconButton("close", t("Close"), act("close"), { keys: "Escape", class: "button quiet icon-only player-close" })),
      this.screen, h("div", { class: "player-actions" }, store.operator && this.keep, store.admin && this.drop, this.seen, this.similar, this.before, this.save), this.labels.element, this.facts);
    this.none = emptyState("events", t("No event is chosen"), t("Choose one at the left, or press n."));
    this.element = h("aside", { class: "player panel", "aria-label": t("Event") }, this.none, this.body);
    this.show(null);
    addEventListener("pagehide", () => this.#stop(), { signal }); // a clip that is being fetched holds a connection
  }

  show(event) {
    this.event = event;
    this.none.hidden = event !== null;
    this.body.hidden = event === null;
    this.element.classList.toggle("open", event !== null);
    if (!event) {
      this.#stop();
      return;
    }
    this.heading.replaceChildren(icon(labelIcon(event.label)), t("{label} at {camera}", { label: labelWords(event.label), camera: titleOf(event.camera) }));
    this.#show(event);
    this.labels.show(event);
    this.keep.setAttribute("aria-pressed", String(event.retained));
    setText(this.keep.lastChild, event.retained ? t("Kept") : t("Keep"));
    this.seen.setAttribute("aria-pressed", String(Boolean(event.seen)));
    this.similar.disabled = !event.has_vector;
    this.similar.title = event.has_vector ? t("More like this (s)") : t("More like this: needs gpufisher in the camera's chain while the event is recorded");
    const before = 10; // seconds
    this.before.hidden = !store.cameras.has(event.camera);
    this.before.href = address("timeline", [], { cameras: event.camera, t: (event.start_time - before).toFixed(2), span: 12 * before });
    this.save.hidden = !event.has_clip;
    this.save.href = eventPath(event.id, "clip.mp4");
    this.save.download = `${event.camera}-${event.id}.mp4`;
    const facts = { [t("Began")]: fullTime(event.start_time), [t("Lasted")]: event.end_time ? span(event.end_time - event.start_time) : t("it still goes on"),
      [t("Camera")]: h("a", { href: address("camera", [event.camera]) }, titleOf(event.camera)), [t("Zones")]: event.zones.join(", ") || t("none"),
      ...scoreFact(event),
      [t("Clip")]: event.has_clip ? bytes(event.clip_bytes) : clipComes(event) ? t("is being written") : t("none") };
    // News of the same event changes values in place: who reads them by a screen reader keeps the place.
    if (Object.keys(facts).join() !== [...this.#facts.keys()].join()) {
      this.#facts = new Map(Object.keys(facts).map((words) => [words, h("dd", { class: "number" })]));
      this.facts.replaceChildren(...[...this.#facts].map(([words, value]) => h("div", {}, h("dt", {}, words), value)));
    }
    for (const [words, value] of Object.entries(facts)) this.#facts.get(words).replaceChildren(value);
  }

  toggle() {
    if (this.#video?.paused) this.#video.play().catch(() => {});
    else this.#video?.pause();
  }

  #stop() {
    this.#source = "";
    this.#video?.pause();
    this.#video?.removeAttribute("src");
    this.#video?.load(); // lets the connection go
    this.#video = null;
    this.screen.replaceChildren();
  }

  #show(event) {
    const source = event.has_clip ? eventPath(event.id, "clip.mp4") : thumbnail(event) ?? event.id;
    if (source === this.#source) {
      if (!event.has_clip) setText(this.screen.lastChild, clipWords(event));
      return;
    }
    this.#stop();
    this.#source = source;
    setText(this.#clock, timeOfDay(event.start_time));
    if (!event.has_clip) {
      this.screen.append(h("img", { src: thumbnail(event), alt: t("Picture of the event at {camera}", { camera: titleOf(event.camera) }) }),
        h("p", { class: "screen-note" }, clipWords(event)));
      return;
    }
    const video = h("video", { controls: true, autoplay: true, muted: true, playsInline: true, preload: "auto", poster: thumbnail(event), "aria-label": t("Clip of {camera}", { camera: titleOf(event.camera) }) });
    video.src = source;
    const began = event.clip_start ?? event.start_time;
    video.addEventListener("timeupdate", () => setText(this.#clock, timeOfDay(began + video.currentTime)));
    video.addEventListener("error", () => {
      if (this.#video === video) this.screen.append(h("p", { class: "screen-note" }, t("This browser cannot play the clip. Save it and play it elsewhere.")));
    });
    this.#video = video;
    this.screen.append(video);
  }
}
