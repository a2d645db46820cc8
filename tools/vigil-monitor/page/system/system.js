// SPDX-License-Identifier: LGPL-2.1-or-later
// How the program does: load, cameras, queues, disk, and what retention will do next.
import { get, post } from "../app/api.js";
import { h, iconButton, setText } from "../app/dom.js";
import { live } from "../app/live.js";
import { failure, notice } from "../app/notice.js";
import { signOutButton, themeButton } from "../app/personal.js";
import { address } from "../app/router.js";
import { store } from "../app/store.js";
import { bytes, digits, fullTime, span, zoneName } from "../app/time.js";
import { people } from "./people.js";
import { Spark } from "./spark.js";

const every = 2000; // ms
const delay = (ms) => (ms < 10000 ? `${digits(ms)} ms` : span(ms / 1000));

function meter(words) {
  const fill = h("i");
  const bar = h("div", { class: "meter", role: "meter", "aria-label": words, "aria-valuemin": "0", "aria-valuemax": "100" }, fill);
  return { bar, set: (share, text) => {
    const percent = Math.round(100 * Math.min(1, Math.max(0, share)));
    fill.style.width = `${percent}%`;
    bar.dataset.full = String(percent >= 95);
    bar.setAttribute("aria-valuenow", String(percent));
    bar.setAttribute("aria-valuetext", text);
  } };
}

function tile(words, color) {
  const value = h("strong", { class: "number" }, "–");
  const note = h("span", { class: "hint" });
  const spark = color ? new Spark(color, words) : null;
  return { element: h("div", { class: "stat panel" }, h("h2", {}, words), value, note, spark?.element),
    set: (text, more = "", number = null) => { setText(value, text); setText(note, more); if (number !== null) spark?.add(number); } };
}

/** CPU time and GPU time are totals; two readings make a load. */
function rates() {
  let before = null;
  return (stats) => {
    const passed = before ? stats.time - before.time : 0;
    const cpu = passed > 0 ? (stats.cpu_seconds - before.cpu_seconds) / passed : null;
    before = { time: stats.time, cpu_seconds: stats.cpu_seconds };
    return { cpu };
  };
}

function cameraTable() {
  const rows = new Map();
  const body = h("tbody");
  const table = h("div", { class: "table-room panel", tabindex: "0", role: "region", "aria-label": "Cameras" }, h("table", {}, h("caption", { class: "unseen" }, "Cameras"), h("thead", {}, h("tr", {},
    ["Camera", "State", "Frames/s", "Latency", "Dropped", "Reconnects", "Recorder holds", "Time per frame"].map((words) => h("th", { scope: "col" }, words)))), body));
  const make = (name) => {
    const cells = Array.from({ length: 7 }, () => h("td", { class: "number" }));
    const spark = new Spark(1, `frames of ${name}`);
    const fps = h("span");
    cells[1].append(fps, spark.element);
    const row = { cells, fps, spark, element: h("tr", {}, h("th", { scope: "row" }, h("a", { href: address("camera", [name]) }, name)), cells) };
    rows.set(name, row);
    body.append(row.element);
    return row;
  };
  const set = (list) => {
    for (const c of list) {
      const { cells, fps, spark } = rows.get(c.name) ?? make(c.name);
      const state = store.cameras.get(c.name)?.state ?? "";
      cells[0].dataset.state = state;
      setText(cells[0], state);
      setText(fps, c.fps.toFixed(1));
      spark.add(c.fps);
      const work = Object.entries(c.element_time_us);
      const texts = [c.latency_ms ? delay(c.latency_ms) : "–", String(c.drops), String(c.reconnects), bytes(c.record_queue_bytes),
        work.length ? work.map(([name, us]) => `${name} ${digits(us / 1000)} ms`).join(", ") : "–"];
      texts.forEach((text, i) => setText(cells[i + 2], text));
    }
    for (const [name, row] of rows) if (!list.some((c) => c.name === name)) { row.element.remove(); rows.delete(name); }
  };
  return { element: table, set };
}

function storagePanel() {
  const used = meter("Clips and recordings, of what they may use");
  const free = meter("Disk in use, of what may be used");
  const lines = Object.fromEntries(["Clips", "Disk", "Oldest event", "Next", "Last", "Folder"].map((words) => [words, h("dd", { class: "number" })]));
  lines.Clips.append(h("span"), used.bar);
  lines.Disk.append(h("span"), free.bar);
  const element = h("section", { class: "panel block" }, h("h2", {}, "Disk"), h("dl", {}, Object.entries(lines).map(([words, value]) => h("div", {}, h("dt", {}, words), value))));
  const set = (d) => {
    const kept = d.clips_bytes + d.recordings_bytes;
    const room = d.max_bytes || kept + Math.max(0, d.free_bytes - d.min_free_bytes);
    const clips = `${d.clips} clips${d.recordings_bytes ? " and recordings" : ""}, ${bytes(kept)}${d.max_bytes ? ` of ${bytes(d.max_bytes)}` : ", no limit"}`;
    setText(lines.Clips.firstChild, clips);
    used.set(room ? kept / room : 0, clips);
    const rest = `${bytes(d.free_bytes)} free, ${bytes(d.min_free_bytes)} stay free`;
    setText(lines.Disk.firstChild, d.writable ? rest : `The disk cannot be written! ${rest}`);
    lines.Disk.classList.toggle("bad", !d.writable || d.free_bytes < d.min_free_bytes);
    free.set(d.free_bytes > 0 ? d.min_free_bytes / d.free_bytes : 1, rest);
    setText(lines["Oldest event"], d.oldest ? fullTime(d.oldest) : "none");
    setText(lines.Next, d.next ?? "Nothing needs to be deleted");
    setText(lines.Last, d.last ?? "Nothing has been deleted");
    setText(lines.Folder, d.path);
  };
  return { element, set };
}

