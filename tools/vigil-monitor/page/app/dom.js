// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes elements. Text only ever becomes text nodes, never markup, so names and reasons from the server need no escaping.
import { t } from "./text.js";
const svgNamespace = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.setAttribute("class", value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name in element && typeof value !== "string" && !(element instanceof SVGElement)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

/** h("button", {class: "quiet", onclick: f}, "Text", child) */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(svgNamespace, tag), attributes, children);
}

/** An icon of icons.svg. It is decoration: the element around it has the words. */
export function icon(name) {
  return s("svg", { class: "icon", "aria-hidden": "true", viewBox: "0 0 24 24" }, s("use", { href: `icons.svg#${name}` }));
}

/** A button with an icon; the words are its label, and its text where `shown`. */
export function iconButton(name, words, onclick, { shown = false, keys, ...attributes } = {}) {
  const title = keys ? `${words} (${keys})` : words;
  return h("button", { type: "button", class: shown ? "button" : "button icon-only", title, "aria-label": shown ? undefined : words,
    "aria-keyshortcuts": keys, onclick, ...attributes }, icon(name), shown ? h("span", {}, words) : null);
}

/** A day as a field. `onday` gets a whole day, or "" when it is cleared; what is half typed is left alone. */
export function dayField(isDay, onday, attributes) {
  const field = h("input", { type: "date", "aria-label": t("Day"), ...attributes, onchange: () => {
    if (isDay(field.value) || (field.value === "" && !field.validity.badInput)) onday(field.value);
  } });
  return field;
}

/** One of several choices, as a row of radio buttons: arrow keys and screen readers work without more. */
export function choice(legend, options, value, onchoose) {
  const group = `choice-${legend.replace(/\W+/g, "-").toLowerCase()}-${choice.count++}`;
  return h("fieldset", { class: "choice" }, h("legend", { class: "unseen" }, legend),
    options.map(({ value: v, words, hint, disabled }) => h("label", { title: hint },
      h("input", { type: "radio", name: group, value: v, checked: v === value, disabled, onchange: () => onchoose(v) }),
      h("span", {}, words))));
}
choice.count = 0;

/** What a place says while it has nothing to show: what it is, and what to do. */
export function emptyState(name, title, ...text) {
  return h("div", { class: "empty" }, icon(name), h("h2", {}, title), h("p", {}, ...text));
}

/** Sets the text only where it changed: the rest of the page is left alone. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
