// SPDX-License-Identifier: LGPL-2.1-or-later
// The page while the server is away: says so, asks again, and loads the real page once the server answers.
import { h, setText } from "./dom.js";
import { t } from "./text.js";
import { now, timeOfDay } from "./time.js";

const every = 3000; // ms
const away = now();
const state = h("p", { role: "status" });
let asking = false;

async function ask() {
  if (asking) return;
  asking = true;
  try {
    const answer = await fetch("healthz", { cache: "no-store" });
    if (answer.headers.get("X-Content-Type-Options")) location.reload(); // a proxy that answers for the server does not count
  } catch {
    // It is still away.
  }
  asking = false;
}

document.title = t("{what} · Vigil", { what: t("The server is away") });
document.body.replaceChildren(h("main", { class: "offline" }, h("img", { src: "favicon.svg", alt: "" }), h("h1", {}, t("The server is away")),
  h("p", {}, t("The server of the cameras does not answer. Nothing is shown, since old pictures would look live. This page tries again by itself.")), state,
  h("button", { type: "button", class: "button primary", onclick: ask }, t("Try again"))));
setText(state, t("Away since {time}", { time: timeOfDay(away) }));
setInterval(ask, every);
addEventListener("online", ask);
