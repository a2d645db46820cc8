// SPDX-License-Identifier: LGPL-2.1-or-later
// Dark, light, or as the system says. The choice is kept in this browser.
import { t } from "./text.js";
const order = ["auto", "dark", "light"];
const words = { auto: t("as the system"), dark: t("dark"), light: t("light") };

export function theme() {
  return document.documentElement.dataset.theme ?? "auto";
}

export function themeWords() {
  return words[theme()];
}

export function setTheme(name) {
  if (name === "auto") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem("theme");
  } else {
    document.documentElement.dataset.theme = name;
    localStorage.setItem("theme", name);
  }
}

export function nextTheme() {
  setTheme(order[(order.indexOf(theme()) + 1) % order.length]);
  return themeWords();
}
