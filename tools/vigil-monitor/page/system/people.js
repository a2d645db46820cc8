// SPDX-License-Identifier: LGPL-2.1-or-later
// Who is signed in, one's own password, and for administrators the users: made, changed, removed.
import { get, patch, post, remove } from "../app/api.js";
import { h, iconButton } from "../app/dom.js";
import { failure, notice } from "../app/notice.js";
import { ownDevice, renew } from "../app/push.js";
import { store } from "../app/store.js";
import { t, tn } from "../app/text.js";
import { fullTime } from "../app/time.js";

const roles = [["viewer", t("Viewer"), t("looks")], ["operator", t("Operator"), t("looks, keeps events, switches cameras")], ["admin", t("Administrator"), t("changes all")]];
const userPath = (name) => `api/users/${encodeURIComponent(name)}`;

export function field(words, input) {
  return h("label", { class: "field-row" }, h("span", {}, words), input);
}

function roleField(value) {
  return h("select", { "aria-label": t("Role") }, roles.map(([name, words, hint]) => h("option", { value: name, selected: name === value, title: hint }, words)));
}

/** "all", or one name after another; null: the cameras of the role. */
function camerasOf(text) {
  const names = text.split(/[\s,]+/).filter(Boolean);
  return names.length ? names : null;
}

function passwordField(autocomplete) {
  return h("input", { type: "password", autocomplete, minlength: 10, maxlength: 256, required: true });
}

/** Asks before something is taken away; the browser's own dialog would stop the live pictures. */
export function confirmed(words, action, run) {
  const dialog = h("dialog", { class: "dialog", "aria-label": action, onclose: () => dialog.remove() },
    h("div", { class: "body" }, h("p", {}, words), h("div", { class: "actions" },
      h("button", { type: "button", class: "button primary", onclick: () => { dialog.close(); run(); } }, action),
      h("button", { type: "button", class: "button", onclick: () => dialog.close() }, t("Cancel")))));
  document.body.append(dialog);
  dialog.showModal();
}

function ownPassword() {
  const old = passwordField("current-password");
  const wanted = passwordField("new-password");
  const form = h("form", { class: "people-form", onsubmit: async (event) => {
    event.preventDefault();
    try {
      const device = ownDevice() && (await get("api/push").catch(() => null))?.devices.find(({ id }) => id === ownDevice());
      await post("api/password", { old: old.value, new: wanted.value });
      if (device) await renew(device).catch(failure); // the new password has ended all devices
      form.reset();
      notice(t("The password is changed. Your other sessions have ended."));
      // What the page asked with the cookie of before may have been refused meanwhile.
      setTimeout(() => location.reload(), 1500);
    } catch (error) {
      // 401 is the old password here, not the session.
      if (error.status === 401) notice(error.message, { bad: true });
      else failure(error);
    }
  } }, field(t("Old password"), old), field(t("New password"), wanted), h("button", { class: "button" }, t("Change the password")));
  return h("section", { class: "panel block" }, h("h2", {}, t("Password of {name}", { name: store.version.user })), form);
}

function sessionsPanel(changed) {
  const list = h("ul", { class: "people-list" });
  const end = async (session) => {
    try {
      await remove(`api/sessions/${encodeURIComponent(session.id)}`);
      notice(t("The session of {name} has ended", { name: session.name }));
      if (session.current) location.reload();
      else changed();
    } catch (error) {
      failure(error);
    }
  };
  const set = (sessions) => list.replaceChildren(...sessions.map((s) => h("li", {},
    h("div", {}, h("strong", {}, s.name), s.user ? null : h("span", { class: "badge" }, "token"), s.current ? h("span", { class: "badge" }, t("this one")) : null,
      h("p", { class: "hint" }, t("from {from}, last used {used}, ends {until}", { from: s.from, used: fullTime(s.used), until: fullTime(s.until) })), h("p", { class: "hint agent" }, s.agent)),
    iconButton("leave", t("End the session of {name} from {from}", { name: s.name, from: s.from }), () => end(s)))),
    ...(sessions.length ? [] : [h("li", { class: "hint" }, t("Nobody has signed in."))]));
  return { element: h("section", { class: "panel block" }, h("h2", {}, t("Sessions")), list), set };
}

