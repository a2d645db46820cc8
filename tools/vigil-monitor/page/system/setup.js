// SPDX-License-Identifier: LGPL-2.1-or-later
// Cameras are found, looked at and added here, by administrators. The page says what it would do before it does it.
import { cameraPath, post, remove } from "../app/api.js";
import { h, iconButton, setText } from "../app/dom.js";
import { failure, notice } from "../app/notice.js";
import { store } from "../app/store.js";
import { t } from "../app/text.js";
import { span } from "../app/time.js";
import { look } from "./look.js";
import { confirmed, field } from "./people.js";

const profileWords = (p) => `${p.name || p.token}: ${p.codec} ${p.width} × ${p.height}${p.fps ? `, ${t("{n} frames/s", { n: p.fps })}` : ""}`;
const wrongClock = 60; // seconds by which a clock may be wrong without a word

function profileField(words, profiles, chosen) {
  return h("select", { "aria-label": words }, profiles.map((p) => h("option", { value: p.token, selected: p[chosen] }, profileWords(p))));
}

/** The panel; `signal` ends it. */
export function setup(signal) {
  const found = h("ul", { class: "people-list" });
  const refused = h("ul", { class: "people-list hint" });
  const state = h("p", { class: "hint", role: "status" });
  const address = h("input", { type: "text", required: true, autocomplete: "off", autocapitalize: "none", spellcheck: "false", placeholder: "192.168.1.20, rtsp://…" });
  const user = h("input", { type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
  const password = h("input", { type: "password", autocomplete: "off" });
  const plan = h("div", { class: "plan", role: "status" });
  const list = h("ul", { class: "people-list" });

  const working = async (button, words, work) => {
    button.disabled = true;
    setText(state, words);
    try {
      await work();
    } catch (error) {
      failure(error);
    }
    setText(state, "");
    button.disabled = false;
  };
  let device = ""; // an address that a device has said of itself
  const choose = (found) => {
    address.value = device = found.address;
    plan.replaceChildren();
    user.focus();
  };
  const search = h("button", { type: "button", class: "button", onclick: () => working(search, t("Cameras have three seconds to answer…"), async () => {
    const { devices, refused: wrong } = await post("api/onvif/search");
    found.replaceChildren(...devices.map((d) => h("li", {}, h("div", {}, h("strong", {}, d.name || d.host), d.camera && h("span", { class: "badge" }, d.camera),
      h("p", { class: "hint" }, [d.host, d.hardware].filter(Boolean).join(", "))), h("button", { type: "button", class: "button", "aria-label": t("Set up {name}", { name: d.host }), onclick: () => choose(d) }, t("Set up")))),
    ...(devices.length ? [] : [h("li", { class: "hint" }, t("No ONVIF camera has answered. Give its address below."))]));
    refused.replaceChildren(...wrong.map((words) => h("li", {}, t("An answer that is not used: {why}", { why: words }))));
  }) }, t("Search the network"));

  const add = (name, body) => async (event) => {
    event.preventDefault();
    const button = event.currentTarget.querySelector("button");
    await working(button, t("The camera is added…"), async () => {
      const camera = await post("api/cameras", { name: name.value, ...body() });
      store.set(camera);
      notice(t("{name} is added", { name: camera.name }));
      plan.replaceChildren();
      form.reset();
    });
  };
  const nameField = (value) => h("input", { type: "text", required: true, value, pattern: "[A-Za-z0-9_\\-]{1,32}", title: t("1 to 32 letters, digits, _ or -"), autocomplete: "off", autocapitalize: "none" });
  const show = (words, name, body, ...fields) => {
    const streams = look(body);
    streams.again();
    plan.replaceChildren(...words.map((line) => h("p", {}, line)), streams.element,
      h("form", { class: "people-form", onsubmit: add(name, body), onchange: ({ target }) => { if (target !== name) streams.again(); } }, ...fields, field(t("Name"), name), h("button", { class: "button primary" }, t("Add the camera"))));
    name.focus();
  };
  const byAddress = () => {
    const source = address.value.trim();
    const whole = user.value ? source.replace("://", `://${encodeURIComponent(user.value)}:${encodeURIComponent(password.value)}@`) : source;
    show([t("This stream would be looked at and recorded. It is not changed.")], nameField(""), () => ({ source: whole }));
  };
  // Devices are asked at http:// and https:// addresses, too.
  const isStream = (words) => words !== device && (/^rtsps?:/i.test(words) || (/^https?:\/\/[^/]+\/./i.test(words) && !/onvif/i.test(words)));
  const ask = async () => {
    const login = { address: address.value.trim(), user: user.value, password: password.value };
    const said = await post("api/onvif/device", login);
    const record = profileField(t("Recorded"), said.profiles, "record");
    const detect = profileField(t("Looked at"), said.profiles, "detect");
    const off = said.clock_offset;
    const words = [t("{device} at {host}. These streams would be recorded and looked at; the camera's settings stay as they are.", { device: `${said.manufacturer} ${said.model}`.trim(), host: said.host })];
    if (Math.abs(off) > wrongClock) words.push(off > 0 ? t("Its clock is {time} ahead.", { time: span(off) }) : t("Its clock is {time} behind.", { time: span(-off) }));
    show(words, nameField(said.name), () => ({ device: { ...login, record: record.value, detect: detect.value } }), field(t("Recorded"), record), field(t("Looked at"), detect));
  };
  const form = h("form", { class: "people-form", onsubmit: (event) => {
    event.preventDefault();
    plan.replaceChildren();
    const button = event.currentTarget.querySelector("button");
    if (isStream(address.value.trim())) byAddress();
    else working(button, t("The camera is asked…"), ask);
  } }, field(t("Address"), address), field(t("User"), user), field(t("Password"), password), h("button", { class: "button" }, t("What would be done?")));

  const draw = () => {
    const added = [...store.cameras.values()].filter((camera) => camera.added);
    list.replaceChildren(...added.map((camera) => h("li", {}, h("div", {}, h("strong", {}, camera.name), h("p", { class: "hint" }, camera.source)),
      iconButton("trash", t("Take away {name}", { name: camera.name }), () => confirmed(t("Take away the camera {name}? Its events and recordings stay as long as those of others.", { name: camera.name }), t("Take away"), async () => {
        try {
          await remove(cameraPath(camera.name));
          notice(t("{name} is taken away", { name: camera.name }));
        } catch (error) {
          failure(error);
        }
      })))), ...(added.length ? [h("li", {}, h("a", { href: "api/config/cameras.yaml" }, t("These cameras as YAML, without passwords")))]
      : [h("li", { class: "hint" }, t("None. Cameras of the configuration are not changed here."))]));
  };
  store.addEventListener("cameras", draw, { signal });
  draw();
  return h("section", { class: "panel block setup" }, h("h2", {}, t("Add a camera")), h("p", { class: "hint" }, t("A search goes to ONVIF cameras on the networks of this machine, when you ask for it.")), search, found, refused, form, state, plan,
    h("h3", { class: "devices-head" }, t("Cameras that were added here")), list);
}
