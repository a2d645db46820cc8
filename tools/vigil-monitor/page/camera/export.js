// SPDX-License-Identifier: LGPL-2.1-or-later
// An element's values in the forms in which GStreamer and the configuration take them.
import { h } from "../app/dom.js";
import { failure, notice } from "../app/notice.js";
import { t } from "../app/text.js";

const differs = (p) => p.writable && p.value !== null && p.value !== p.default && p.type !== "other";
const quoted = (v) => (typeof v === "string" && !/^[\w./:-]+$/.test(v) ? `"${v.replace(/(["\\])/g, "\\$1")}"` : String(v));

/** GStreamer's preset files name the element by its GType: GstCudaMog, not cudamog. */
export function presetFile(element, name) {
  const lines = element.properties.filter(differs).map((p) => `${p.name}=${p.value}`);
  return ["[_presets_]", "version=0.1.0", `element-name=${element.gtype}`, "", `[${name}]`, ...lines, ""].join("\n");
}

/** For "presets:" of the configuration file. */
export function configuration(elements, name) {
  const parts = elements.map((element) => [element.factory, element.properties.filter(differs)]).filter(([, list]) => list.length);
  const lines = parts.flatMap(([factory, list]) => [`    ${factory}:`, ...list.map((p) => `      ${p.name}: ${quoted(p.value)}`)]);
  return lines.length ? ["presets:", `  ${name}:`, ...lines, ""].join("\n") : `presets:\n  ${name}: {}\n`;
}

function save(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Shows a text that somebody takes elsewhere: to copy, or as a file. */
export function showText(title, hint, text, file) {
  const copy = () => navigator.clipboard.writeText(text).then(() => notice(t("Copied"), { stay: 1500 }))
    .catch(() => failure(new Error(t("The browser does not allow copying here: select the text instead."))));
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "text-title", onclose: () => dialog.remove() },
    h("form", { method: "dialog" }, h("header", {}, h("h2", { id: "text-title" }, title), h("button", { class: "button" }, t("Close")))),
    h("div", { class: "body" }, h("p", { class: "hint" }, hint), h("pre", { tabindex: "0", "aria-label": title }, text),
      h("div", { class: "actions" }, h("button", { type: "button", class: "button primary", onclick: copy, autofocus: true }, t("Copy")),
        file && h("button", { type: "button", class: "button", onclick: () => save(file, text) }, t("Save as {file}", { file })))));
  document.body.append(dialog);
  dialog.showModal();
}
