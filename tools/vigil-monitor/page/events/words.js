// SPDX-License-Identifier: LGPL-2.1-or-later
// What labels are called and look like, everywhere on the page.
const known = { motion: "Motion", light_jump: "Light switched" };

export const labelWords = (label) => known[label] ?? label.charAt(0).toUpperCase() + label.slice(1).replaceAll("_", " ");
export const labelIcon = (label) => ({ motion: "motion", light_jump: "light", person: "person" })[label] ?? "motion";
