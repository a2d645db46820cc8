// SPDX-License-Identifier: LGPL-2.1-or-later
// The labels that were taught, and how well each is known, in all and at each camera.
import { get, post, remove } from "../app/api.js";
import { h, iconButton } from "../app/dom.js";
import { failure, notice } from "../app/notice.js";
import { store, titleOf } from "../app/store.js";
import { number, t, tn } from "../app/text.js";
import { fullTime, percent } from "../app/time.js";

const quality = ({ accuracy, needs }) => [accuracy === null ? t("not known yet") : t("{share} right", { share: percent(accuracy) }), needs > 0 && t("needs {n} more", { n: needs })].filter(Boolean).join(", ");

/** Of the site's own codebook; null: there is none, nor will there be one. */
function codebookWords(book) {
  if (!book) return "";
  const { last } = book;
  const known = last && last.accuracy_before !== null && last.accuracy_after !== null;
  return [book.in_use && t("Labels go by a codebook of this site."), book.making && t("A codebook is being made."),
    last && !last.taken && (known ? t("The codebook of {time} is not used: {before} right without it, {after} with it.", { time: fullTime(last.time), before: percent(last.accuracy_before), after: percent(last.accuracy_after) })
      : t("At {time} no codebook was made.", { time: fullTime(last.time) }))].filter(Boolean).join(" ");
}

/** Asks before examples are gone for good. */
function ask(label, count, run) {
  const dialog = h("dialog", { class: "dialog", "aria-label": t("Delete {label}", { label }), onclose: () => dialog.remove() },
    h("div", { class: "body" }, h("p", {}, tn("Delete {label} with its example, and take the label off all events? This cannot be undone.", "Delete {label} with its {n} examples, and take the label off all events? This cannot be undone.", count, { label })),
      h("div", { class: "actions" }, h("button", { type: "button", class: "button primary", onclick: () => { dialog.close(); run(); } }, t("Delete")),
        h("button", { type: "button", class: "button", onclick: () => dialog.close() }, t("Cancel")))));
  document.body.append(dialog);
  dialog.showModal();
}

export function taught({ onchange }, signal) {
  const rows = h("tbody", {});
  const hint = h("p", { class: "hint", role: "status" });
  const file = h("input", { type: "file", accept: "application/json,.json", class: "unseen", "aria-label": t("A file of examples"), onchange: () => bring(file.files[0]) });
  const element = h("section", { class: "panel block", "aria-label": t("Labels") },
    h("div", { class: "labels-head" }, h("h2", {}, t("Known labels")), store.admin && [h("a", { class: "button", href: "api/labels/export", download: "vigil-labels.json" }, t("Export")),
      h("button", { type: "button", class: "button", onclick: () => file.click() }, t("Import")), file]),
    hint, h("div", { class: "table-room", tabindex: "0", role: "region", "aria-label": t("Labels") }, h("table", {}, h("thead", {}, h("tr", {}, [t("Name"), t("Examples"), t("Not that"), t("How well it is known"), t("At each camera"), ""].map((words) => h("th", { scope: "col" }, words)))), rows)));

  async function drop(label, count) {
    ask(label, count, async () => {
      try {
        const { examples } = await remove(`api/labels?label=${encodeURIComponent(label)}`);
        notice(tn("{label} is deleted, with its example", "{label} is deleted, with {n} examples", examples, { label }));
        await load();
        onchange();
      } catch (error) {
        failure(error);
      }
    });
  }
  /** The server takes bodies of 64 KiB: a larger file goes in parts. */
  async function bring(chosen) {
    if (!chosen) return;
    const most = 48000; // bytes of examples in a part: a body has 64 KiB
    let added = 0;
    try {
      const whole = JSON.parse(await chosen.text());
      if (!Array.isArray(whole.examples)) throw new Error(t("This file has no examples of labels."));
      // All examples of an event are in one part: those of events that have some already are left out.
      const examples = [...whole.examples].sort((a, b) => String(a.event ?? "").localeCompare(String(b.event ?? "")));
      for (let from = 0; from < examples.length;) {
        let to = from + 1;
        for (let size = JSON.stringify(examples[from]).length; to < examples.length; to += 1) {
          size += JSON.stringify(examples[to]).length + 1;
          if (size > most) break;
        }
        while (to < examples.length && examples[to].event && examples[to].event === examples[to - 1].event) to += 1;
        added += (await post("api/labels/import", { ...whole, examples: examples.slice(from, to) })).examples;
        from = to;
      }
      notice(examples.length === 1 ? t(added ? "The example is new" : "The example was known") : tn("1 of {all} examples is new", "{n} of {all} examples are new", added, { all: number(examples.length) }));
    } catch (error) {
      failure(error);
    }
    file.value = "";
    await load();
    onchange();
  }

  async function load() {
    try {
      const { labels, set_aside: aside, training, codebook } = await get("api/labels", signal);
      rows.replaceChildren(...labels.map((l) => h("tr", {}, h("th", { scope: "row" }, h("a", { href: `#/events?label=${encodeURIComponent(l.label)}` }, l.label)),
        h("td", { class: "number" }, String(l.examples)), h("td", { class: "number" }, String(l.counterexamples)),
        h("td", {}, quality(l), l.alike && h("p", { class: "hint" }, t("Looks like {label}: the same thing?", { label: l.alike }))),
        h("td", {}, Object.entries(l.cameras).map(([camera, of]) => h("p", {}, `${titleOf(camera)}: ${of.examples}, ${quality(of)}`))),
        h("td", {}, store.admin && iconButton("trash", t("Delete {label}", l), () => drop(l.label, l.examples), { class: "button quiet icon-only danger" })))));
      hint.textContent = [labels.length ? "" : t("Nothing was taught yet. Answer a question, or name an event."), training && t("Training."),
        aside && tn("1 example has a vector of another codebook: only its shape and motion count.", "{n} examples have vectors of another codebook: only their shape and motion count.", aside), codebookWords(codebook)].filter(Boolean).join(" ");
      if (training && !signal.aborted) setTimeout(load, 1000);
      return labels;
    } catch (error) {
      failure(error);
      return [];
    }
  }
  return { element, load };
}