function queuePanel() {
  const rows = new Map();
  const list = h("dl");
  const element = h("section", { class: "panel block" }, h("h2", {}, "Queues and connections"), list);
  const words = { writer: "Database and files", mqtt_outbox: "MQTT outbox", webhook: "Webhook" };
  const line = (name) => {
    const text = h("span");
    const bar = meter(words[name] ?? name);
    rows.set(name, { text, bar });
    list.append(h("div", {}, h("dt", {}, words[name] ?? name), h("dd", { class: "number" }, text, bar.bar)));
    return rows.get(name);
  };
  const state = (name, text) => {
    if (!rows.has(name)) {
      const value = h("dd");
      rows.set(name, { value });
      list.append(h("div", {}, h("dt", {}, name), value));
    }
    setText(rows.get(name).value, text);
  };
  const set = (stats) => {
    for (const [name, { length, limit }] of Object.entries(stats.queues)) {
      const { text, bar } = rows.get(name) ?? line(name);
      setText(text, `${length} of ${limit}`);
      bar.set(limit ? length / limit : 0, `${length} of ${limit}`);
    }
    state("MQTT", stats.mqtt ? `${stats.mqtt.connected ? "connected to" : "not connected to"} ${stats.mqtt.host}` : "not configured");
    state("Viewers", String(stats.viewers));
    state("WebRTC", stats.webrtc.available ? `${stats.webrtc.connected} viewers` : `none, the page plays MP4: ${stats.webrtc.reason}`);
    state("Threads, descriptors", `${stats.threads}, ${stats.descriptors}`);
  };
  return { element, set };
}

export function system(root, place, signal) {
  const cpu = tile("CPU", 1);
  const memory = tile("Memory", 3);
  const frames = tile("Frames", 4);
  const latency = tile("Latency", 2);
  const gpu = tile("GPU");
  const up = tile("Running");
  const table = cameraTable();
  const disk = storagePanel();
  const queues = queuePanel();
  const rate = rates();
  const reload = async () => {
    try {
      const { restarted } = await post("api/reload");
      notice(restarted.length ? `Read again; restarted: ${restarted.join(", ")}` : "Read again; nothing had changed");
    } catch (error) {
      failure(error);
    }
  };
  const content = h("div", { class: "system", hidden: true }); // until there is something to show, so that nothing jumps
  root.append(h("div", { class: "view-head" }, h("h1", {}, "System"), h("span", { class: "grow" }),
    store.admin && iconButton("reset", "Read the configuration again", reload, { shown: true })),
    content);
  const personal = h("div", { class: "narrow-only" }, themeButton({ shown: true }), signOutButton({ shown: true }));
  content.append(h("div", { class: "stats" }, [cpu, memory, frames, latency, gpu, up].map((t) => t.element)), table.element, h("div", { class: "blocks" }, disk.element, queues.element), people(signal),
    h("p", { class: "hint foot" }, `Vigil ${store.version.version}, GStreamer ${store.version.gstreamer}. Times are shown in ${zoneName()}. `,
      h("a", { href: "metrics" }, "Metrics"), ", ", h("a", { href: "api/config" }, "configuration"), ", ", h("a", { href: "api/openapi.json" }, "API")), personal);

  let timer = 0;
  const read = async () => {
    try {
      const stats = await get("api/stats", signal);
      const { cpu: load } = rate(stats);
      const sum = stats.cameras.reduce((total, c) => total + c.fps, 0);
      const worst = Math.max(0, ...stats.cameras.map((c) => c.latency_ms));
      const drops = stats.cameras.reduce((total, c) => total + c.drops, 0);
      cpu.set(load === null ? "–" : `${digits(load * 100, 2)} %`, "of one core", load === null ? null : load);
      memory.set(bytes(stats.memory_bytes), "resident", stats.memory_bytes);
      frames.set(`${sum.toFixed(1)}/s`, `${stats.cameras.length} cameras, ${drops} frames dropped`, sum);
      latency.set(delay(worst), "the slowest camera, capture to end of chain", worst);
      gpu.set(stats.gpu ? `${digits(stats.gpu.element_time_us / 1000)} ms` : "None", stats.gpu ? `a frame, on ${stats.gpu.name}` : "the CPU does the work");
      up.set(span(stats.uptime_seconds), `since ${fullTime(stats.time - stats.uptime_seconds)}`);
      table.set(stats.cameras);
      disk.set(stats.storage);
      queues.set(stats);
      content.hidden = false;
    } catch (error) {
      if (error.name === "AbortError") return;
      // The rail says that the connection is lost; the figures stay as they were.
    }
    if (!signal.aborted) timer = setTimeout(read, every);
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  live.watch({ cameras: [] });
  read();
}
