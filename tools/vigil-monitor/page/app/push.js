// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages to this browser by web push: subscribes it, and keeps what the browser and the server know of each other in step.
import { get, patch, post, remove } from "./api.js";
import { worker } from "./install.js";
import { language, t } from "./text.js";
import { zoneName } from "./time.js";

const kept = "push-device"; // of localStorage: the server's id of this browser
export const ownDevice = () => localStorage.getItem(kept);
export const devicePath = (id, more = "") => `api/push/devices/${encodeURIComponent(id)}${more}`;

/** Why this browser takes no messages, in words; null: it can. */
export function whyNot() {
  if (!isSecureContext) return t("Messages need https: browsers allow them to secure addresses only, and on the server's own machine.");
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis) || !("Notification" in globalThis))
    return t("This browser takes no messages. On an iPhone or iPad, add this page to the home screen first, and open it there.");
  if (Notification.permission === "denied") return t("This browser's settings forbid messages from this page. Allow them there first.");
  return null;
}

/** Of the kept id alone: what the browser has is another matter. */
async function subscription() {
  return (await (await worker)?.pushManager?.getSubscription()) ?? null;
}

/** Asks the browser, then the server. The device, as the server shows it. `settings`: those of before, where there are some. */
export async function subscribe(key, settings = {}) {
  if (await Notification.requestPermission() !== "granted") throw new Error(t("The browser was not allowed to show messages."));
  const registration = await worker;
  if (!registration) throw new Error(t("This browser did not take the page's service worker."));
  await navigator.serviceWorker.ready;
  let made;
  try {
    // One of another server's key cannot be changed.
    await (await registration.pushManager.getSubscription())?.unsubscribe();
    made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch (error) {
    throw new Error(t("The browser's push service did not answer: {why}", { why: error.message }));
  }
  const device = await post("api/push/devices", { subscription: made.toJSON(), settings: { ...settings, language, time_zone: zoneName() } });
  localStorage.setItem(kept, device.id);
  return device;
}

/** No more messages to this browser. */
export async function unsubscribe() {
  const id = ownDevice();
  localStorage.removeItem(kept);
  await (await subscription())?.unsubscribe().catch(() => {});
  if (id) await remove(devicePath(id)).catch((error) => { if (error.status !== 404) throw error; });
}

const chosen = ({ cameras, labels, zones, quiet_hours, days, min_interval }) => ({ cameras, labels, zones, quiet_hours, days, min_interval });

/** After a change of the password, which ends all devices: this one goes on with what was chosen. */
export async function renew(before) {
  if (!ownDevice() || whyNot()) return;
  const { enabled, key } = await get("api/push");
  if (enabled) await subscribe(key, before ? chosen(before) : {});
}

/** At the start of the page: a device that was ended elsewhere ends here, too; a subscription that the browser lost is made again. */
export async function settlePush() {
  const id = ownDevice();
  if (!id || whyNot() || Notification.permission !== "granted") return;
  const { enabled, key, devices } = await get("api/push");
  const known = devices.find((device) => device.own && device.id === id);
  if (!enabled || !known) {
    localStorage.removeItem(kept);
    await (await subscription())?.unsubscribe();
  } else if (await subscription()) {
    if (known.language !== language || known.time_zone !== zoneName()) await patch(devicePath(id), { language, time_zone: zoneName() });
  } else {
    await subscribe(key, chosen(known));
    await remove(devicePath(id)).catch(() => {});
  }
}
