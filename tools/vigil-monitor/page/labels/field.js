// SPDX-License-Identifier: LGPL-2.1-or-later
// What an event is called: guesses, what people said, and the field in which they say it.
import { eventPath, get, post } from "../app/api.js";
import { h, icon } from "../app/dom.js";
import { failure } from "../app/notice.js";
import { store } from "../app/store.js";
import { t } from "../app/text.js";
import { percent } from "../app/time.js";
import { isOutage, labelWords } from "../events/words.js";

export const byShape = ["person", "vehicle", "other"];
const least = 0.5; // score from which on an event is called so

/** The labels that an event has, the best first. */
export const labelsOf = (event) => (event.labels ?? []).filter(({ score }) => score >= least);

/** What an event shows, "person?" where that is guessed; otherwise what caused it. */
export const nameOf = (event) => labelsOf(event).map(({ label, guessed }) => (guessed ? `${label}?` : label)).join(", ") || labelWords(event.label);

export class LabelField {
  names = [...byShape]; // the choices of the keys 1 to 9
  #event = null;
  #shown = ""; // what #show() has put there: news that change nothing must not take the focus away
  #chips = h("span", { class: "label-chips" });
  #choices = h("span", { class: "label-choices" });
  #list = h("datalist", { id: "known-labels" });
  #input = h("input", { type: "text", list: "known-labels", maxlength: 64, placeholder: t("Another label"), "aria-label": t("Label of this event"), onkeydown: (event) => {
    if (event.key !== "Enter" || !this.#input.value.trim()) return;
    event.preventDefault();
    this.say({ label: this.#input.value.trim() });
    this.#input.value = "";
    this.#input.blur();
  } });

  /** `onsaid` gets the event as it is after a person said something. */
  constructor(onsaid, signal) {
    this.onsaid = onsaid;
    this.signal = signal;
    this.element = h("div", { class: "label-field", role: "group", "aria-label": t("Labels") }, this.#chips, store.operator && [this.#choices, this.#input, this.#list]);
    this.learn();
  }

  /** Asks which labels were taught: those with the most examples get the first keys, then `fresh`, which is being learnt. */
  async learn(fresh = []) {
    try {
      const { labels } = await get("api/labels", this.signal);
      const taught = [...labels.sort((a, b) => b.examples - a.examples).map(({ label }) => label), ...fresh];
      this.names = [...new Set([...taught, ...byShape])].slice(0, 9);
      this.#list.replaceChildren(...[...new Set([...taught, ...byShape])].map((value) => h("option", { value })));
    } catch (error) {
      failure(error);
    }
    this.#show();
  }

  /** A time without pictures shows nothing that could have a name: the field is hidden then, and its keys do nothing. */
  show(event) {
    this.#event = event && !isOutage(event.label) ? event : null;
    this.element.hidden = Boolean(event) && !this.#event;
    this.#show();
  }

  /** {label}, {not} or {label: null} of the event that is shown. */
  async say(words) {
    const event = this.#event;
    if (!event || !store.operator) return;
    try {
      this.onsaid(await post(eventPath(event.id, "label"), words));
      if (words.label && !this.names.includes(words.label)) await this.learn([words.label]);
    } catch (error) {
      failure(error);
    }
  }

  /** The key 1 to 9. A second time it takes the label back. */
  key(number) {
    const label = this.names[number - 1];
    if (!label || !this.#event) return;
    const said = (this.#event.labels ?? []).some((l) => l.label === label && !l.guessed && l.score >= least);
    this.say({ label: said ? null : label });
  }

  /** The key x: the best guess is wrong. */
  wrong() {
    const guess = labelsOf(this.#event ?? {}).find((l) => l.guessed);
    if (guess) this.say({ not: guess.label });
  }

  #show() {
    const all = labelsOf(this.#event ?? {});
    const now = JSON.stringify([all, this.names]);
    if (now === this.#shown) return;
    this.#shown = now;
    this.#chips.replaceChildren(...all.map(({ label, score, guessed }) => h("span", { class: `label-chip${guessed ? " guessed" : ""}`, title: guessed ? t("Guessed") : t("A person said so") },
      label, guessed && h("span", { class: "number" }, percent(score)),
      store.operator && h("button", { type: "button", class: "button quiet icon-only", "aria-label": guessed ? t("Not {label}", { label }) : t("Take {label} back", { label }),
        "aria-keyshortcuts": guessed ? "x" : undefined, onclick: () => this.say(guessed ? { not: label } : { label: null }) }, icon("close")))));
    if (!all.length) this.#chips.replaceChildren(h("span", { class: "label-none" }, t("No label")));
    this.#choices.replaceChildren(...this.names.map((label, i) => h("button", { type: "button", class: "button quiet label-choice", "aria-keyshortcuts": String(i + 1),
      "aria-pressed": String(all.some((l) => l.label === label && !l.guessed)), onclick: () => this.key(i + 1) }, h("kbd", {}, String(i + 1)), label)));
  }
}
