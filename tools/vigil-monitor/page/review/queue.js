// SPDX-License-Identifier: LGPL-2.1-or-later
// The order of the review: events of one camera in one minute are one item, and what weighs more comes first.
import { isOutage } from "../events/words.js";

const minute = 60; // seconds

/** Loitering first, then what was taught or names itself, then trouble of the camera's view, outages, and motion last. */
export function weight({ label, labels = [] }) {
  if (label === "loitering") return 4;
  if (label === "motion") return labels.some(({ by, score }) => by !== "shape" && score >= 0.5) ? 3 : 0;
  if (isOutage(label)) return 1;
  return label.startsWith("camera-") ? 2 : 3;
}

const keyOf = (event) => `${event.camera} ${Math.floor(event.start_time / minute)}`;

/** [{key, events, event, weight}]: `event` is the one that weighs most, and of those the newest. */
export function itemsOf(events) {
  const items = new Map();
  for (const event of events) {
    const key = keyOf(event);
    if (!items.has(key)) items.set(key, { key, events: [] });
    items.get(key).events.push(event);
  }
  for (const item of items.values()) {
    item.events.sort((a, b) => weight(b) - weight(a) || b.start_time - a.start_time);
    [item.event] = item.events;
    item.weight = weight(item.event);
  }
  return [...items.values()].sort((a, b) => b.weight - a.weight || b.event.start_time - a.event.start_time);
}
