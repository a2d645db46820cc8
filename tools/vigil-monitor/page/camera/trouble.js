// SPDX-License-Identifier: LGPL-2.1-or-later
// Trouble of a camera, written over its picture: covered, out of focus, moved, not recorded; and since when.
import { h, icon, setText } from "../app/dom.js";
import { live } from "../app/live.js";
import { t } from "../app/text.js";
import { fullTime, now, span } from "../app/time.js";

const words = { covered: [t("Covered"), t("Look at the lens, and at the light.")], blurred: [t("Out of focus"), t("Focus the camera, or clean its lens.")],
  moved: [t("Moved"), t("Turn the camera back, or draw its areas again for the new view.")], record: [t("Not recorded"), t("The stream that is recorded is away.")] };

export class Trouble {
  #spans = new Map(); // since -> the element that says how long

  constructor() {
    this.element = h("div", { class: "trouble", role: "status" });
  }

  tell(camera) {
    const now_wrong = Object.entries(camera.state === "online" ? camera.trouble : {});
    if (camera.record_stream?.state === "offline") now_wrong.push(["record", camera.record_stream.since]);
    const key = JSON.stringify(now_wrong);
    if (key === this.element.dataset.key) return;
    this.element.dataset.key = key;
    this.#spans.clear();
    this.element.replaceChildren(...now_wrong.map(([kind, since]) => {
      const [what, help] = words[kind] ?? [kind, ""];
      const time = h("span", { class: "number" });
      this.#spans.set(time, since);
      return h("span", { class: "trouble-one", title: t("Since {time}. {help}", { time: fullTime(since), help }) }, icon("warning"), h("strong", {}, what), time);
    }));
    this.tick();
  }

  /** Once a second: how long. */
  tick() {
    for (const [element, since] of this.#spans) setText(element, span(now() + live.clockOffset - since));
  }
}
