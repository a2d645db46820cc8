// SPDX-License-Identifier: LGPL-2.1-or-later
// What events and their labels are called and look like, everywhere on the page.
import "./labels.js";
import { cameraPath, eventPath, query } from "../app/api.js";
import { live } from "../app/live.js";
import { store } from "../app/store.js";
import { t } from "../app/text.js";
import { now } from "../app/time.js";

const known = globalThis.labelTexts;

/** Whether an event is an outage, of which there is no picture. */
export const isOutage = (label) => label in known && label.endsWith("-offline");

/** Names that people and models gave stay as they are: a zone's field takes them so, and a_b is another label than "a b". */
export const labelWords = (label) => (Object.hasOwn(known, label) ? t(known[label]) : label);
export const labelIcon = (label) => (isOutage(label) ? "offline" : label in known && label.startsWith("camera-") ? "warning" : ({ person: "person" })[label] ?? "motion");

const young = 2; // seconds in which an event's first picture may still be on its way to the disk

/** Where an event's picture is; null where it has none. While it goes on a better one can replace it, and before it has
 * one of its own its camera's present picture stands in. */
export function thumbnail(event) {
  const ended = event.end_time !== null;
  if (isOutage(event.label)) return null;
  const own = event.has_snapshot && (ended || now() + live.clockOffset - event.start_time >= young);
  if (own) return `${eventPath(event.id, "thumbnail.jpg")}${ended ? "?end" : ""}`;
  return ended ? null : cameraPath(event.camera, "latest.jpg") + query({ event: event.id });
}

const writing = 30; // seconds after an event's end in which its clip may still be on its way to the disk

/** Whether an event that has no clip will have one. */
export function clipComes(event) {
  if (event.has_clip || isOutage(event.label) || store.cameras.get(event.camera)?.record_enabled === false) return false;
  return event.end_time === null || now() + live.clockOffset - event.end_time < writing;
}

export function clipWords(event) {
  if (isOutage(event.label)) return event.end_time ? t("In this time the camera gave no picture.") : t("The camera gives no picture.");
  if (!clipComes(event)) return t("This event has no clip.");
  return event.end_time === null ? t("The clip is ready when the event has ended.") : t("The clip is being written.");
}
