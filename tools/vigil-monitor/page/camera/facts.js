// SPDX-License-Identifier: LGPL-2.1-or-later
// What a camera is, and its switches: the whole of it, its recording, its motion events.
import { cameraPath, patch, remove } from "../app/api.js";
import { h, setText } from "../app/dom.js";
import { failure, notice } from "../app/notice.js";
import { store, titleOf } from "../app/store.js";
import { privacyRows } from "./privacy.js";
import { notAnalysed, stateWords } from "./states.js";
import { number, t } from "../app/text.js";
import { digits, fullTime } from "../app/time.js";

const switches = [
  { name: "enabled", words: t("Camera"), hint: t("Off: no picture, no events."), on: (c) => c.state !== "disabled" },
  { name: "recordings", words: t("Recording"), hint: t("Off: events without clips."), on: (c) => c.record_enabled },
  { name: "motion", words: t("Motion"), hint: t("Off: motion makes no events."), on: (c) => c.motion_enabled, offered: (c) => c.analysed },
  { name: "device_events", words: t("Its own events"), hint: t("On: events of what the camera itself finds, too."), on: (c) => c.device_events.enabled, offered: (c) => Boolean(c.device_events) },
];

export function facts(name, editable) {
  const inputs = switches.map((item) => {
    const input = h("input", { type: "checkbox", id: `switch-${item.name}`, disabled: !store.operator, "aria-describedby": `switch-${item.name}-hint`, onchange: async () => {
      try {
        store.set(await patch(cameraPath(name, "switches"), { [item.name]: input.checked }));
      } catch (error) {
        input.checked = !input.checked;
        failure(error);
      }
    } });
    const hint = h("span", { class: "hint", id: `switch-${item.name}-hint` }, item.hint);
    const row = h("div", { class: "switch-row" }, h("label", { for: `switch-${item.name}` }, item.words), hint, h("span", { class: "switch" }, input, h("span")));
    return { ...item, input, row, said: hint };
  });
  const title = h("input", { type: "text", maxLength: 64, autocomplete: "off", placeholder: name, disabled: !editable, "aria-describedby": "camera-title-hint", id: "camera-title", onchange: async () => {
    try {
      store.set(await patch(cameraPath(name), { title: title.value.trim() }));
      notice(t("This camera is called {title} now", { title: titleOf(name) }));
    } catch (error) {
      title.value = shownTitle();
      failure(error);
    }
  } });
  const shownTitle = () => (titleOf(name) === name ? "" : titleOf(name));
  const privacy = privacyRows(name, editable);
  const words = { source: t("Source"), state: t("State"), stream: t("Recorded stream"), picture: t("Picture"), fps: t("Frames a second"), analysis: t("Analysis"), clips: t("Clips"), covered: t("Privacy"), reconnects: t("Reconnects"), changed: t("Changed here") };
  const rows = Object.fromEntries(Object.keys(words).map((key) => [key, h("dd", { class: "number" })]));
  const back = h("button", { type: "button", class: "button", disabled: true, onclick: async () => {
    try {
      store.set(await remove(cameraPath(name, "overrides")));
      notice(t("This camera is as its configuration says"));
    } catch (error) {
      failure(error);
    }
  } }, t("Take back all changes made here"));
  const element = h("div", { class: "facts-panel" }, h("div", { class: "title-row" }, h("label", { for: "camera-title" }, t("Title")), title, h("span", { class: "hint", id: "camera-title-hint" }, t("Shown in the place of “{name}”, which links, files and topics keep.", { name }))),
    inputs.map((item) => item.row), privacy.rows,
    h("dl", { class: "facts-list" }, Object.entries(rows).map(([key, value]) => h("div", {}, h("dt", {}, words[key]), value))), back);
  const tell = (camera) => {
    if (title !== document.activeElement) title.value = shownTitle();
    for (const { input, row, on, offered } of inputs) {
      row.hidden = offered ? !offered(camera) : false;
      if (!row.hidden) input.checked = on(camera);
    }
    privacy.tell(camera);
    const { said, hint } = inputs.find((item) => item.name === "device_events");
    setText(said, camera.device_events?.reason ?? hint);
    const since = (it) => `${stateWords(it.state)}${it.reason ? `: ${it.reason}` : ""}, ${t("since {time}", { time: fullTime(it.since) })}`;
    setText(rows.source, camera.source);
    setText(rows.state, since(camera));
    const stream = camera.record_stream;
    setText(rows.stream, stream ? `${stream.source}, ${since(stream)}` : t("the same one"));
    setText(rows.picture, camera.width ? t("{size}, live {live}", { size: `${camera.width} × ${camera.height}`, live: `${camera.live.width || "–"} × ${camera.live.height || "–"}` }) : t("none yet"));
    setText(rows.fps, digits(camera.fps));
    setText(rows.analysis, camera.analysed ? t("on") : notAnalysed);
    setText(rows.clips, camera.codec ?? t("none yet"));
    setText(rows.covered, !camera.covered ? t("nothing is covered") : camera.covered.encoder ? t("covered, and encoded by {encoder}", camera.covered) : t("nothing is recorded or shown: there is no encoder"));
    setText(rows.reconnects, number(camera.reconnects));
    setText(rows.changed, camera.overridden.length ? camera.overridden.join(", ") : t("nothing"));
    back.disabled = !editable || !camera.overridden.length;
  };
  return { element, tell };
}
