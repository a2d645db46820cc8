// SPDX-License-Identifier: LGPL-2.1-or-later
// What each person chooses: the theme, the language, and to sign out. The buttons stand in the rail; a narrow screen has no room for them
// there, and shows them in System.
import { post } from "./api.js";
import { h, iconButton } from "./dom.js";
import { live } from "./live.js";
import { notice } from "./notice.js";
import { unsubscribe } from "./push.js";
import { store } from "./store.js";
import { chosenLanguage, languages, setLanguage, t } from "./text.js";
import { nextTheme, themeWords } from "./theme.js";

export const changeTheme = () => notice(t("Theme: {theme}", { theme: nextTheme() }), { stay: 1500 });

export function themeButton(more = {}) {
  const button = iconButton("theme", t("Theme"), changeTheme, { keys: "t", ...more });
  const tell = () => { button.title = t("Theme: now {theme} (t)", { theme: themeWords() }); };
  for (const name of ["pointerenter", "focus"]) button.addEventListener(name, tell);
  tell();
  return button;
}

async function signOut() {
  live.stop(); // or the server would cut it off
  await unsubscribe().catch(() => {}); // who is out gets no messages
  await post("api/logout").catch(() => {});
  location.reload();
}

/** Only for a person who signed in: on the server's own machine nobody needs to. */
export function signOutButton(more = {}) {
  return store.version.signed_in ? iconButton("leave", t("Sign out"), signOut, more) : null;
}

export function languageField() {
  const field = h("select", { id: "language", onchange: () => setLanguage(field.value) }, h("option", { value: "" }, t("as the browser")),
    Object.entries(languages).map(([name, words]) => h("option", { value: name, lang: name, selected: name === chosenLanguage() }, words)));
  return h("label", { class: "language" }, t("Language"), field);
}
