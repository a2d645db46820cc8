// SPDX-License-Identifier: LGPL-2.1-or-later
// Exports: what is marked becomes files, which stay in a list with their progress.
import { get, post, query, remove } from "../app/api.js";
import { h, icon, iconButton, setText } from "../app/dom.js";
import { failure, notice } from "../app/notice.js";
import { store, titleOf } from "../app/store.js";
import { t } from "../app/text.js";
import { bytes, dayName, now, span, timeOfDay } from "../app/time.js";
import { showText } from "../camera/export.js";

const often = 1500; // ms between two looks at exports that are not done
const linkLasts = 86400; // seconds
const speeds = [[t("As recorded"), null], [t("{n} times as fast", { n: 10 }), 10], [t("{n} times as fast", { n: 60 }), 60], [t("{n} times as fast", { n: 300 }), 300]];

const path = (id, rest = "") => `api/exports/${encodeURIComponent(id)}${rest}`;
const when = (time) => `${dayName(time)} ${timeOfDay(time)}`;
const active = ({ state }) => state === "queued" || state === "running";

export class Exports {
  #marks;
  #cameras; // () => names that are shown
  #timer = 0;
  #asking = null;
  #rows = new Map(); // by id: {text, element}
  #list = h("ol", { class: "tl-export-list" });
  #words = h("p", { class: "hint", role: "status" });
  #from = h("output", { class: "number" });
  #to = h("output", { class: "number" });
  #burnIn = h("input", { type: "checkbox" });
  #speed = h("select", {}, speeds.map(([words], i) => h("option", { value: String(i) }, words)));
  #name = h("input", { type: "text", maxLength: 60, autocomplete: "off" });
  #start = h("button", { type: "submit", class: "button primary" }, t("Export"));

