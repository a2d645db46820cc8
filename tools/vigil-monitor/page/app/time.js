// SPDX-License-Identifier: LGPL-2.1-or-later
// Times in the viewer's zone. The server speaks seconds since 1970 in UTC.
import { locale, number, t } from "./text.js";
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const clockMinutes = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });
const whole = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" });

export const now = () => Date.now() / 1000;
export const timeOfDay = (time) => clock.format(time * 1000);
export const hourMinute = (time) => clockMinutes.format(time * 1000);
export const fullTime = (time) => whole.format(time * 1000);
export const zoneName = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Midnight of the day of t, in the viewer's zone. A day can last 23 or 25 hours: ask for the next day's start, do not add. */
export function dayStart(t = now(), days = 0) {
  const d = new Date(t * 1000);
  return new Date(d.getFullYear(), d.getMonth(), d.getDate() + days).getTime() / 1000;
}

/** When the hour (0 to 23) of the day that begins at `start` begins. On the day on which clocks are set one lasts two hours or none. */
export function hourStart(start, hour) {
  const d = new Date(start * 1000);
  return new Date(d.getFullYear(), d.getMonth(), d.getDate(), hour).getTime() / 1000;
}

export function dayName(time) {
  const start = dayStart(time);
  if (start === dayStart()) return t("Today");
  if (start === dayStart(now(), -1)) return t("Yesterday");
  return day.format(time * 1000);
}

/** For <input type=date>: 2026-11-22. */
export function dateValue(t) {
  const d = new Date(t * 1000);
  return [d.getFullYear(), d.getMonth() + 1, d.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
}

/** The day's start; NaN for what is no day from 1970 to today, such as the year 0002 on the way to 2026. */
export function fromDateValue(text) {
  const [y, m, d] = text.split("-").map(Number);
  const start = new Date(y, m - 1, d).getTime() / 1000;
  return y >= 1970 && start <= now() ? start : NaN;
}

/** 4 s, 3 min 05 s, 2 h 10 min, 3 d 4 h */
export function span(seconds) {
  const n = Math.max(0, Math.round(seconds));
  const two = (part) => String(part).padStart(2, "0");
  if (n < 60) return t("{s} s", { s: n });
  if (n < 3600) return t("{min} min {s} s", { min: Math.floor(n / 60), s: two(n % 60) });
  if (n < 86400) return t("{h} h {min} min", { h: Math.floor(n / 3600), min: two(Math.floor(n / 60) % 60) });
  return t("{d} d {h} h", { d: number(Math.floor(n / 86400)), h: Math.floor(n / 3600) % 24 });
}

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (n >= 1000 && unit < units.length - 1) { n /= 1000; unit++; }
  const places = unit && n < 100 ? 1 : 0;
  return `${fixed(n, places)} ${units[unit]}`;
}

/** With so many digits after the point, which the language may write as a comma. */
export const fixed = (n, places) => number(n, { minimumFractionDigits: places, maximumFractionDigits: places });
/** A number with no more digits than it needs. */
export const digits = (n, most = 3) => number(Number(n.toPrecision(most)), { maximumFractionDigits: 20, useGrouping: false });
export const percent = (x) => `${digits(x * 100, 2)} %`;
