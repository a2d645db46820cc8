// SPDX-License-Identifier: LGPL-2.1-or-later
// Keys of the page and of the view that is shown. A key is written as in KeyboardEvent.key; keys do nothing while somebody
// types into a field, and none is taken from a focused control that uses it itself.
import { h } from "./dom.js";
import { t } from "./text.js";

const scopes = []; // the newest first

/** Adds keys until `signal` aborts: [{keys: ["n", "ArrowRight"], words: "next event", run, when}].
 *  While `when`, where it is there, is false, the key does what it does everywhere. */
export function addKeys(title, list, signal) {
  const scope = { title, list };
  scopes.unshift(scope);
  signal?.addEventListener("abort", () => scopes.splice(scopes.indexOf(scope), 1));
}

const usesKeys = (element, key) => {
  if (element.matches("textarea, select, [contenteditable]")) return true;
  if (element.matches("input:not([type=checkbox]):not([type=radio]):not([type=range])")) return true;
  if (element.matches("input[type=range], input[type=radio], [data-arrows]")) return key.startsWith("Arrow") || key === "Home" || key === "End";
  if (key === " " || key === "Enter") return element.matches("button, a, input, summary, video");
  return element.matches("video") && key.startsWith("Arrow");
};

export function listen() {
  addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const key = event.ctrlKey ? `Control+${event.key}` : event.key;
    if (event.target instanceof Element && usesKeys(event.target, event.key)) return;
    for (const { list } of scopes) {
      const found = list.find(({ keys, when }) => keys.includes(key) && (!when || when()));
      if (found) {
        event.preventDefault();
        found.run(event);
        return;
      }
    }
  });
}

const shown = { " ": t("Space"), ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: t("Esc"), Delete: t("Del"), Enter: t("Enter"), Home: t("Home"), End: t("End"), PageUp: t("Page up"), PageDown: t("Page down"), Backspace: t("Backspace") };

/** "Control+Z" is what a browser reports with Shift: Ctrl + Shift + Z. */
const keyWords = (key) => key.split("+").flatMap((part) => (part === "Control" ? t("Ctrl") : /^[A-Z]$/.test(part) ? [t("Shift"), part] : shown[part] ?? part)).join(" + ");

export function showHelp() {
  const key = (k) => h("kbd", {}, keyWords(k));
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "help-title", onclose: () => dialog.remove() },
    h("form", { method: "dialog" },
      h("header", {}, h("h2", { id: "help-title" }, t("Keys")), h("button", { class: "button", autofocus: true }, t("Close"))),
      h("div", { class: "help-columns" }, scopes.map(({ title, list }) => h("section", {}, h("h3", {}, title),
        h("dl", {}, list.map(({ keys, words }) => h("div", {}, h("dt", {}, keys.map(key)), h("dd", {}, words)))))))));
  document.body.append(dialog);
  dialog.showModal();
}
