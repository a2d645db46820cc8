// SPDX-License-Identifier: LGPL-2.1-or-later
// Starts the page: asks who we are, then shows the view of the address, or the login.
import { get, signIn } from "./api.js";
import { camera } from "../camera/camera.js";
import { events } from "../events/events.js";
import { heatmap } from "../events/heatmap.js";
import { emptyState } from "./dom.js";
import { watchVersion } from "./install.js";
import { listen } from "./keyboard.js";
import { labels } from "../labels/view.js";
import { live } from "./live.js";
import { login } from "./login.js";
import { settlePush } from "./push.js";
import { route } from "./router.js";
import { shell } from "./shell.js";
import { review } from "../review/review.js";
import { store } from "./store.js";
import { t } from "./text.js";
import { system } from "../system/system.js";
import { timeline } from "../timeline/timeline.js";
import { wall } from "../wall/wall.js";

const views = { wall, camera, events, review, timeline, heatmap, labels, system };
const titles = { wall: t("Wall"), events: t("Events"), review: t("Review"), timeline: t("Timeline"), heatmap: t("Heat map"), labels: t("Labels"), system: t("System") };
let leave = null;

function askForToken() {
  if (document.querySelector(".login")) return;
  leave?.();
  leave = null;
  live.stop();
  document.title = t("{what} · Vigil", { what: t("Sign in") });
  document.body.replaceChildren(login(start));
}

async function start() {
  try {
    store.version = await get("api/version");
    store.setAll(await get("api/cameras"));
  } catch (error) {
    if (error.status === 401) return; // "needed" was dispatched
    document.body.replaceChildren(emptyState("offline", t("The server does not answer"), error.message));
    setTimeout(start, 2000);
    return;
  }
  settlePush().catch(() => {}); // the next start tries it again
  const { frame, main, mark } = shell();
  document.body.replaceChildren(frame);
  document.documentElement.dataset.role = store.version.role;
  leave = route(views, main, (to) => {
    mark(to.view);
    document.title = t("{what} · Vigil", { what: to.view === "camera" ? to.names[0] : titles[to.view] ?? titles.wall });
  });
}

/** Where a session ended while the live connection was away, this machine's own requests may have another role from then on. */
async function lookWhoWeAre() {
  const now = await get("api/version").catch(() => null); // a refusal shows the login
  if (now && ["role", "user", "signed_in"].some((name) => now[name] !== store.version[name])) location.reload();
}

let lost = false; // the live connection
live.addEventListener("state", () => {
  if (live.connected && lost && leave) lookWhoWeAre();
  lost = !live.connected;
});
signIn.addEventListener("needed", askForToken);
watchVersion();
listen();
start();