function usersPanel(changed) {
  const list = h("ul", { class: "people-list" });
  const act = (work, words) => async () => {
    try {
      await work();
      if (words) notice(words);
    } catch (error) {
      failure(error);
    }
    changed();
  };
  const row = (user) => {
    const role = roleField(user.role);
    role.setAttribute("aria-label", t("Role of {name}", { name: user.name }));
    role.addEventListener("change", () => act(() => patch(userPath(user.name), { role: role.value }), t("{name} is {role} now", { name: user.name, role: roles.find(([name]) => name === role.value)[1] }))());
    const cameras = h("input", { type: "text", value: user.cameras ? user.cameras.join(", ") : "", placeholder: user.role === "admin" ? t("all") : t("those of the role"), "aria-label": t("Cameras of {name}", { name: user.name }),
      disabled: user.role === "admin" });
    cameras.addEventListener("change", () => act(() => patch(userPath(user.name), { cameras: camerasOf(cameras.value) }), t("The cameras of {name} are changed", { name: user.name }))());
    const own = user.name === store.version.user;
    role.disabled = own;
    return h("li", { class: "user-row" }, h("div", {}, h("strong", {}, user.name), own && h("span", { class: "badge" }, t("you")),
      h("p", { class: "hint" }, user.used ? `${tn("1 session", "{n} sessions", user.sessions)}, ${t("last used {time}", { time: fullTime(user.used) })}` : t("not signed in"))),
    role, cameras, own ? h("span") : iconButton("trash", t("Remove {name}", { name: user.name }), () => confirmed(t("Remove the user {name}? Sessions and marks of this user go, too.", { name: user.name }), t("Remove"),
      act(() => remove(userPath(user.name)), t("{name} is removed", { name: user.name })))));
  };
  const name = h("input", { type: "text", required: true, pattern: "[A-Za-z0-9_\\-]{1,32}", title: t("1 to 32 letters, digits, _ or -"), autocomplete: "off", autocapitalize: "none" });
  const password = passwordField("new-password");
  const role = roleField("viewer");
  const cameras = h("input", { type: "text", placeholder: t("those of the role") });
  const form = h("form", { class: "people-form", onsubmit: async (event) => {
    event.preventDefault();
    try {
      const { name: made } = await post("api/users", { name: name.value, password: password.value, role: role.value, cameras: camerasOf(cameras.value) });
      form.reset();
      notice(t("{name} can sign in now", { name: made }));
    } catch (error) {
      failure(error);
    }
    changed();
  } }, field(t("Name"), name), field(t("Password"), password), field(t("Role"), role), field(t("Cameras"), cameras), h("button", { class: "button primary" }, t("Add the user")));
  const without = h("p", { class: "hint" }, t("This server was built without libsodium, which keeps passwords: there are tokens alone."));
  const set = ({ users, passwords }) => {
    list.replaceChildren(...users.map(row), ...(users.length ? [] : [h("li", { class: "hint" }, t("No users yet: people sign in by token."))]));
    form.hidden = !passwords;
    without.hidden = passwords;
  };
  return { element: h("section", { class: "panel block users" }, h("h2", {}, t("Users")), list, form, without), set };
}

/** The part of the view System that is about people; `signal` ends it. */
export function people(signal) {
  const read = async () => {
    try {
      sessions.set((await get("api/sessions", signal)).sessions);
      users?.set(await get("api/users", signal));
    } catch (error) {
      failure(error);
    }
  };
  const sessions = sessionsPanel(read);
  const users = store.admin ? usersPanel(read) : null;
  read();
  return h("div", { class: "blocks people" }, users?.element, sessions.element, store.version.user && ownPassword());
}
