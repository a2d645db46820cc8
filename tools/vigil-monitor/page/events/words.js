// SPDX-License-Identifier: LGPL-2.1-or-later
// What events and their labels are called and look like, everywhere on the page.
import { eventPath } from "../app/api.js";

const known = { motion: "Motion", light_jump: "Light switched" };

export const labelWords = (label) => known[label] ?? label.charAt(0).toUpperCase() + label.slice(1).replaceAll("_", " ");
export const labelIcon = (label) => ({ motion: "motion", light_jump: "light", person: "person" })[label] ?? "motion";

/** Where an event's picture is; null while it has none. Until the event has ended a better one can replace it. */
export const thumbnail = (event) => (event.has_snapshot ? `${eventPath(event.id, "thumbnail.jpg")}${event.end_time ? "?end" : ""}` : null);
