// SPDX-License-Identifier: LGPL-2.1-or-later
// Asks for name and password, or for a token; the server turns either into a cookie that no script can read.
import { get, post } from "./api.js";
import { h, icon } from "./dom.js";
import { t } from "./text.js";

const wrong = { password: t("The name or the password is wrong."), token: t("This token is not known. Look for a missing character.") };

export function login(onin) {
  const name = h("input", { id: "user", type: "text", name: "username", required: true, autocomplete: "username", autocapitalize: "none", spellcheck: "false",
    "aria-describedby": "token-error" });
  const password = h("input", { id: "password", type: "password", name: "password", required: true, autocomplete: "current-password", "aria-describedby": "token-error" });
  const token = h("input", { id: "token", type: "password", name: "token", required: true, autocomplete: "current-password", "aria-describedby": "token-hint token-error" });
  const error = h("p", { id: "token-error", class: "field-error", role: "alert" });
  const button = h("button", { class: "button primary" }, t("Sign in"));
  const byPassword = h("div", { class: "login-fields" }, h("label", { for: "user" }, t("Name")), name, h("label", { for: "password" }, t("Password")), password);
  const byToken = h("div", { class: "login-fields" }, h("label", { for: "token" }, t("Token")), token,
    h("p", { id: "token-hint", class: "hint" }, t("It stands in the server's token file. The view token shows, the admin token also changes.")));
  const other = h("button", { type: "button", class: "button quiet", hidden: true, onclick: () => show(!asksToken) });
  const fields = h("div"); // empty until the server has said which ways there are
  let users = false; // whether there are any: without them a token is the only way
  let asksToken = true;

  function show(withToken) {
    asksToken = withToken;
    fields.replaceChildren(withToken ? byToken : byPassword);
    other.hidden = !users;
    other.textContent = withToken ? t("Sign in with name and password") : t("Sign in with a token");
    error.textContent = "";
    form.hidden = false;
    (withToken ? token : name).focus();
  }

  const send = async (event) => {
    event.preventDefault();
    button.disabled = true;
    const way = asksToken ? "token" : "password";
    try {
      await post("api/login", way === "token" ? { token: token.value.trim() } : { user: name.value.trim(), password: password.value });
      onin();
    } catch (refused) {
      error.textContent = refused.status === 401 || refused.status === 403 ? wrong[way] : refused.message;
      (way === "token" ? token : password).select();
    } finally {
      button.disabled = false;
    }
  };
  const form = h("form", { hidden: true, onsubmit: send }, // shown whole, so that nothing jumps
    h("div", { class: "login-brand" }, icon("eye"), h("h1", {}, "Vigil")), fields, error, button, other);
  const begin = async () => {
    const ways = await get("api/login").catch(() => ({ users: false, needed: true }));
    users = ways.users;
    // The refusal took a session's cookie away that had ended: on the server's own machine the next request may need none.
    if (!ways.needed) await onin();
    if (form.isConnected) show(!users);
  };
  begin();
  return h("main", { class: "login" }, form);
}
