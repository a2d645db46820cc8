// SPDX-License-Identifier: LGPL-2.1-or-later
// How the program does: load, cameras, queues, disk, and what retention will do next.
import { get, post } from "../app/api.js";
import { h, iconButton, setText } from "../app/dom.js";
import { live } from "../app/live.js";
import { failure, notice } from "../app/notice.js";
import { languageField, signOutButton, themeButton } from "../app/personal.js";
import { address } from "../app/router.js";
import { store, titleOf } from "../app/store.js";
import { number, t, tn } from "../app/text.js";
import { bytes, digits, fixed, fullTime, percent, span, zoneName } from "../app/time.js";
import { detectorPanel } from "./detectors.js";
import { devices } from "./devices.js";
import { stateWords } from "../camera/states.js";
import { people } from "./people.js";
import { setup } from "./setup.js";
import { Spark } from "./spark.js";

const every = 2000; // ms
const delay = (ms) => (ms < 10000 ? t("{n} ms", { n: digits(ms) }) : span(ms / 1000));

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
  const table = h("div", { class: "table-room panel", tabindex: "0", role: "region", "aria-label": t("Cameras") }, h("table", {}, h("caption", { class: "unseen" }, t("Cameras")), h("thead", {}, h("tr", {},
    [t("Camera"), t("State"), t("Frames/s"), t("Latency"), t("Dropped"), t("Reconnects"), t("Recorder holds"), t("Time per frame")].map((words) => h("th", { scope: "col" }, words)))), body));
  const make = (name) => {
    const cells = Array.from({ length: 7 }, () => h("td", { class: "number" }));
    const spark = new Spark(1, `frames of ${titleOf(name)}`);
    const fps = h("span");
    cells[1].append(fps, spark.element);
    const link = h("a", { href: address("camera", [name]) });
    const added = h("span", { class: "badge", hidden: true }, t("added here"));
    const row = { cells, fps, spark, link, added, element: h("tr", {}, h("th", { scope: "row" }, link, added), cells) };
    rows.set(name, row);
    body.append(row.element);
    return row;
  };
  const set = (list) => {
    for (const c of list) {
      const { cells, fps, spark, link, added } = rows.get(c.name) ?? make(c.name);
      setText(link, titleOf(c.name));
      added.hidden = !store.cameras.get(c.name)?.added;
      const state = store.cameras.get(c.name)?.state ?? "";
      cells[0].dataset.state = state;
      setText(cells[0], state ? stateWords(state) : "");
      setText(fps, fixed(c.fps, 1));
      spark.add(c.fps);
      const work = Object.entries(c.element_time_us);
      const texts = [c.latency_ms ? delay(c.latency_ms) : "–", number(c.drops), number(c.reconnects), bytes(c.record_queue_bytes),
        !c.analysed ? t("not analysed, {n} decoded", { n: number(c.decoded) }) : work.length ? work.map(([name, us]) => `${name} ${t("{n} ms", { n: digits(us / 1000) })}`).join(", ") : "–"];
      texts.forEach((text, i) => setText(cells[i + 2], text));
    }
    for (const [name, row] of rows) if (!list.some((c) => c.name === name)) { row.element.remove(); rows.delete(name); }
  };
  return { element: table, set };
}

function storagePanel() {
  const used = meter(t("Clips and recordings, of what they may use"));
  const free = meter(t("Disk in use, of what may be used"));
  const rows = { clips: t("Clips"), disk: t("Disk"), oldest: t("Oldest event"), next: t("Next"), last: t("Last"), folder: t("Folder") };
  const lines = Object.fromEntries(Object.keys(rows).map((key) => [key, h("dd", { class: "number" })]));
  lines.clips.append(h("span"), used.bar);
  lines.disk.append(h("span"), free.bar);
  const element = h("section", { class: "panel block" }, h("h2", {}, t("Disk")), h("dl", {}, Object.entries(lines).map(([key, value]) => h("div", {}, h("dt", {}, rows[key]), value))));
  const set = (d) => {
    const cold = d.cold?.recordings_bytes ?? 0;
    const kept = d.clips_bytes + d.recordings_bytes - cold;
    const room = d.max_bytes || kept + Math.max(0, d.free_bytes - d.min_free_bytes);
    const count = d.recordings_bytes ? tn("1 clip and recordings", "{n} clips and recordings", d.clips) : tn("1 clip", "{n} clips", d.clips);
    const clips = `${count}, ${d.max_bytes ? t("{part} of {whole}", { part: bytes(kept), whole: bytes(d.max_bytes) }) : t("{bytes}, no limit", { bytes: bytes(kept) })}`;
    setText(lines.clips.firstChild, clips);
    used.set(room ? kept / room : 0, clips);
    const rest = t("{free} free, {least} stay free", { free: bytes(d.free_bytes), least: bytes(d.min_free_bytes) });
    setText(lines.disk.firstChild, d.writable ? rest : `${t("The disk cannot be written!")} ${rest}`);
    lines.disk.classList.toggle("bad", !d.writable || d.free_bytes < d.min_free_bytes);
    free.set(d.free_bytes > 0 ? d.min_free_bytes / d.free_bytes : 1, rest);
    setText(lines.oldest, d.oldest ? fullTime(d.oldest) : t("none"));
    setText(lines.next, d.next ?? t("Nothing needs to be deleted"));
    setText(lines.last, d.last ?? t("Nothing has been deleted"));
    setText(lines.folder, d.path);
  };
  return { element, set };
}

