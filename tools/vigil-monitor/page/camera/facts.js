// SPDX-License-Identifier: LGPL-2.1-or-later
// What a camera is, and its switches: the whole of it, its recording, its motion events.
import { cameraPath, patch, remove } from "../app/api.js";
import { h, setText } from "../app/dom.js";
import { failure, notice } from "../app/notice.js";
import { store } from "../app/store.js";
import { digits, fullTime } from "../app/time.js";

const switches = [
  { name: "enabled", words: "Camera", hint: "Off: no picture, no events.", on: (c) => c.state !== "disabled" },
  { name: "recordings", words: "Recording", hint: "Off: events without clips.", on: (c) => c.record_enabled },
  { name: "motion", words: "Motion", hint: "Off: motion makes no events.", on: (c) => c.motion_enabled },
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
    return { ...item, input };
  });
  const rows = Object.fromEntries(["Source", "State", "Picture", "Frames a second", "Clips", "Reconnects", "Changed here"].map((words) => [words, h("dd", { class: "number" })]));
  const back = h("button", { type: "button", class: "button", disabled: true, onclick: async () => {
    try {
      store.set(await remove(cameraPath(name, "overrides")));
      notice("This camera is as its configuration says");
    } catch (error) {
      failure(error);
    }
  } }, "Take back all changes made here");
  const element = h("div", { class: "facts-panel" }, inputs.map(({ name: key, words, hint, input }) => h("div", { class: "switch-row" },
    h("label", { for: `switch-${key}` }, words), h("span", { class: "hint", id: `switch-${key}-hint` }, hint), h("span", { class: "switch" }, input, h("span")))),
    h("dl", { class: "facts-list" }, Object.entries(rows).map(([words, value]) => h("div", {}, h("dt", {}, words), value))), back);
  const tell = (camera) => {
    for (const { input, on } of inputs) input.checked = on(camera);
    setText(rows.Source, camera.source);
    setText(rows.State, `${camera.state}${camera.reason ? `: ${camera.reason}` : ""}, since ${fullTime(camera.since)}`);
    setText(rows.Picture, camera.width ? `${camera.width} × ${camera.height}, live ${camera.live.width || "–"} × ${camera.live.height || "–"}` : "none yet");
    setText(rows["Frames a second"], digits(camera.fps));
    setText(rows.Clips, camera.codec ?? "none yet");
    setText(rows.Reconnects, String(camera.reconnects));
    setText(rows["Changed here"], camera.overridden.length ? camera.overridden.join(", ") : "nothing");
    back.disabled = !editable || !camera.overridden.length;
  };
  return { element, tell };
}
