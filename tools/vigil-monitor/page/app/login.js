// SPDX-License-Identifier: LGPL-2.1-or-later
// Asks for the token, which the server turns into a cookie that no script can read.
import { post } from "./api.js";
import { h, icon } from "./dom.js";

export function login(onin) {
  const field = h("input", { id: "token", type: "password", name: "token", required: true, autocomplete: "current-password",
    autofocus: true, "aria-describedby": "token-hint token-error" });
  const error = h("p", { id: "token-error", class: "field-error", role: "alert" });
  const button = h("button", { class: "button primary" }, "Sign in");
  const send = async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await post("api/login", { token: field.value.trim() });
      onin();
    } catch (refused) {
      error.textContent = refused.status === 401 || refused.status === 403 ? "This token is not known. Look for a missing character." : refused.message;
      field.select();
    } finally {
      button.disabled = false;
    }
  };
  const page = h("main", { class: "login" }, h("form", { onsubmit: send },
    h("div", { class: "login-brand" }, icon("eye"), h("h1", {}, "Vigil")),
    h("label", { for: "token" }, "Token"), field,
    h("p", { id: "token-hint", class: "hint" }, "It stands in the server's token file. The view token shows, the admin token also changes."),
    error, button));
  queueMicrotask(() => field.focus());
  return page;
}
