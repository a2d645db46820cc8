// SPDX-License-Identifier: LGPL-2.1-or-later
// Who is signed in, one's own password, and for administrators the users: made, changed, removed.
import { get, patch, post, remove } from "../app/api.js";
import { h, iconButton } from "../app/dom.js";
import { failure, notice } from "../app/notice.js";
import { store } from "../app/store.js";
import { fullTime } from "../app/time.js";

const roles = [["viewer", "Viewer", "looks"], ["operator", "Operator", "looks, keeps events, switches cameras"], ["admin", "Administrator", "changes all"]];
const userPath = (name) => `api/users/${encodeURIComponent(name)}`;

function field(words, input) {
  return h("label", { class: "field-row" }, h("span", {}, words), input);
}

function roleField(value) {
  return h("select", { "aria-label": "Role" }, roles.map(([name, words, hint]) => h("option", { value: name, selected: name === value, title: hint }, words)));
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
function confirmed(words, action, run) {
  const dialog = h("dialog", { class: "dialog", "aria-label": action, onclose: () => dialog.remove() },
    h("div", { class: "body" }, h("p", {}, words), h("div", { class: "actions" },
      h("button", { type: "button", class: "button primary", onclick: () => { dialog.close(); run(); } }, action),
      h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Cancel"))));
  document.body.append(dialog);
  dialog.showModal();
}

function ownPassword() {
  const old = passwordField("current-password");
  const wanted = passwordField("new-password");
  const form = h("form", { class: "people-form", onsubmit: async (event) => {
    event.preventDefault();
    try {
      await post("api/password", { old: old.value, new: wanted.value });
      form.reset();
      notice("The password is changed. Your other sessions have ended.");
    } catch (error) {
      // 401 is the old password here, not the session.
      if (error.status === 401) notice(error.message, { bad: true });
      else failure(error);
    }
  } }, field("Old password", old), field("New password", wanted), h("button", { class: "button" }, "Change the password"));
  return h("section", { class: "panel block" }, h("h2", {}, `Password of ${store.version.user}`), form);
}

function sessionsPanel(changed) {
  const list = h("ul", { class: "people-list" });
  const end = async (session) => {
    try {
      await remove(`api/sessions/${encodeURIComponent(session.id)}`);
      notice(`The session of ${session.name} has ended`);
      if (session.current) location.reload();
      else changed();
    } catch (error) {
      failure(error);
    }
  };
  const set = (sessions) => list.replaceChildren(...sessions.map((s) => h("li", {},
    h("div", {}, h("strong", {}, s.name), s.user ? null : h("span", { class: "badge" }, "token"), s.current ? h("span", { class: "badge" }, "this one") : null,
      h("p", { class: "hint" }, `from ${s.from}, last used ${fullTime(s.used)}, ends ${fullTime(s.until)}`), h("p", { class: "hint agent" }, s.agent)),
    iconButton("leave", `End the session of ${s.name} from ${s.from}`, () => end(s)))),
    ...(sessions.length ? [] : [h("li", { class: "hint" }, "Nobody has signed in.")]));
  return { element: h("section", { class: "panel block" }, h("h2", {}, "Sessions"), list), set };
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
    role.setAttribute("aria-label", `Role of ${user.name}`);
    role.addEventListener("change", () => act(() => patch(userPath(user.name), { role: role.value }), `${user.name} is ${role.value} now`)());
    const cameras = h("input", { type: "text", value: user.cameras ? user.cameras.join(", ") : "", placeholder: user.role === "admin" ? "all" : "those of the role", "aria-label": `Cameras of ${user.name}`,
      disabled: user.role === "admin" });
    cameras.addEventListener("change", () => act(() => patch(userPath(user.name), { cameras: camerasOf(cameras.value) }), `The cameras of ${user.name} are changed`)());
    const own = user.name === store.version.user;
    role.disabled = own;
    return h("li", { class: "user-row" }, h("div", {}, h("strong", {}, user.name), own && h("span", { class: "badge" }, "you"),
      h("p", { class: "hint" }, user.used ? `${user.sessions === 1 ? "1 session" : `${user.sessions} sessions`}, last used ${fullTime(user.used)}` : "not signed in")),
    role, cameras, own ? h("span") : iconButton("trash", `Remove ${user.name}`, () => confirmed(`Remove the user ${user.name}? Sessions and marks of this user go, too.`, "Remove",
      act(() => remove(userPath(user.name)), `${user.name} is removed`))));
  };
  const name = h("input", { type: "text", required: true, pattern: "[A-Za-z0-9_\\-]{1,32}", title: "1 to 32 letters, digits, _ or -", autocomplete: "off", autocapitalize: "none" });
  const password = passwordField("new-password");
  const role = roleField("viewer");
  const cameras = h("input", { type: "text", placeholder: "those of the role" });
  const form = h("form", { class: "people-form", onsubmit: async (event) => {
    event.preventDefault();
    try {
      const { name: made } = await post("api/users", { name: name.value, password: password.value, role: role.value, cameras: camerasOf(cameras.value) });
      form.reset();
      notice(`${made} can sign in now`);
    } catch (error) {
      failure(error);
    }
    changed();
  } }, field("Name", name), field("Password", password), field("Role", role), field("Cameras", cameras), h("button", { class: "button primary" }, "Add the user"));
  const without = h("p", { class: "hint" }, "This server was built without libsodium, which keeps passwords: there are tokens alone.");
  const set = ({ users, passwords }) => {
    list.replaceChildren(...users.map(row), ...(users.length ? [] : [h("li", { class: "hint" }, "No users yet: whoever signs in has a token.")]));
    form.hidden = !passwords;
    without.hidden = passwords;
  };
  return { element: h("section", { class: "panel block users" }, h("h2", {}, "Users"), list, form, without), set };
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
