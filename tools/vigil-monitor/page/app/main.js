// SPDX-License-Identifier: LGPL-2.1-or-later
// Starts the page: asks who we are, then shows the view of the address, or the login.
import { get, signIn } from "./api.js";
import { camera } from "../camera/camera.js";
import { events } from "../events/events.js";
import { heatmap } from "../events/heatmap.js";
import { emptyState } from "./dom.js";
import { watchVersion } from "./install.js";
import { listen } from "./keyboard.js";
import { live } from "./live.js";
import { login } from "./login.js";
import { route } from "./router.js";
import { shell } from "./shell.js";
import { store } from "./store.js";
import { system } from "../system/system.js";
import { timeline } from "../timeline/timeline.js";
import { wall } from "../wall/wall.js";

const views = { wall, camera, events, timeline, heatmap, system };
const titles = { wall: "Wall", events: "Events", timeline: "Timeline", heatmap: "Heat map", system: "System" };
let leave = null;

function askForToken() {
  if (document.querySelector(".login")) return;
  leave?.();
  leave = null;
  live.stop();
  document.title = "Sign in · Vigil";
  document.body.replaceChildren(login(start));
}

async function start() {
  try {
    store.version = await get("api/version");
    store.setAll(await get("api/cameras"));
  } catch (error) {
    if (error.status === 401) return; // "needed" was told
    document.body.replaceChildren(emptyState("offline", "The server does not answer", error.message));
    setTimeout(start, 2000);
    return;
  }
  const { frame, main, mark } = shell();
  document.body.replaceChildren(frame);
  document.documentElement.dataset.role = store.version.role;
  leave = route(views, main, (to) => {
    mark(to.view);
    document.title = `${to.view === "camera" ? to.names[0] : titles[to.view] ?? "Wall"} · Vigil`;
  });
}

signIn.addEventListener("needed", askForToken);
watchVersion();
listen();
start();
