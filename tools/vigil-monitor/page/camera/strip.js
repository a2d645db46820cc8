// SPDX-License-Identifier: LGPL-2.1-or-later
// "What changed" over the last minutes: one line for each measure, all over the same time. Pointing at a moment shows its values.
import { cameraPath, get } from "../app/api.js";
import { h, s, setText } from "../app/dom.js";
import { live } from "../app/live.js";
import { now, percent, digits, timeOfDay } from "../app/time.js";

const minutes = 10;
const wide = 600; // units across: one a second
const tall = 34;

const measures = [
  { words: "Changed", unit: percent, of: (x) => x.changed_fraction, least: 0.01, fill: true, color: 1 },
  { words: "Exposure gain", unit: (v) => `× ${digits(v)}`, of: (x) => x.gain, least: 0.2, middle: 1, color: 2 },
  { words: "Shift", unit: (v) => `${digits(v, 2)} px`, of: (x) => x.shift && Math.hypot(x.shift.x, x.shift.y), least: 1, color: 3 },
];

/** Scale of one measure: from 0, or around its middle. */
function scale(values, { least, middle }) {
  const most = Math.max(least, ...values.map((v) => Math.abs(v - (middle ?? 0))));
  return middle === undefined ? (v) => tall - 2 - ((tall - 4) * v) / most : (v) => tall / 2 - ((tall / 2 - 2) * (v - middle)) / most;
}

export function strip(camera, signal) {
  let samples = [];
  let pointed = null; // share of the width, while somebody points
  const rows = h("div", { class: "strip-rows" });
  const when = h("span", { class: "hint number" });
  const element = h("section", { class: "strip panel", "aria-label": "What changed in the last ten minutes" },
    h("header", {}, h("h2", {}, "What changed"), when), rows);
  const made = new Map();

  const row = (measure) => {
    const line = s("path", { class: measure.fill ? "series fill" : "series" });
    const svg = s("svg", { viewBox: `0 0 ${wide} ${tall}`, preserveAspectRatio: "none", "aria-hidden": "true", class: `color-${measure.color}` }, line);
    const value = h("output", { class: "number" });
    const cursor = h("span", { class: "cursor", hidden: true });
    const box = h("div", { class: "strip-row" }, h("span", { class: "strip-name" }, measure.words), value, h("div", { class: "strip-plot" }, svg, cursor));
    const at = { measure, box, line, value, cursor };
    made.set(measure.words, at);
    // The order is that of the measures, scores last, whenever each comes.
    rows.append(box);
    return at;
  };

  const series = () => {
    const scores = [...new Set(samples.slice(-60).flatMap((x) => Object.keys(x.scores ?? {})))].slice(0, 4);
    return [...measures.filter((m) => samples.some((x) => m.of(x) !== null && m.of(x) !== undefined)),
      ...scores.map((name, i) => ({ words: `Score: ${name}`, unit: (v) => digits(v, 2), of: (x) => x.scores?.[name], least: 1, color: 1 + ((i + 3) % 4) }))];
  };

  const draw = () => {
    const end = now() + live.clockOffset;
    const start = end - minutes * 60;
    const wanted = pointed === null ? end : start + pointed * minutes * 60;
    setText(when, pointed === null ? "last 10 minutes" : timeOfDay(wanted));
    const nearest = samples.reduce((best, x) => (Math.abs(x.time - wanted) < Math.abs((best?.time ?? -1e12) - wanted) ? x : best), null);
    const shown = nearest && Math.abs(nearest.time - wanted) < 5 ? nearest : null;
    for (const measure of series()) {
      const { line, value, cursor } = made.get(measure.words) ?? row(measure);
      const points = samples.map((x) => [((x.time - start) / (minutes * 60)) * wide, measure.of(x)]).filter(([, v]) => v !== null && v !== undefined);
      const y = scale(points.map(([, v]) => v), measure);
      let d = "";
      points.forEach(([x, v], i) => { d += `${i && x - points[i - 1][0] < 6 ? "L" : "M"}${x.toFixed(1)},${y(v).toFixed(1)}`; });
      if (measure.fill && points.length) d += `L${points.at(-1)[0].toFixed(1)},${tall}L${points[0][0].toFixed(1)},${tall}Z`;
      line.setAttribute("d", d);
      const v = shown && measure.of(shown);
      setText(value, v === null || v === undefined ? "–" : measure.unit(v));
      cursor.hidden = pointed === null;
      cursor.style.left = `${(pointed ?? 0) * 100}%`;
    }
  };

  rows.addEventListener("pointermove", (event) => {
    const box = rows.querySelector(".strip-plot")?.getBoundingClientRect();
    if (!box) return;
    const share = (event.clientX - box.left) / box.width;
    pointed = share >= 0 && share <= 1 ? share : null;
    draw();
  });
  rows.addEventListener("pointerleave", () => { pointed = null; draw(); });
  live.addEventListener("sample", ({ detail }) => {
    if (detail.camera !== camera) return;
    const least = detail.sample.time - minutes * 60;
    samples = [...samples.filter((x) => x.time >= least), detail.sample];
    if (!document.hidden) draw();
  }, { signal });
  measures.slice(0, 1).forEach(row);
  get(cameraPath(camera, "activity"), signal).then((answer) => {
    samples = [...answer.samples, ...samples.filter((x) => x.time > (answer.samples.at(-1)?.time ?? 0))];
    draw();
  }).catch(() => {});
  return element;
}
