// SPDX-License-Identifier: LGPL-2.1-or-later
// One camera on the wall: its picture, name, a border while something moves, and why it is offline.
import { h, icon, setText } from "../app/dom.js";
import { live } from "../app/live.js";
import { Picture } from "../app/picture.js";
import { address, go } from "../app/router.js";
import { LiveVideo } from "../app/video.js";
import { stateTitle } from "../camera/states.js";
import { Trouble } from "../camera/trouble.js";
import { t } from "../app/text.js";
import { fullTime, now, span, timeOfDay } from "../app/time.js";

const late = 1.5; // seconds after which a tile says how late it is

export class Tile {
  constructor(camera) {
    this.camera = camera;
    this.picture = new Picture(t("Live picture of {camera}", { camera: camera.title }), () => this.element.classList.add("seen"));
    this.link = h("a", { class: "tile-name", href: address("camera", [camera.name]) }, camera.title);
    this.motion = h("span", { class: "tile-motion" }, icon("motion"), t("Motion"));
    this.recording = h("span", { class: "tile-recording", title: t("A clip is being written"), hidden: true }, icon("record"),
      h("span", { class: "unseen" }, t("recording")));
    this.note = h("span", { class: "tile-note number" });
    this.reason = h("div", { class: "tile-reason" });
    this.trouble = new Trouble();
    this.element = h("article", { class: "tile", "aria-label": camera.title }, this.picture.canvas, this.reason, this.trouble.element,
      h("div", { class: "tile-caption" }, this.link, this.recording, this.note, this.motion));
    this.element.addEventListener("dblclick", () => go("camera", [camera.name]));
    this.element.addEventListener("click", (event) => {
      // A finger has no double click: one touch opens. A mouse click selects.
      if (event.pointerType === "touch") go("camera", [camera.name]);
      else this.link.focus({ preventScroll: true });
    });
    this.playing = false; // by video
    this.failed = false; // no way shows the video, so that pictures are needed
    this.tell(camera);
  }

  /** Live video of the small stream, in the place of pictures. `onchange()`: whether pictures are needed, as no way shows it, has changed. */
  play(after, onchange) {
    this.video ??= new LiveVideo(this.camera.name, { stream: "detect", label: t("Live video of {camera}", { camera: this.camera.title }),
      onseen: () => this.element.classList.add("seen"),
      onway: ({ way, later }) => {
        const failed = way === "jpeg";
        if (failed && !later) this.stop();
        this.element.dataset.way = way;
        this.element.classList.toggle("plays", !failed);
        this.playing = !failed;
        if (this.failed === failed) return;
        this.failed = failed;
        onchange();
      } });
    if (this.playing || this.failed || this.camera.state !== "online") return;
    this.playing = true;
    this.picture.canvas.after(this.video.element);
    this.timer = setTimeout(() => this.video.start(), after);
  }

  stop() {
    clearTimeout(this.timer);
    this.playing = this.failed = false;
    delete this.element.dataset.way;
    this.element.classList.remove("plays");
    this.video?.stop();
    this.video?.element.remove();
  }

  show(record) {
    if (this.playing) return;
    this.picture.show(record);
    this.element.classList.toggle("moving", record.motion);
  }

  /** Follows the camera's state. True when it is online again, so that video can begin anew. */
  tell(camera) {
    const back = camera.state === "online" && this.camera.state !== "online";
    if (camera.state !== "online" && (this.playing || this.failed)) this.stop();
    this.camera = camera;
    this.element.dataset.state = camera.state;
    setText(this.link, camera.title);
    this.element.setAttribute("aria-label", camera.title);
    if (camera.state !== "online" || (this.playing && !camera.motion)) this.element.classList.remove("moving");
    else if (camera.motion) this.element.classList.add("moving");
    this.recording.hidden = !camera.recording;
    this.trouble.tell(camera);
    this.element.classList.toggle("troubled", this.trouble.element.childElementCount > 0);
    this.#reasons();
    return back;
  }

  /** Once a second: how long, and how late. */
  tick() {
    this.trouble.tick();
    if (this.camera.state === "online") {
      const age = this.playing ? 0 : this.picture.age();
      const old = age > late;
      setText(this.note, !old ? "" : this.camera.analysed ? t("{span} late", { span: span(age) }) : t("key frames, {span} old", { span: span(age) }));
    } else if (this.since) {
      setText(this.since, this.#sinceWords());
    }
  }

  #sinceWords() {
    return t("since {time}, {span}", { time: timeOfDay(this.camera.since), span: span(now() + live.clockOffset - this.camera.since) });
  }

  #reasons() {
    const { state, reason, since } = this.camera;
    this.since = null;
    setText(this.note, "");
    if (state === "online") return this.reason.replaceChildren();
    this.since = h("span", { class: "number", title: fullTime(since) }, this.#sinceWords());
    const what = { starting: t("Waits for the first picture."), offline: reason ?? t("No picture comes."), disabled: t("Switch it on on its page.") }[state];
    return this.reason.replaceChildren(icon(state === "disabled" || state === "ended" ? "pause" : state === "starting" ? "camera" : "offline"),
      h("strong", {}, stateTitle(state)), this.since, h("span", { class: "why" }, reason && state !== "offline" ? reason : what));
  }
}
