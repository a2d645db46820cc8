// SPDX-License-Identifier: LGPL-2.1-or-later
// Short notices at the foot of the page, read out by screen readers; with an action ("Undo") they stay longer.
import { h } from "./dom.js";

let area = null;

export function noticeArea() {
  area = h("div", { class: "notices", role: "status", "aria-live": "polite" });
  return area;
}

/** Shows `text`; returns a function that takes the notice away. `ongone` is called once, unless the action was chosen. */
export function notice(text, { action, onaction, ongone, bad = false, stay = action ? 7000 : 4000 } = {}) {
  let open = true;
  const close = (chosen) => {
    if (!open) return;
    open = false;
    clearTimeout(timer);
    item.remove();
    if (!chosen) ongone?.();
  };
  const item = h("div", { class: bad ? "notice bad" : "notice" }, h("span", {}, text),
    action && h("button", { type: "button", class: "button quiet", onclick: () => { close(true); onaction(); } }, action));
  const timer = setTimeout(() => close(false), stay);
  while (area.children.length > 3) area.firstChild.remove();
  area.append(item);
  return () => close(false);
}

/** For catch(): shows an error's own words; an aborted request is none. */
export function failure(error) {
  if (error.name !== "AbortError" && error.status !== 401) notice(error.message, { bad: true, stay: 8000 });
}
