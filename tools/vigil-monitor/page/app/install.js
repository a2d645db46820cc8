// SPDX-License-Identifier: LGPL-2.1-or-later
// The page as an app: registers the service worker, which browsers allow by https and on localhost only, and says when the
// server has another version of the page than the one that is open.
import { live } from "./live.js";
import { notice } from "./notice.js";
import { t } from "./text.js";

/** The registration; null where this browser, or this address, has no service workers. */
export const worker = "serviceWorker" in navigator
  ? navigator.serviceWorker.register("service-worker.js", { scope: "./", updateViaCache: "none" }).catch(() => null) : Promise.resolve(null);

const open = 3600_000; // ms; for a wall that nobody touches for days
let connected = false;

/** Once the page is shown. */
export function watchVersion() {
  if (!("serviceWorker" in navigator)) return;
  let had = navigator.serviceWorker.controller !== null; // the first worker is no news
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (had && document.querySelector(".notices")) notice(t("The server has a new version of this page"), { action: t("Load it"), onaction: () => location.reload(), stay: open });
    had = true;
  });
  // Somebody has touched a message.
  navigator.serviceWorker.addEventListener("message", ({ data }) => { if (data?.place?.startsWith("#/")) location.hash = data.place; });
  live.addEventListener("hello", async () => {
    if (connected) (await worker)?.update().catch(() => {}); // the server was away: it may be a new one
    connected = true;
  });
}
