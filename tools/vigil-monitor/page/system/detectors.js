// SPDX-License-Identifier: LGPL-2.1-or-later
// The networks that name tracks: state, work done, what waits and what was refused. Hidden where there is none.
import { h, setText } from "../app/dom.js";
import { number, t } from "../app/text.js";
import { digits } from "../app/time.js";

function stateOf({ state, reason }) {
  if (state === "failed") return t("cannot be used: {reason}", { reason });
  return state === "ready" ? t("ready") : t("is being loaded");
}

function card() {
  const words = { model: t("Model"), state: t("State"), classes: t("Classes"), inferences: t("Inferences"), time: t("Time of an inference"), waiting: t("Waiting crops"), refused: t("Refused answers") };
  const values = Object.fromEntries(Object.keys(words).map((key) => [key, h("dd")]));
  const element = h("dl", {}, Object.entries(values).map(([key, value]) => h("div", { "data-figure": key }, h("dt", {}, words[key]), value)));
  const set = (d) => {
    setText(values.model, d.model);
    setText(values.state, stateOf(d));
    values.state.classList.toggle("bad", d.state === "failed");
    setText(values.classes, number(d.classes));
    setText(values.inferences, t("{n}, of which {named} named a track", { n: number(d.inferences), named: number(d.named) }));
    setText(values.time, d.inference_seconds === null ? "–" : t("{n} ms (median)", { n: digits(d.inference_seconds * 1000) }));
    setText(values.waiting, t("{n}, and {left} were left out", { n: number(d.waiting), left: number(d.left_out) }));
    setText(values.refused, d.refused ? t("{n}, the last one: {reason}", { n: number(d.refused), reason: d.reason }) : number(0));
    values.refused.classList.toggle("bad", d.refused > 0);
  };
  return { element, set };
}

export function detectorPanel() {
  const cards = [];
  const element = h("section", { class: "panel block detectors", hidden: true }, h("h2", {}, t("Detector")));
  const set = (list) => {
    element.hidden = list.length === 0;
    while (cards.length > list.length) cards.pop().element.remove();
    while (cards.length < list.length) {
      cards.push(card());
      element.append(cards.at(-1).element);
    }
    list.forEach((d, i) => cards[i].set(d));
  };
  return { element, set };
}
