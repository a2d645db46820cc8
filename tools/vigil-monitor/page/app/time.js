// SPDX-License-Identifier: LGPL-2.1-or-later
// Times in the viewer's zone. The server speaks seconds since 1970 in UTC.
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const clockMinutes = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" });

export const now = () => Date.now() / 1000;
export const timeOfDay = (t) => clock.format(t * 1000);
export const hourMinute = (t) => clockMinutes.format(t * 1000);
export const fullTime = (t) => whole.format(t * 1000);
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

export function dayName(t) {
  const start = dayStart(t);
  if (start === dayStart()) return "Today";
  if (start === dayStart(now(), -1)) return "Yesterday";
  return day.format(t * 1000);
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
  if (n < 60) return `${n} s`;
  if (n < 3600) return `${Math.floor(n / 60)} min ${String(n % 60).padStart(2, "0")} s`;
  if (n < 86400) return `${Math.floor(n / 3600)} h ${String(Math.floor(n / 60) % 60).padStart(2, "0")} min`;
  return `${Math.floor(n / 86400)} d ${Math.floor(n / 3600) % 24} h`;
}

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (n >= 1000 && unit < units.length - 1) { n /= 1000; unit++; }
  return `${n.toFixed(unit && n < 100 ? 1 : 0)} ${units[unit]}`;
}

/** A number with no more digits than it needs. */
export const digits = (n, most = 3) => Number(n.toPrecision(most)).toString();
export const percent = (x) => `${digits(x * 100, 2)} %`;
