// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages to browsers and phones: this one's, with what for and when, and the list of all devices, which can be ended.
import { get, patch, post, remove } from "../app/api.js";
import { h, iconButton, setText } from "../app/dom.js";
import { failure, notice } from "../app/notice.js";
import { devicePath, ownDevice, subscribe, unsubscribe, whyNot } from "../app/push.js";
import { store, titleOf } from "../app/store.js";
import { language, locale, t } from "../app/text.js";
import { fullTime, zoneName } from "../app/time.js";
import { labelWords } from "../events/words.js";

const weekday = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
const dayWords = (day) => weekday.format(Date.UTC(2024, 0, day)); // the first of January 2024 was a Monday

/** Buttons of which several can be pressed; none pressed means all. */
function chips(legend, options, pressed, onchange) {
  const now = new Set(pressed);
  const buttons = options.map(([value, words]) => {
    const button = h("button", { type: "button", class: "button", "aria-pressed": String(now.has(value)), onclick: () => {
      if (!now.delete(value)) now.add(value);
      button.setAttribute("aria-pressed", String(now.has(value)));
      onchange([...now]);
    } }, words);
    return button;
  });
  return h("div", { class: "chips", role: "group", "aria-label": legend }, buttons);
}

/** What the cameras that may be seen know of: names of zones, or labels. */
const known = (kind) => [...store.cameras.values()].flatMap((camera) => Object.keys(camera[kind] ?? {}));

const row = (words, hint, control) => h("div", { class: "device-row" }, h("div", {}, h("strong", {}, words), h("p", { class: "hint" }, hint)), control);

function settings(device, save) {
  const change = (more) => save({ ...more, language, time_zone: zoneName() });
  const time = (words, value) => h("input", { type: "time", "aria-label": words, value });
  const [from, to] = (device.quiet_hours ?? "-").split("-");
  const begin = time(t("Quiet from"), from);
  const end = time(t("Quiet until"), to);
  const quiet = () => {
    if (begin.value && end.value && begin.value !== end.value) change({ quiet_hours: `${begin.value}-${end.value}` });
    else if (!begin.value && !end.value) change({ quiet_hours: null });
  };
  for (const field of [begin, end]) field.addEventListener("change", quiet);
  const most = 1440; // minutes of a day
  const pause = h("input", { type: "number", min: "0", max: String(most), step: "1", value: String(Math.round(device.min_interval / 60)), "aria-label": t("Minutes between two messages"), onchange: () => {
    const minutes = Math.min(most, Math.max(0, Number(pause.value) || 0));
    pause.value = String(minutes);
    change({ min_interval: 60 * minutes });
  } });
  const cameras = new Set([...store.cameras.keys(), ...device.cameras]);
  const labels = new Set([...Object.keys(globalThis.labelTexts), ...known("labels"), ...device.labels]);
  const zones = new Set([...known("zones"), ...device.zones]);
  return h("div", { class: "device-settings" },
    row(t("Cameras"), t("None pressed: all that you may see"), chips(t("Cameras"), [...cameras].map((name) => [name, titleOf(name)]), device.cameras, (list) => change({ cameras: list }))),
    row(t("Kinds of events"), t("None pressed: all"), chips(t("Kinds of events"), [...labels].map((label) => [label, labelWords(label)]), device.labels, (list) => change({ labels: list }))),
    zones.size > 0 && row(t("Zones"), t("None pressed: everywhere"), chips(t("Zones"), [...zones].map((name) => [name, name]), device.zones, (list) => change({ zones: list }))),
    row(t("Days"), t("None pressed: every day"), chips(t("Days"), [1, 2, 3, 4, 5, 6, 7].map((day) => [day, dayWords(day)]), device.days, (list) => change({ days: list }))),
    row(t("Quiet hours"), t("No messages then, by this device's clock. Both empty: none"), h("div", { class: "chips" }, begin, "–", end)),
    row(t("Minutes between messages"), t("All that happens meanwhile is one message"), pause));
}

/** The panel; `signal` ends it. */
export function devices(signal) {
  const state = h("p", { class: "hint", role: "status" });
  const act = h("div", { class: "chips" });
  const own = h("div");
  const list = h("ul", { class: "people-list" });
  const element = h("section", { class: "panel block devices" }, h("h2", {}, t("Messages to this device")), state, act, own, h("h3", { class: "devices-head" }, t("Devices that get messages")), list);
  let shown = ""; // of the settings that are drawn

  const doing = (work, words) => async (event) => {
    event.currentTarget.disabled = true;
    try {
      const said = await work();
      if (words) notice(words);
      else if (said) notice(said, { bad: true });
    } catch (error) {
      failure(error);
    }
    read();
  };
  const save = async (id, more) => {
    try {
      await patch(devicePath(id), more);
    } catch (error) {
      failure(error);
    }
    read();
  };
  const test = (id) => async () => {
    const { error } = await post(devicePath(id, "/test"));
    if (error) return t("The message did not go out: {why}", { why: error });
    notice(t("The push service has taken the message. It comes in some seconds."));
    return null;
  };
  const line = (device) => h("li", {}, h("div", {}, h("strong", {}, device.own ? "" : `${device.name} `, device.id === ownDevice() ? t("This device") : h("span", { class: "agent" }, device.agent || t("unknown browser"))),
    h("p", { class: "hint" }, t("since {time}", { time: fullTime(device.created) }), ", ", device.sent ? t("last message {time}", { time: fullTime(device.sent) }) : t("no message yet")),
    device.problem && h("p", { class: "bad" }, t("The last message did not arrive: {why}", { why: device.problem }))),
  iconButton("trash", t("End messages to this device: {name}", { name: device.id === ownDevice() ? t("This device") : `${device.name}, ${device.agent}` }),
    doing(() => (device.id === ownDevice() ? unsubscribe() : remove(devicePath(device.id))), t("This device gets no messages any more"))));

  function draw({ enabled, key, devices: all }) {
    const mine = all.find((device) => device.own && device.id === ownDevice());
    const why = enabled ? whyNot() : t("The server's configuration forbids messages by push.");
    setText(state, why ?? (mine ? t("This device gets messages, also while the page is closed.") : t("Messages with a picture, also while the page is closed. The browser asks you first.")));
    const next = JSON.stringify([why, key, mine && { ...mine, sent: 0, problem: null }, [...store.cameras.values()].map((c) => [c.name, c.title]), known("labels"), known("zones")]);
    if (next !== shown && !own.contains(document.activeElement)) {
      shown = next;
      act.replaceChildren(...(why ? [] : mine ? [h("button", { type: "button", class: "button", onclick: doing(test(mine.id)) }, t("Send a message for a test")),
        h("button", { type: "button", class: "button", onclick: doing(unsubscribe, t("This device gets no messages any more")) }, t("End the messages"))]
        : [h("button", { type: "button", class: "button primary", onclick: doing(() => subscribe(key).then(() => null), t("This device gets messages now")) }, t("Send messages to this device"))]));
      own.replaceChildren(mine ? settings(mine, (more) => save(mine.id, more)) : "");
    }
    act.querySelectorAll("button").forEach((button) => { button.disabled = false; });
    list.replaceChildren(...all.map(line), ...(all.length ? [] : [h("li", { class: "hint" }, t("None yet"))]));
  }
  async function read() {
    try {
      draw(await get("api/push", signal));
    } catch (error) {
      failure(error);
    }
  }
  read();
  return element;
}
