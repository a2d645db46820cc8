// SPDX-License-Identifier: LGPL-2.1-or-later
// What is covered in a camera's pictures besides its private parts: all that moves; and what stands there instead.
import { cameraPath, patch } from "../app/api.js";
import { h } from "../app/dom.js";
import { failure } from "../app/notice.js";
import { store } from "../app/store.js";
import { t } from "../app/text.js";

export function privacyRows(name, editable) {
  let covered = null; // as the server has it
  const change = async (body) => {
    try {
      store.set(await patch(cameraPath(name, "privacy"), body));
    } catch (error) {
      show();
      failure(error);
    }
  };
  const moving = h("input", { type: "checkbox", id: "privacy-silhouettes", disabled: !editable, "aria-describedby": "privacy-silhouettes-hint", onchange: () => change({ silhouettes: moving.checked }) });
  const fills = { black: t("black"), pixelate: t("squares") };
  const fill = h("select", { id: "privacy-fill", disabled: !editable, "aria-describedby": "privacy-fill-hint", onchange: () => change({ fill: fill.value }) },
    Object.entries(fills).map(([value, words]) => h("option", { value }, words)));
  const rows = [
    h("div", { class: "switch-row" }, h("label", { for: "privacy-silhouettes" }, t("Cover all that moves")), h("span", { class: "hint", id: "privacy-silhouettes-hint" }, t("On: people and cars are covered, live and recorded; in the first half minute all is. Older recordings stay as they are.")), h("span", { class: "switch" }, moving, h("span"))),
    h("div", { class: "switch-row" }, h("label", { for: "privacy-fill" }, t("Covered parts are")), h("span", { class: "hint", id: "privacy-fill-hint" }, t("Counts for private parts too.")), h("span", { class: "switch-choice" }, fill)),
  ];
  const show = () => {
    moving.checked = covered?.silhouettes ?? false;
    fill.value = covered?.fill ?? "black";
    fill.disabled = !editable || !covered;
  };
  const tell = (camera) => {
    covered = camera.covered;
    show();
  };
  return { rows, tell };
}
