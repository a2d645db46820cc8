// SPDX-License-Identifier: LGPL-2.1-or-later
// Sets the chosen theme before anything is painted; theme.js changes it later.
{
  const chosen = localStorage.getItem("theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
}
