// SPDX-License-Identifier: LGPL-2.1-or-later
// Every property of every element of one camera's chain. A change is sent while a control is dragged, one request at a time
// with the newest value; letting go makes it a step that can be taken back.
import { cameraPath, get, patch } from "../app/api.js";
import { h, icon, iconButton, setText } from "../app/dom.js";
import { live } from "../app/live.js";
import { failure, notice } from "../app/notice.js";
import { store } from "../app/store.js";
import { t } from "../app/text.js";
import { Control, valueWords } from "./control.js";
import { configuration, presetFile, showText } from "./export.js";
import { notAnalysed } from "./states.js";

export function controls(camera, history, editable, signal) {
  const found = h("p", { class: "hint", hidden: true, role: "status" });
  const list = h("div", { class: "elements" });
  const search = h("input", { type: "search", placeholder: t("Find a property"), "aria-label": t("Find a property") });
  const only = h("input", { type: "checkbox" });
  const element = h("div", { class: "controls" }, h("div", { class: "controls-head" },
    h("label", { class: "search" }, icon("search"), search), h("label", { class: "tick" }, only, t("Changed only"))), found, list);
  let parts = []; // {element, controls: Map, box}
  let launch = "";

  const path = (name) => cameraPath(camera, "elements", name);
  const tell = (changed) => {
    const part = parts.find((p) => p.element.name === changed.name);
    if (!part) return;
    part.element = changed;
    for (const property of changed.properties) part.controls.get(property.name)?.show(property);
    const count = changed.properties.filter((p) => p.overridden).length;
    setText(part.count, count ? t("{n} changed", { n: count }) : "");
    part.back.disabled = !editable || !count;
  };
  const set = async (name, values) => tell(await patch(path(name), values));

  // One request at a time for each element: what is dragged meanwhile is sent when the answer has come, newest value only.
  const sending = new Map();
  const send = async (name, values) => {
    const state = sending.get(name) ?? { next: null, busy: null };
    sending.set(name, state);
    state.next = { ...state.next, ...values };
    state.busy ??= (async () => {
      try {
        while (state.next) {
          const now = state.next;
          state.next = null;
          await set(name, now);
        }
      } finally {
        state.busy = null;
      }
    })();
    return state.busy;
  };

  const starts = new Map(); // control -> what it was before it was dragged
  const onvalue = async (name, control, value, last) => {
    if (!starts.has(control)) starts.set(control, { value: control.property.value, overridden: control.property.overridden });
    const { property } = control;
    try {
      await send(name, { [property.name]: value });
      if (!last) return;
      const before = starts.get(control);
      starts.delete(control);
      if (before && before.value !== value) {
        history.add({ words: `${property.name} ${valueWords(property, value)}`,
          undo: () => set(name, { [property.name]: before.overridden ? before.value : null }), redo: () => set(name, { [property.name]: value }) });
      }
    } catch (error) {
      starts.delete(control);
      control.held = false;
      control.show(control.property);
      failure(error);
    }
  };

  /** Takes overridden properties back to what the configuration, or the element, says. */
  const back = async (name, properties, words) => {
    const before = Object.fromEntries(properties.map((p) => [p.name, p.value]));
    const none = Object.fromEntries(properties.map((p) => [p.name, null]));
    if (!properties.length) return;
    try {
      await set(name, none);
      history.add({ words, undo: () => set(name, before), redo: () => set(name, none) });
      notice(t("{what}: done", { what: words }), { action: t("Undo"), onaction: () => history.undo().catch(failure) });
    } catch (error) {
      failure(error);
    }
  };

  const part = (description) => {
    const made = { element: description, controls: new Map(), count: h("span", { class: "badge" }) };
    const { name, factory } = description;
    const overridden = () => made.element.properties.filter((p) => p.overridden);
    made.back = iconButton("reset", t("{element}: as default", { element: factory }), () => back(name, overridden(), t("{element} as default", { element: factory })), { class: "button quiet icon-only" });
    const actions = h("div", { class: "element-actions" }, made.count, made.back,
      iconButton("download", t("{element}: as a preset file", { element: factory }), () => showText(t("{element} as a preset file", { element: factory }),
        t("Save it into a folder of GST_PRESET_PATH; then @preset=NAME in gst-launch-1.0, or gst_preset_load_preset()."),
        presetFile(made.element, camera), `${made.element.gtype ?? factory}.prs`), { class: "button quiet icon-only" }));
    for (const property of description.properties) {
      made.controls.set(property.name, new Control(description, property, { editable,
        onvalue: (control, value, last) => onvalue(name, control, value, last),
        onreset: (control) => back(name, [control.property], t("{element} as default", { element: control.property.name })) }));
    }
    made.box = h("details", { class: "element", open: true, data: { element: factory } },
      h("summary", {}, h("span", { class: "element-name" }, h("strong", {}, name), h("span", { class: "hint" }, description.description))),
      actions, h("div", { class: "element-controls" }, [...made.controls.values()].map((c) => c.element)));
    return made;
  };

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const p of parts) {
      let here = 0;
      for (const control of p.controls.values()) {
        const visible = control.matches(words) && (!only.checked || control.changed);
        control.element.hidden = !visible;
        if (visible) here++;
      }
      p.box.hidden = here === 0;
      if (here && words.length) p.box.open = true;
      count += here;
    }
    found.hidden = count > 0;
    setText(found, only.checked && !words.length ? t("Nothing differs from the configuration.") : t("No property has these words in its name or description."));
  };
  search.addEventListener("input", filter);
  only.addEventListener("change", filter);

  // The elements are there while the camera is connected, and are asked for once it is.
  let asked = false;
  const load = () => {
    const about = store.cameras.get(camera);
    if (asked || about?.state !== "online" || !about.analysed) return;
    asked = true;
    get(cameraPath(camera, "elements"), signal).then(fill).catch((error) => { asked = false; failure(error); });
  };
  const fill = (answer) => {
    launch = answer.launch;
    parts = answer.elements.map(part);
    // The elements that watch come first; the source and what lies around them are folded.
    parts.sort((a, b) => Number(/src$|source/.test(a.element.factory)) - Number(/src$|source/.test(b.element.factory)));
    parts.slice(1).forEach((p) => { p.box.open = false; });
    list.replaceChildren(...parts.map((p) => p.box));
    parts.forEach((p) => tell(p.element));
    foot.hidden = false;
  };
  store.addEventListener("camera", ({ detail }) => { if (detail.name === camera) load(); }, { signal });
  live.addEventListener("elements", ({ detail }) => { if (detail.camera === camera) tell(detail.element); }, { signal });

  const showLaunch = async () => {
    const answer = await get(cameraPath(camera, "elements"), signal).catch(failure);
    if (answer) showText(t("gst-launch line"), t("The chain of this camera, with what differs from the defaults."), `gst-launch-1.0 ${(answer.launch || launch).replace(/^gst-launch-1\.0 /, "")}`);
  };
  const foot = h("div", { class: "controls-foot" }, iconButton("terminal", t("As gst-launch line"), showLaunch, { shown: true }),
    iconButton("copy", t("As configuration"), () => showText(t("Configuration"), t("For the file that vigil-monitor reads with --config; then preset: NAME in a camera."),
      configuration(parts.map((p) => p.element), camera), `${camera}.yaml`), { shown: true }));
  foot.hidden = true;
  list.append(h("p", { class: "hint" }, store.cameras.get(camera)?.analysed === false ? notAnalysed : t("The camera is not connected. The properties of its elements are shown when it is.")));
  element.append(foot);
  load();
  return { element, focusSearch: () => search.focus() };
}