  /** `acts`: {time(), cameras(), close()} */
  constructor(marks, acts, signal) {
    this.#marks = marks;
    this.#cameras = acts.cameras;
    const mark = (words, keys, act) => h("button", { type: "button", class: "button", title: `${words} (${keys})`, "aria-keyshortcuts": keys, onclick: act }, words);
    this.form = h("form", { class: "tl-export-form", hidden: !store.operator, onsubmit: (event) => { event.preventDefault(); this.start(); } },
      h("div", { class: "tl-mark" }, this.#from, mark(t("Mark begin"), "i", () => marks.begin(acts.time()))),
      h("div", { class: "tl-mark" }, this.#to, mark(t("Mark end"), "o", () => marks.end(acts.time()))),
      h("label", {}, t("Name"), this.#name), h("label", {}, t("Speed"), this.#speed), h("label", { class: "check" }, this.#burnIn, h("span", {}, t("Draw the time into the picture"))), this.#start);
    this.element = h("aside", { class: "tl-exports panel", hidden: true, "aria-label": t("Exports") },
      h("header", {}, h("h2", {}, t("Export")), h("span", { class: "grow" }), iconButton("close", t("Close the exports"), acts.close, { class: "button quiet icon-only" })),
      this.form, this.#words, this.#list);
    marks.addEventListener("change", () => this.tell(), { signal });
    signal.addEventListener("abort", () => this.#rest());
    this.tell();
  }

  get open() { return !this.element.hidden; }

  show() {
    this.element.hidden = false;
    this.tell();
    this.#look();
  }

  close() {
    this.element.hidden = true;
    this.#rest();
  }

  /** What is marked, and of which cameras. */
  tell() {
    const { from, to, complete } = this.#marks;
    setText(this.#from, from === null ? t("No begin") : t("From {time}", { time: when(from) }));
    setText(this.#to, to === null ? t("No end") : t("To {time}", { time: when(to) }));
    setText(this.#start, complete ? t("Export {span} of {cameras}", { span: span(to - from), cameras: this.#cameras().map(titleOf).join(", ") }) : t("Export"));
    this.#start.disabled = !complete;
  }

  async start() {
    const { from, to, complete } = this.#marks;
    if (!complete) return;
    try {
      await post("api/exports", { cameras: this.#cameras(), from, to: Math.min(to, now()), burn_in: this.#burnIn.checked, timelapse: speeds[this.#speed.selectedIndex][1], name: this.#name.value.trim() });
      this.#name.value = "";
      this.#look();
    } catch (error) {
      failure(error);
    }
  }

  #rest() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  async #look() {
    this.#rest();
    const mine = new AbortController();
    this.#asking = mine;
    try {
      const { exports } = await get("api/exports", mine.signal);
      this.#draw(exports);
      if (exports.some(active)) this.#timer = setTimeout(() => this.#look(), often);
    } catch (error) {
      if (error.name === "AbortError") return;
      setText(this.#words, error.message);
      this.#timer = setTimeout(() => this.#look(), 4 * often);
    }
  }

  /** Rows stay while nothing but their progress changes: what has the focus keeps it. */
  #draw(exports) {
    setText(this.#words, exports.length ? "" : store.operator ? t("Mark a begin and an end on the timeline, then export what is between them.") : t("There are no exports."));
    const rows = exports.map((job) => {
      const text = JSON.stringify({ ...job, progress: 0 });
      const old = this.#rows.get(job.id);
      const row = old?.text === text ? old : { text, element: this.#row(job) };
      const bar = row.element.querySelector("progress");
      if (bar) bar.value = job.progress;
      return [job.id, row];
    });
    this.#rows = new Map(rows);
    const elements = rows.map(([, { element }]) => element);
    if (elements.length !== this.#list.children.length || elements.some((e, i) => e !== this.#list.children[i])) this.#list.replaceChildren(...elements);
  }

  #row(job) {
    const title = job.name || job.cameras.map(titleOf).join(", ");
    const details = [`${when(job.from)}, ${span(job.to - job.from)}`, job.timelapse && t("{n} times as fast", { n: job.timelapse }), job.burn_in && t("with the time")].filter(Boolean).join(", ");
    const state = { queued: t("It waits for the exports before it"), running: t("It is being made"), done: "", failed: job.reason, cancelled: t("Cancelled") }[job.state];
    return h("li", { class: "tl-export", data: { id: job.id, state: job.state } },
      h("div", { class: "tl-export-head" }, h("strong", {}, title), h("span", { class: "grow" }),
        store.operator && iconButton(active(job) ? "close" : "trash", active(job) ? t("Cancel {title}", { title }) : t("Delete {title}", { title }), () => this.#drop(job), { class: "button quiet icon-only" })),
      h("p", { class: "hint number" }, details),
      active(job) && h("progress", { max: 1, value: job.progress, "aria-label": t("Progress of {title}", { title }) }),
      state && h("p", { class: job.state === "failed" ? "bad" : "hint" }, state),
      job.files.map((file, i) => h("div", { class: "tl-export-file" },
        h("a", { class: "button", href: path(job.id, `/file${query({ file: i })}`), download: "" }, icon("download"), h("span", {}, `${titleOf(file.camera)}, ${bytes(file.bytes)}`)),
        store.operator && iconButton("copy", t("Copy a link to {name}", { name: file.name }), () => this.#link(job, i)),
        h("span", { class: "hint number tl-sum", title: `SHA-256 ${file.sha256}` }, `SHA-256 ${file.sha256.slice(0, 8)}`))));
  }

  async #drop(job) {
    try {
      await remove(path(job.id));
      this.#look();
    } catch (error) {
      failure(error);
    }
  }

  async #link(job, file) {
    try {
      const link = await get(path(job.id, `/link${query({ file, seconds: linkLasts })}`));
      const address = new URL(link.path, document.baseURI).href;
      const words = t("Anyone with this link can download {name} without signing in, until {time}.", { name: job.files[file].name, time: when(link.until) });
      try {
        await navigator.clipboard.writeText(address);
        notice(t("The link is copied. {words}", { words }), { stay: 8000 });
      } catch {
        showText(t("Link"), words, address);
      }
    } catch (error) {
      failure(error);
    }
  }
}
