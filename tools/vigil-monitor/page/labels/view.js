// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels: questions about events that look alike, and what was taught.
import { h } from "../app/dom.js";
import { live } from "../app/live.js";
import { store } from "../app/store.js";
import { t } from "../app/text.js";
import { byShape } from "./field.js";
import { questions } from "./questions.js";
import { taught } from "./taught.js";

const listId = "all-labels";

export function labels(root, _place, signal) {
  const names = h("datalist", { id: listId });
  const load = async () => {
    const known = (await table.load()).map(({ label }) => label);
    names.replaceChildren(...[...new Set([...known, ...byShape])].map((value) => h("option", { value })));
  };
  const table = taught({ onchange: () => load() }, signal);
  const asked = store.operator && questions({ listId, onanswer: () => load() }, signal);
  const body = h("div", { class: "labels-view", hidden: true }, asked && asked.element, table.element);
  root.append(h("div", { class: "view-head" }, h("h1", {}, t("Labels"))), names, body);
  live.watch({ cameras: [] });
  Promise.all([load(), asked && asked.load()]).then(() => { body.hidden = false; }); // at once, so that nothing moves
}
