// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns a camera from its picture: by holding the picture away from its middle, by keys and by buttons; presets and home.
// A move is asked for again and again while something is held; the server ends it when that stops.
import { cameraPath, get, post, remove } from "../app/api.js";
import { h, icon, iconButton, s, setText } from "../app/dom.js";
import { failure, notice } from "../app/notice.js";
import { store } from "../app/store.js";
import { t } from "../app/text.js";

const dead = 0.12; // share of the way to the edge within which nothing moves
const byKey = { ArrowLeft: { pan: -0.5 }, ArrowRight: { pan: 0.5 }, ArrowUp: { tilt: 0.5 }, ArrowDown: { tilt: -0.5 }, "+": { zoom: 0.5 }, "-": { zoom: -0.5 } };
const again = 500, soonest = 120; // ms between two requests of one move
const limit = (v) => Math.round(Math.min(1, Math.max(-1, v)) * 1000) / 1000;
const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });

export class Ptz {
  #name;
  #can = null;
  #held = new Map(); // what is held: the speed that it asks for, whether that was sent, and whether it is let go of already
  #moves = false;
  #moved = Promise.resolve(); // when the last move has been stopped
  #wake = () => {};

  constructor(name, signal) {
    this.#name = name;
    this.button = iconButton("turn", t("Turn the camera"), () => this.steer(!this.on), { keys: "c", hidden: true, "aria-pressed": "false" });
    this.arrow = s("svg", { class: "ptz-arrow", viewBox: "-100 -100 200 200", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("circle", { class: "ptz-dead", r: dead * 100 }), s("line", { class: "ptz-way", x1: 0, y1: 0, x2: 0, y2: 0 }));
    this.layer = h("div", { class: "ptz-layer", hidden: true, "aria-hidden": "true", onpointerdown: (e) => this.#point(e), onpointermove: (e) => this.#held.get("pointer")?.over === false && this.#point(e),
      onpointerup: () => this.#release("pointer"), onpointercancel: () => this.#release("pointer"), oncontextmenu: (e) => e.preventDefault() }, this.arrow);
    const zoom = (way, words) => {
      const key = way === "zoom-in" ? "+" : "-";
      const end = () => this.#release(`button${key}`);
      return iconButton(way, words, () => {}, { keys: key, onpointerdown: () => this.#hold(`button${key}`, byKey[key]), onpointerup: end, onpointerleave: end, onpointercancel: end,
        onkeydown: (e) => { if (!e.repeat && (e.key === " " || e.key === "Enter")) this.#hold(`button${key}`, byKey[key]); }, onkeyup: end, onblur: end });
    };
    this.zoom = [zoom("zoom-out", t("Farther")), zoom("zoom-in", t("Nearer"))];
    this.home = iconButton("home", t("Home position"), () => this.#send({ home: true }), { keys: "h" });
    this.presets = h("ul", { class: "ptz-presets" });
    this.word = h("input", { type: "text", maxlength: 64, required: true, "aria-label": t("Name of the preset"), placeholder: t("Name of the preset") });
    const form = h("form", { class: "ptz-new", onsubmit: (e) => {
      e.preventDefault();
      this.#set({ name: this.word.value.trim() }, () => { this.word.value = ""; });
    } }, this.word, h("button", { class: "button" }, t("Keep this view")));
    this.list = h("div", { class: "ptz-list", hidden: true }, this.presets, form);
    this.more = h("button", { type: "button", class: "button", "aria-expanded": "false", onclick: () => this.#open(this.list.hidden) }, icon("keep"), t("Presets"));
    this.hint = h("span", { class: "ptz-hint" }, t("Hold the picture, or the arrow keys"));
    this.bar = h("div", { class: "ptz-bar", role: "group", "aria-label": t("Turn the camera"), hidden: true }, this.list,
      h("div", { class: "ptz-tools" }, this.zoom, this.home, this.more, this.hint));

    addEventListener("keyup", (e) => this.#release(e.code), { signal });
    addEventListener("blur", () => this.#let(), { signal });
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.#let(); }, { signal });
    addEventListener("pagehide", () => this.#leave(), { signal });
    signal.addEventListener("abort", () => this.#leave());
  }

  get on() { return !this.layer.hidden; }

  tell(camera) {
    this.#can = store.operator ? camera.ptz : null;
    this.button.hidden = !this.#can;
    if (!this.#can || camera.state !== "online") this.steer(false);
    this.button.disabled = camera.state !== "online";
    for (const b of this.zoom) b.hidden = !this.#can?.zoom;
    this.home.hidden = !this.#can?.home;
    this.more.hidden = !this.#can?.presets;
    setText(this.hint, this.#can?.turning ? t("Turning: no events meanwhile") : t("Hold the picture, or the arrow keys"));
  }

  /** Whether the picture turns the camera; false when it was as asked already. */
  steer(wanted) {
    if (wanted === this.on || (wanted && !this.#can)) return false;
    this.layer.hidden = this.bar.hidden = !wanted;
    this.button.setAttribute("aria-pressed", String(wanted));
    this.#let();
    if (!wanted) this.#open(false);
    return true;
  }

  get keys() {
    const when = () => this.on;
    return [
      { keys: ["c"], words: t("turn the camera, or no longer"), run: () => this.button.disabled || this.steer(!this.on) },
      { keys: Object.keys(byKey), words: t("turn and zoom, while they are held"), when, run: (e) => e.repeat || this.#hold(e.code, byKey[e.key]) }, // by the code: Shift may be let go of before +
      { keys: ["h"], words: t("home position"), when: () => this.on && Boolean(this.#can?.home), run: () => this.#send({ home: true }) },
    ];
  }

  #point(event) {
    event.preventDefault();
    if (event.type === "pointerdown") this.layer.setPointerCapture(event.pointerId);
    const box = this.layer.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * 2 - 1, y = (event.clientY - box.top) / box.height * 2 - 1;
    const far = Math.hypot(x, y), speed = Math.min(1, Math.max(0, (far - dead) / (0.9 - dead)));
    const line = this.arrow.querySelector(".ptz-way");
    line.setAttribute("x2", limit(x) * 100);
    line.setAttribute("y2", limit(y) * 100);
    this.#hold("pointer", speed ? { pan: x / far * speed, tilt: -y / far * speed } : {});
  }

  #hold(what, speed) {
    const before = this.#held.get(what);
    this.#held.set(what, { speed, sent: before?.over === false && before.sent, over: false });
    this.#follow();
  }

  // What is let go of while the stop of the move before is answered still moves once.
  #release(what) {
    const held = this.#held.get(what);
    if (!held) return;
    if (held.sent || !Object.keys(held.speed).length) this.#held.delete(what);
    else held.over = true;
    if (what === "pointer") this.#noArrow();
    this.#follow();
  }

  #follow() {
    this.#wake();
    if (!this.#moves && this.#wanted()) this.#moved = this.#move();
  }

  #let() {
    if (this.#held.has("pointer")) this.#noArrow();
    this.#held.clear();
    this.#wake();
  }

  #noArrow() {
    for (const end of ["x2", "y2"]) this.arrow.querySelector(".ptz-way").setAttribute(end, 0);
  }

  /** Forgets what was let go of before it was sent. False: there was none. */
  #forget() {
    const over = [...this.#held].filter(([, held]) => held.over);
    for (const [what] of over) this.#held.delete(what);
    return over.length > 0;
  }

  #leave() {
    if (!this.#moves) return;
    this.#let();
    post(cameraPath(this.#name, "ptz", "stop"), {}, true).catch(() => {}); // the page may be gone before the answer
  }

  #wanted() {
    const sum = { pan: 0, tilt: 0, zoom: 0 };
    for (const { speed } of this.#held.values()) for (const [way, v] of Object.entries(speed)) sum[way] += v;
    for (const way of Object.keys(sum)) sum[way] = limit(sum[way]);
    return sum.pan || sum.tilt || sum.zoom ? sum : null;
  }

  async #move() {
    this.#moves = true;
    while (this.#wanted()) {
      try {
        for (let speed = this.#wanted(); speed; speed = this.#wanted()) {
          const woken = new Promise((done) => { this.#wake = done; });
          for (const held of this.#held.values()) held.sent = true;
          await post(cameraPath(this.#name, "ptz", "move"), speed);
          await wait(soonest);
          if (!this.#forget()) await Promise.race([woken, wait(again - soonest)]);
        }
      } catch (error) {
        this.#let();
        failure(error);
      }
      await post(cameraPath(this.#name, "ptz", "stop")).catch(failure);
    }
    this.#forget(); // what asked for opposite ways at once
    this.#moves = false;
  }

  async #send(where) {
    this.#let();
    await this.#moved; // a stop that comes later would end the way there
    try {
      await post(cameraPath(this.#name, "ptz", "go"), where);
    } catch (error) {
      failure(error);
    }
  }

  async #open(wanted) {
    this.list.hidden = !wanted;
    this.more.setAttribute("aria-expanded", String(wanted));
    if (wanted) await this.#read();
  }

  async #read() {
    try {
      this.#show((await get(cameraPath(this.#name, "ptz"))).presets);
    } catch (error) {
      failure(error);
    }
  }

  #show(presets) {
    this.presets.replaceChildren(...presets.map(({ token, name, here }) => h("li", {},
      h("button", { type: "button", class: "button quiet ptz-go", "aria-current": here ? "true" : null, onclick: () => this.#send({ preset: token }).then(() => this.#read()) }, name),
      iconButton("keep", t("{name} becomes the view as it is now", { name }), () => this.#set({ preset: token, name })),
      iconButton("trash", t("Remove the preset {name}", { name }), () => this.#remove(token, name)))));
    if (!presets.length) this.presets.append(h("li", { class: "hint" }, t("There are no presets yet.")));
  }

  async #set(what, done = () => {}) {
    try {
      await post(cameraPath(this.#name, "ptz", "presets"), what);
      notice(t("The view is kept as {name}", { name: what.name }));
      done();
    } catch (error) {
      failure(error);
    }
    await this.#read();
  }

  async #remove(token, name) {
    try {
      await remove(cameraPath(this.#name, "ptz", "presets", token));
      notice(t("The preset {name} is removed", { name }));
    } catch (error) {
      failure(error);
    }
    await this.#read();
  }
}
