// SPDX-License-Identifier: LGPL-2.1-or-later
// The list next to the drawing: makes, names, sets and deletes zones, lines and masks, and says what they count now.
import { h, icon, iconButton, setText } from "../app/dom.js";
import { live } from "../app/live.js";
import { store } from "../app/store.js";
import { t } from "../app/text.js";
import { kinds, kindWord } from "./shapes.js";
import { notAnalysed } from "./states.js";

const box = [[0.35, 0.35], [0.65, 0.35], [0.65, 0.65], [0.35, 0.65]];
const longest = 86400; // seconds of loitering: the server allows a day
const firstPoints = { zones: box, masks: box, privacy: box, lines: [[0.3, 0.5], [0.7, 0.5]] };

export function areaList(areas, draw, editable, signal) {
  const counts = new Map(); // "zones/steps" -> words
  const list = h("ul", { class: "area-list" });
  const hint = h("p", { class: "hint area-hint", role: "status" });

  const tools = Object.entries(kinds).map(([kind, { word, icon: name, key, what }]) => {
    const button = h("button", { type: "button", class: "button", title: `${word}: ${what} (${key})`, "aria-keyshortcuts": key, "aria-pressed": "false",
      disabled: !editable, onclick: (event) => {
        // By keyboard there is nothing to draw with: the shape is placed in the middle, and arrow keys move it.
        if (event.detail === 0) place(kind);
        else draw.setTool(draw.tool === kind ? null : kind);
      } }, icon(name), word);
    return { kind, button };
  });
  const place = async (kind) => {
    draw.setTool(null);
    const shape = await areas.add(kind, firstPoints[kind].map((p) => [...p]), kind === "lines" ? { direction: "both" } : {});
    if (shape) draw.element.querySelector(`[data-focus="${kind}/${shape.name}"]`)?.focus();
  };
  const element = h("div", { class: "areas" }, h("div", { class: "area-tools", role: "group", "aria-label": t("Draw") }, tools.map((tool) => tool.button)), hint, list,
    h("datalist", { id: "area-labels" }, Object.keys(areas.camera.labels ?? {}).map((value) => h("option", { value }))));

  const field = (shape) => {
    const name = h("input", { type: "text", value: shape.name, maxLength: 32, spellcheck: "false", disabled: !editable, "aria-label": t("Name of {name}", { name: shape.name }),
      onchange: () => {
        const before = areas.shapes;
        areas.rename(areas.find(shape) ?? shape, name.value.trim());
        if (areas.shapes === before) name.value = shape.name; // it was refused, with a notice that says why
      },
      onfocus: () => areas.select(shape),
      onkeydown: (event) => { if (event.key === "Escape") name.value = shape.name; if (event.key === "Escape" || event.key === "Enter") name.blur(); } });
    return name;
  };
  /** The labels that count; none: everything does. Each is entered alone, since a name may hold any character. */
  const labels = (shape, change) => {
    const now = shape.options.labels ?? [];
    const set = (names) => change({ labels: names }, t("labels of {name}", { name: shape.name }));
    const another = h("input", { type: "text", maxlength: 64, disabled: !editable, placeholder: now.length ? t("Another label") : t("everything"), list: "area-labels",
      "aria-label": t("Only this label counts in {name}", { name: shape.name }), onchange: () => {
        const label = another.value.trim();
        another.value = "";
        if (label && !now.includes(label)) set([...now, label]);
      } });
    return h("span", { class: "area-option area-labels", title: t("Type one label, then press Enter") }, t("Only"),
      now.map((label) => h("span", { class: "label-chip" }, label, editable && h("button", { type: "button", class: "button quiet icon-only",
        "aria-label": t("Take {label} back", { label }), onclick: () => set(now.filter((name) => name !== label)) }, icon("close")))), another);
  };
  const options = (shape) => {
    const change = (more, words) => {
      const now = areas.find(shape);
      if (now) areas.change(now, { ...now, options: { ...now.options, ...more } }, words);
    };
    if (shape.kind === "zones") {
      const seconds = h("input", { type: "number", min: "0", max: String(longest), step: "1", disabled: !editable, value: String(shape.options.loiter_seconds || ""), placeholder: t("off"),
        onchange: () => {
          const before = shape.options.loiter_seconds ?? 0;
          const value = seconds.validity.badInput ? before : Math.min(longest, Math.max(0, Number(seconds.value)));
          seconds.value = String(value || "");
          if (value !== before) change({ loiter_seconds: value }, t("loitering in {name}", { name: shape.name }));
        } });
      return [h("label", { class: "area-option" }, t("Loitering after"), seconds, "s"), labels(shape, change)];
    }
    if (shape.kind === "lines") {
      const words = { both: t("both ways"), in: t("in only"), out: t("out only") };
      const select = h("select", { disabled: !editable, onchange: () => change({ direction: select.value }, t("direction of {name}", { name: shape.name })) },
        Object.entries(words).map(([value, text]) => h("option", { value, selected: (shape.options.direction ?? "both") === value }, text)));
      return [h("label", { class: "area-option" }, t("Counts"), select), labels(shape, change)];
    }
    return h("span", { class: "area-option" }, shape.kind === "masks" ? t("Nothing in it counts as motion") : t("Covered in all pictures from now on; older recordings stay as they are"));
  };
  const row = (shape) => {
    const key = `${shape.kind}/${shape.name}`;
    const { word, icon: name } = kinds[shape.kind];
    const count = h("span", { class: "area-count number", data: { count: key } }, counts.get(key) ?? "");
    return h("li", { class: `area ${shape.kind}`, data: { area: key }, onclick: () => areas.select(shape) }, h("span", { class: "swatch", title: word }, icon(name)),
      field(shape), count, iconButton("trash", t("Delete {kind} {name}", { kind: kindWord(shape.kind), name: shape.name }), (event) => { event.stopPropagation(); areas.drop(areas.find(shape) ?? shape); },
        { class: "button quiet icon-only danger", disabled: !editable }), options(shape));
  };

  let structure = "";
  const fill = () => {
    const next = JSON.stringify(areas.shapes.map(({ kind, name, options: o }) => [kind, name, o]));
    if (next !== structure) {
      structure = next;
      const focus = list.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
      list.replaceChildren(...areas.shapes.map(row));
      if (focus) list.querySelector(`[aria-label="${CSS.escape(focus)}"]`)?.focus();
    }
    for (const item of list.children) {
      item.classList.toggle("chosen", areas.selected !== null && item.dataset.area === `${areas.selected.kind}/${areas.selected.name}`);
    }
    for (const { kind, button } of tools) button.setAttribute("aria-pressed", String(draw.tool === kind));
    const idle = areas.camera.analysed ? "" : `${notAnalysed} ${t("Private parts alone have an effect.")} `;
    setText(hint, idle + (draw.tool === "lines" ? t("Press where the line begins, and where it ends. Esc stops.")
      : draw.tool ? t("Press each corner, then the first one again or Enter; or drag a rectangle. Esc stops.")
        : !areas.shapes.length ? (editable ? t("Nothing is drawn yet. A zone reports what enters it, a line what crosses it, a mask hides what always moves.") : t("Nothing is drawn on this camera."))
          : editable ? t("Drag a shape, a corner or the middle of a side. Arrow keys move what has the focus.") : ""));
  };
  for (const name of ["change", "select"]) areas.addEventListener(name, fill, { signal });
  draw.addEventListener("tool", fill);
  draw.addEventListener("drawn", ({ detail }) => {
    const name = list.querySelector(`[data-area="${detail.kind}/${detail.name}"] input`);
    name?.focus();
    name?.select();
  });
  const inside = (n) => t("{n} now", { n });
  const crossed = (line) => [t("{in} in, {out} out", { in: line.in, out: line.out }), ...Object.entries(line.labels ?? {}).map(([label, of]) => `${label} ${of.in}/${of.out}`)].join("; ");
  const say = (key, words) => {
    counts.set(key, words);
    const output = list.querySelector(`[data-count="${CSS.escape(key)}"]`);
    if (output) setText(output, words);
  };
  const sayAll = ({ zones, lines }) => {
    for (const [name, count] of Object.entries(zones)) say(`zones/${name}`, inside(count));
    for (const [name, line] of Object.entries(lines)) say(`lines/${name}`, crossed(line));
  };
  live.addEventListener("count", ({ detail }) => { if (detail.camera === areas.camera.name) say(`zones/${detail.zone}`, inside(detail.count)); }, { signal });
  live.addEventListener("line", ({ detail }) => { if (detail.camera === areas.camera.name) say(`lines/${detail.line}`, crossed(detail)); }, { signal });
  store.addEventListener("camera", ({ detail }) => { if (detail.name === areas.camera.name) sayAll(detail.counts); }, { signal });
  fill();
  sayAll(areas.camera.counts);
  return { element, start: (kind) => editable && draw.setTool(kind) };
}
