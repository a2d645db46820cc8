// SPDX-License-Identifier: LGPL-2.1-or-later
// Groups of events that are alike and that nobody has named: one answer names all of a group.
import { get, post } from "../app/api.js";
import { emptyState, h, iconButton } from "../app/dom.js";
import { failure } from "../app/notice.js";
import { titleOf } from "../app/store.js";
import { t, tn } from "../app/text.js";
import { fullTime, percent } from "../app/time.js";
import { thumbnail } from "../events/words.js";

/** {element, load}. `listId`: of the datalist with the labels that exist. `onanswer` is called when something was taught. */
export function questions({ listId, onanswer }, signal) {
  const list = h("div", { class: "questions" });
  const element = h("section", { class: "panel block", "aria-label": t("Questions") },
    h("div", { class: "labels-head" }, h("h2", {}, t("What is this?")), iconButton("reset", t("Ask again"), () => load(), { shown: true })),
    h("p", { class: "hint" }, t("Events that look alike and that nobody has named, the least certain first. Take out what does not belong, then name the rest.")), list);

  /** The card says what was answered, and keeps its place: what is below must not move under a finger. */
  async function answer(card, events, words) {
    const question = [...card.children];
    const ask = () => card.replaceChildren(...question);
    card.style.minHeight = `${card.offsetHeight}px`;
    card.replaceChildren();
    try {
      const { taught } = await post("api/labels", { events, ...words });
      const undo = () => post("api/labels", { events, label: null }).then(() => { ask(); onanswer(); }, failure);
      card.replaceChildren(h("p", { class: "question-answered", role: "status" },
        words.label ? tn("1 event is {label} now", "{n} events are {label} now", events.length, words) : tn("1 event is not {not}", "{n} events are not {not}", events.length, words),
        iconButton("undo", t("Undo"), undo)), taught < events.length && h("p", { class: "hint" }, tn("1 of them has no track to learn from", "{n} of them have no track to learn from", events.length - taught)) || "");
      onanswer();
    } catch (error) {
      ask();
      failure(error);
    }
  }

  function group({ events, guess }) {
    const chosen = new Set(events.map((event) => event.id));
    const ask = h("h3", {});
    const say = () => { ask.textContent = guess ? t("These {n} look alike: all {label}?", { n: chosen.size, label: guess.label }) : t("These {n} look alike: what are they?", { n: chosen.size }); };
    const field = h("input", { type: "text", list: listId, maxlength: 64, placeholder: t("Another label"), "aria-label": t("Label of these events"), onkeydown: (event) => {
      const label = field.value.trim();
      if (event.key !== "Enter" || !label || !chosen.size) return;
      event.preventDefault();
      answer(card, [...chosen], { label });
    } });
    const pictures = events.map((event) => {
      const picture = h("button", { type: "button", class: "question-picture", "aria-pressed": "true", title: `${titleOf(event.camera)}, ${fullTime(event.start_time)}`,
        "aria-label": `${titleOf(event.camera)}, ${fullTime(event.start_time)}`, onclick: () => {
          if (!chosen.delete(event.id)) chosen.add(event.id);
          picture.setAttribute("aria-pressed", String(chosen.has(event.id)));
          say();
        } }, h("img", { src: thumbnail(event) ?? "", alt: "", loading: "lazy" }));
      return picture;
    });
    const card = h("article", { class: "question" }, ask, h("div", { class: "question-pictures" }, pictures),
      h("div", { class: "question-answers" },
        guess && h("button", { type: "button", class: "button primary", onclick: () => chosen.size && answer(card, [...chosen], { label: guess.label }) }, t("All {label}", guess)),
        guess && h("button", { type: "button", class: "button", onclick: () => chosen.size && answer(card, [...chosen], { not: guess.label }) }, t("Not {label}", guess)),
        field, h("a", { class: "button quiet", href: `#/events?id=${encodeURIComponent(events[0].id)}` }, t("Look")),
        guess && h("span", { class: "hint number" }, t("guessed with {score}", { score: percent(guess.score) }))));
    say();
    return card;
  }

  async function load() {
    try {
      const { groups } = await get("api/labels/groups", signal);
      list.replaceChildren(...groups.map(group));
      if (!groups.length) list.replaceChildren(emptyState("events", t("Nothing to ask"), t("As soon as a few events look alike and have no name, they appear here.")));
    } catch (error) {
      failure(error);
    }
  }
  return { element, load };
}