/** Where other programs find the cameras. All addresses of the server are also the one of this page. */
function rtspAddress({ address, port, tls }) {
  const host = address === "0.0.0.0" || address === "::" ? location.hostname : address;
  return `${tls ? "rtsps" : "rtsp"}://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}/${t("CAMERA")}`;
}

function queuePanel() {
  const rows = new Map();
  const list = h("dl");
  const element = h("section", { class: "panel block" }, h("h2", {}, t("Queues and connections")), list);
  const words = { writer: t("Database and files"), mqtt_outbox: t("MQTT outbox"), webhook: t("Webhook") };
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
      const full = t("{part} of {whole}", { part: number(length), whole: number(limit) });
      setText(text, full);
      bar.set(limit ? length / limit : 0, full);
    }
    state("MQTT", stats.mqtt ? t(stats.mqtt.connected ? "connected to {host}" : "not connected to {host}", { host: stats.mqtt.host }) : t("not configured"));
    state("RTSP", stats.rtsp ? `${rtspAddress(stats.rtsp)}, ${t("{part} of {whole} connections", { part: number(stats.rtsp.clients), whole: number(stats.rtsp.limit) })}` : t("not configured"));
    const covered = [...store.cameras.values()].filter((c) => c.covered);
    state(t("Covered cameras"), covered.length ? t("{cameras}; {encoder} encodes them", { cameras: covered.map((c) => titleOf(c.name)).join(", "), encoder: covered[0].covered.encoder ?? t("nothing") }) : t("none"));
    state(t("Viewers"), String(stats.viewers));
    state("WebRTC", stats.webrtc.available ? String(stats.webrtc.connected) : t("none, the page plays MP4: {reason}", { reason: stats.webrtc.reason }));
    state(t("Threads, descriptors"), `${stats.threads}, ${stats.descriptors}`);
  };
  return { element, set };
}

export function system(root, place, signal) {
  const cpu = tile("CPU", 1);
  const memory = tile(t("Memory"), 3);
  const frames = tile(t("Frames"), 4);
  const latency = tile(t("Latency"), 2);
  const gpu = tile("GPU");
  const up = tile(t("Running"));
  const table = cameraTable();
  const disk = storagePanel();
  const queues = queuePanel();
  const detectors = detectorPanel();
  const rate = rates();
  const reload = async () => {
    try {
      const { restarted } = await post("api/reload");
      notice(restarted.length ? t("Read again; restarted: {cameras}", { cameras: restarted.map(titleOf).join(", ") }) : t("Read again; nothing had changed"));
    } catch (error) {
      failure(error);
    }
  };
  const content = h("div", { class: "system", hidden: true }); // until there is something to show, so that nothing jumps
  root.append(h("div", { class: "view-head" }, h("h1", {}, t("System")), h("span", { class: "grow" }),
    store.admin && iconButton("reset", t("Read the configuration again"), reload, { shown: true })),
    content);
  const personal = h("div", { class: "narrow-only" }, themeButton({ shown: true }), signOutButton({ shown: true }));
  content.append(h("div", { class: "stats" }, [cpu, memory, frames, latency, gpu, up].map((t) => t.element)), table.element, h("div", { class: "blocks" }, disk.element, queues.element, detectors.element), people(signal), h("div", { class: "blocks people" }, devices(signal), store.admin && setup(signal)),
    h("p", { class: "hint foot" }, t("Vigil {version}, GStreamer {gstreamer}. Times are shown in {zone}. ", { version: store.version.version, gstreamer: store.version.gstreamer, zone: zoneName() }),
      h("a", { href: "metrics" }, t("Metrics")), ", ", h("a", { href: "api/config" }, t("Configuration")), ", ", h("a", { href: "api/openapi.json" }, "API")), h("div", { class: "personal" }, languageField(), personal));

  let timer = 0;
  const read = async () => {
    try {
      const stats = await get("api/stats", signal);
      const { cpu: load } = rate(stats);
      const sum = stats.cameras.reduce((total, c) => total + c.fps, 0);
      const worst = Math.max(0, ...stats.cameras.map((c) => c.latency_ms));
      const drops = stats.cameras.reduce((total, c) => total + c.drops, 0);
      cpu.set(load === null ? "–" : percent(load), t("of one core"), load === null ? null : load);
      memory.set(bytes(stats.memory_bytes), t("resident"), stats.memory_bytes);
      frames.set(`${fixed(sum, 1)}/s`, `${tn("1 camera", "{n} cameras", stats.cameras.length)}, ${tn("1 frame dropped", "{n} frames dropped", drops)}`, sum);
      latency.set(delay(worst), t("the slowest camera, capture to end of chain"), worst);
      gpu.set(stats.gpu ? t("{n} ms", { n: digits(stats.gpu.element_time_us / 1000) }) : t("None"), stats.gpu ? t("a frame, on {gpu}", { gpu: stats.gpu.name }) : t("the CPU does the work"));
      up.set(span(stats.uptime_seconds), t("since {time}", { time: fullTime(stats.time - stats.uptime_seconds) }));
      table.set(stats.cameras);
      disk.set(stats.storage);
      queues.set(stats);
      detectors.set(stats.detectors);
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
