// SPDX-License-Identifier: LGPL-2.1-or-later
// Zones, lines, masks and private parts as points: coordinates are "x1,y1,x2,y2,...", each from 0 to 1 of the picture's width and height.
import { t } from "../app/text.js";
export const kinds = {
  zones: { word: t("Zone"), stem: "zone", icon: "zone", least: 3, key: "z", what: t("counts and reports what enters it") },
  lines: { word: t("Line"), stem: "line", icon: "line", least: 2, most: 2, key: "x", what: t("reports what crosses it, and which way") },
  masks: { word: t("Mask"), stem: "mask", icon: "mask", least: 3, key: "k", what: t("hides what moves inside it") },
  privacy: { word: t("Privacy"), stem: "private", icon: "privacy", least: 3, key: "y", what: t("is neither recorded nor shown") },
};
/** In the middle of a sentence. */
export const kindWord = (kind) => ({ zones: t("zone"), lines: t("line"), masks: t("mask"), privacy: t("private part") })[kind];
export const mostPoints = 64;
export const goodName = /^[A-Za-z0-9_-]{1,32}$/;

export function parse(coordinates) {
  const numbers = coordinates.split(",").map(Number);
  return Array.from({ length: numbers.length >> 1 }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]]);
}

export const format = (points) => points.flat().map((v) => Number(v.toFixed(4))).join(",");
export const clamp = (v) => Math.min(1, Math.max(0, v));

/** All shapes of a Camera, as {kind, name, points, options}. */
export function shapesOf(camera) {
  return Object.keys(kinds).flatMap((kind) => Object.entries(camera[kind]).map(([name, { coordinates, ...options }]) =>
    ({ kind, name, points: parse(coordinates), options })));
}

const side = (a, b, p) => Math.sign((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]));

function cross(a, b, c, d) {
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

/** Whether two sides of the closed polygon cross; neighbours share a corner and do not count. */
export function crossesItself(points) {
  const n = points.length;
  for (let i = 0; i < n; i++) {
    for (let j = i + 2; j < n; j++) {
      if (i === 0 && j === n - 1) continue;
      if (cross(points[i], points[i + 1], points[j], points[(j + 1) % n])) return true;
    }
  }
  return false;
}

/** Why the shape cannot be used, or null. */
export function fault({ kind, points }) {
  const { least } = kinds[kind];
  if (points.length < least) return { zones: t("A zone needs at least {n} points.", { n: least }), lines: t("A line needs at least {n} points.", { n: least }), masks: t("A mask needs at least {n} points.", { n: least }), privacy: t("A private part needs at least {n} points.", { n: least }) }[kind];
  if (kind === "lines" && Math.hypot(points[0][0] - points[1][0], points[0][1] - points[1][1]) < 0.01) return t("The line's ends lie at the same place.");
  if (kind !== "lines" && crossesItself(points)) return { zones: t("The zone's sides cross each other."), masks: t("The mask's sides cross each other."), privacy: t("The private part's sides cross each other.") }[kind];
  return null;
}

/** The first of zone-1, zone-2, ... that is free. */
export function freeName(kind, shapes) {
  const { stem } = kinds[kind];
  for (let i = 1; ; i++) {
    if (!shapes.some((shape) => shape.kind === kind && shape.name === `${stem}-${i}`)) return `${stem}-${i}`;
  }
}

export function centre(points) {
  const sum = points.reduce(([x, y], [px, py]) => [x + px, y + py], [0, 0]);
  return sum.map((v) => v / points.length);
}

/** Moves all points by dx, dy, as far as all of them stay in the picture. */
export function moved(points, dx, dy) {
  const room = (axis, d) => Math.min(1 - Math.max(...points.map((p) => p[axis])), Math.max(-Math.min(...points.map((p) => p[axis])), d));
  return points.map(([x, y]) => [x + room(0, dx), y + room(1, dy)]);
}
