// SPDX-License-Identifier: LGPL-2.1-or-later
// What a view says that has no camera to show, and where one is added.
import { emptyState, h } from "./dom.js";
import { store } from "./store.js";
import { t, tx } from "./text.js";

export const noCamera = () => emptyState("camera", t("No camera yet"), ...(store.admin
  ? tx("Add one under {place}, start vigil-monitor with a source, for example {example}, or name cameras in its configuration file.",
    { place: h("a", { href: "#/system" }, t("System")), example: h("code", {}, "vigil-monitor rtsp://camera/stream") })
  : [t("An administrator adds cameras; you see here those that you may see.")]));
