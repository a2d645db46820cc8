// SPDX-License-Identifier: LGPL-2.1-or-later
// What each person chooses: the theme, and to sign out. The buttons stand in the rail; a narrow screen has no room for them
// there, and shows them in System.
import { post } from "./api.js";
import { iconButton } from "./dom.js";
import { live } from "./live.js";
import { notice } from "./notice.js";
import { store } from "./store.js";
import { nextTheme, themeWords } from "./theme.js";

export const changeTheme = () => notice(`Theme: ${nextTheme()}`, { stay: 1500 });

export function themeButton(more = {}) {
  const button = iconButton("theme", "Theme", changeTheme, { keys: "t", ...more });
  const tell = () => { button.title = `Theme: now ${themeWords()} (t)`; };
  for (const name of ["pointerenter", "focus"]) button.addEventListener(name, tell);
  tell();
  return button;
}

async function signOut() {
  live.stop(); // or the server would cut it off
  await post("api/logout").catch(() => {});
  location.reload();
}

/** Only for who has signed in: whoever looks from the server's own machine need not, and has nothing to leave. */
export function signOutButton(more = {}) {
  return store.version.signed_in ? iconButton("leave", "Sign out", signOut, more) : null;
}
