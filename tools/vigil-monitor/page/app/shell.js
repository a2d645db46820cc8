// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands around every view: the way to the others, the state of the connection, theme, keys.
import { h, icon, iconButton, setText } from "./dom.js";
import { addKeys, showHelp } from "./keyboard.js";
import { live } from "./live.js";
import { noticeArea } from "./notice.js";
import { changeTheme, signOutButton, themeButton } from "./personal.js";
import { go } from "./router.js";
import { store } from "./store.js";
import { t, tn } from "./text.js";

const places = [
  { view: "wall", words: t("Wall"), icon: "wall", key: "1" },
  { view: "events", words: t("Events"), icon: "events", key: "2" },
  { view: "review", words: t("Review"), icon: "review", key: "6" },
  { view: "timeline", words: t("Timeline"), icon: "timeline", key: "5" },
  { view: "heatmap", words: t("Heat map"), icon: "heat", key: "3" },
  { view: "labels", words: t("Labels"), icon: "label", key: "7" },
  { view: "system", words: t("System"), icon: "system", key: "4" },
];

export function shell() {
  const links = new Map(places.map(({ view, words, icon: name, key }) => [view,
    h("a", { href: `#/${view}`, class: "place", title: `${words} (${key})`, "aria-keyshortcuts": key }, icon(name), h("span", {}, words))]));
  const state = h("div", { class: "connection", role: "status" }, h("span", { class: "dot" }), h("span", { class: "words" }));
  const main = h("main", { id: "main", tabindex: "-1" });
  const frame = h("div", { class: "shell" },
    h("a", { href: "#main", class: "skip", onclick: (event) => { event.preventDefault(); main.focus(); } }, t("Skip to the content")),
    h("nav", { class: "rail", "aria-label": t("Views") },
      h("a", { class: "brand", href: "#/wall", "aria-label": t("Vigil, the wall") }, icon("eye"), h("span", {}, "Vigil")),
      h("div", { class: "places" }, [...links.values()]),
      h("div", { class: "rail-end" }, state, themeButton(), iconButton("keyboard", t("Keys"), showHelp, { keys: "?" }), signOutButton())),
    main, noticeArea());

  const tell = () => {
    const down = [...store.cameras.values()].filter((c) => c.state === "offline").length;
    state.dataset.state = !live.connected ? "lost" : down ? "some" : "good";
    document.documentElement.dataset.connection = live.connected ? "live" : "lost"; // old pictures must not look live
    setText(state.lastChild, !live.connected ? t("Connecting") : down ? t("{n} offline", { n: down }) : t("Live"));
    state.title = !live.connected ? t("The server does not answer. The page tries again each second.")
      : down && store.cameras.size === 1 ? t("The camera is offline") : down ? tn("1 of {all} cameras is offline", "{n} of {all} cameras are offline", down, { all: store.cameras.size }) : tn("1 camera is live", "{n} cameras are live", store.cameras.size);
  };
  for (const name of ["cameras", "camera"]) store.addEventListener(name, tell);
  live.addEventListener("state", tell);
  tell();

  addKeys(t("Everywhere"), [
    ...places.map(({ view, words, key }) => ({ keys: [key], words, run: () => go(view) })),
    { keys: ["t"], words: t("change the theme"), run: changeTheme },
    { keys: ["?"], words: t("show these keys"), run: showHelp },
  ]);
  const mark = (view) => {
    for (const [name, link] of links) {
      if (name === view || (name === "wall" && view === "camera")) link.setAttribute("aria-current", name === view ? "page" : "true");
      else link.removeAttribute("aria-current");
    }
  };
  return { frame, main, mark };
}
