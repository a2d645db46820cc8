// SPDX-License-Identifier: LGPL-2.1-or-later
// "What changed" over the last minutes: one line for each measure, all over the same time. Pointing at a moment shows its values.
import { cameraPath, get } from "../app/api.js";
import { h, s, setText } from "../app/dom.js";
import { live } from "../app/live.js";
import { t } from "../app/text.js";
import { digits, fixed, now, percent, timeOfDay } from "../app/time.js";

const minutes = 10;
const wide = 600; // units across: one a second
const tall = 34;

// `of` gives the lines of a sample: {name: value}.
const one = (value) => (value === null || value === undefined ? {} : { "": value });
const measures = [
  { words: t("Changed"), unit: percent, of: (x) => one(x.changed_fraction), least: 0.01, fill: true, color: 0, none: t("No frame has been measured yet") },
  { words: t("Exposure"), unit: (v) => `× ${fixed(v, 2)}`, of: (x) => one(x.gain), least: 0.2, middle: 1, color: 1, none: t("Not reported") },
  { words: t("Displacement"), unit: (v) => t("{n} px", { n: digits(v, 2) }), of: (x) => one(x.shift && Math.hypot(x.shift.x, x.shift.y)), least: 1, color: 2, none: t("No shift found") },
  { words: t("Scores"), unit: (v, name) => `${name} ${digits(v, 2)}`, of: (x) => x.scores ?? {}, least: 1, color: 3, none: t("No gpufisher here") },
];
const mostLines = 4;

/** Scale of one measure: from 0, or around its middle. */
function scale(values, { least, middle }) {
  const most = Math.max(least, ...values.map((v) => Math.abs(v - (middle ?? 0))));
  return middle === undefined ? (v) => tall - 2 - ((tall - 4) * v) / most : (v) => tall / 2 - ((tall / 2 - 2) * (v - middle)) / most;
}

export function strip(camera, signal) {
  let samples = [];
  let asked = false; // whether the past has been asked for
  let pointed = null; // share of the width, while somebody points
  const rows = h("div", { class: "strip-rows" });
  const when = h("span", { class: "hint number" });
  const element = h("section", { class: "strip panel", "aria-label": t("What changed in the last ten minutes") },
    h("header", {}, h("h2", {}, t("What changed")), when), rows);

  // The rows stand from the beginning, with or without values, so that nothing moves when the first ones come.
  const made = measures.map((measure) => {
    const svg = s("svg", { viewBox: `0 0 ${wide} ${tall}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    const row = { measure, svg, lines: new Map(), value: h("output", { class: "number" }), cursor: h("span", { class: "cursor", hidden: true }),
      none: h("span", { class: "hint strip-none" }) };
    rows.append(h("div", { class: "strip-row" }, h("span", { class: "strip-name" }, measure.words), row.value, h("div", { class: "strip-plot" }, svg, row.none, row.cursor)));
    return row;
  });
  const lineOf = ({ lines, svg, measure }, name) => {
    if (!lines.has(name)) {
      const line = s("path", { class: `series color-${1 + ((measure.color + lines.size) % 4)}${measure.fill ? " fill" : ""}` });
      lines.set(name, line);
      svg.append(line);
    }
    return lines.get(name);
  };

  const draw = () => {
    const end = now() + live.clockOffset;
    const start = end - minutes * 60;
    const wanted = pointed === null ? end : start + pointed * minutes * 60;
    setText(when, pointed === null ? t("last 10 minutes") : timeOfDay(wanted));
    const nearest = samples.reduce((best, x) => (Math.abs(x.time - wanted) < Math.abs((best?.time ?? -1e12) - wanted) ? x : best), null);
    const shown = nearest && Math.abs(nearest.time - wanted) < 5 ? nearest : null;
    for (const row of made) {
      const { measure, value, cursor, none } = row;
      const series = new Map();
      for (const x of samples) {
        for (const [name, v] of Object.entries(measure.of(x)).slice(0, mostLines)) {
          if (!series.has(name)) series.set(name, []);
          series.get(name).push([((x.time - start) / (minutes * 60)) * wide, v]);
        }
      }
      const y = scale([...series.values()].flat().map(([, v]) => v), measure);
      for (const [name, points] of series) {
        let d = "";
        points.forEach(([x, v], i) => { d += `${i && x - points[i - 1][0] < 6 ? "L" : "M"}${x.toFixed(1)},${y(v).toFixed(1)}`; });
        if (measure.fill) d += `L${points.at(-1)[0].toFixed(1)},${tall}L${points[0][0].toFixed(1)},${tall}Z`;
        lineOf(row, name).setAttribute("d", d);
      }
      const [name, v] = Object.entries(shown ? measure.of(shown) : {}).reduce((best, each) => (each[1] > (best[1] ?? -Infinity) ? each : best), []);
      setText(value, v === undefined ? "–" : measure.unit(v, name));
      setText(none, asked && !series.size ? measure.none : "");
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
  get(cameraPath(camera, "activity"), signal).then((answer) => {
    asked = true;
    samples = [...answer.samples, ...samples.filter((x) => x.time > (answer.samples.at(-1)?.time ?? 0))];
    draw();
  }).catch(() => {});
  return element;
}
