// SPDX-License-Identifier: LGPL-2.1-or-later
// The page's texts. The English text is the key, t("Wall"), and stands where it is shown; texts/LANGUAGE.json has the others.
// All modules that use this one wait until the catalogue is there, so that t() works everywhere, also at the top of a module.
export const languages = { en: "English", de: "Deutsch", fr: "Français", es: "Español", it: "Italiano" }; // by their own names

/** The language that was chosen in this browser; null: as the browser's own. */
export const chosenLanguage = () => {
  const chosen = localStorage.getItem("language");
  return chosen in languages ? chosen : null;
};

const base = (tag) => tag.toLowerCase().split("-")[0];
export const language = chosenLanguage() ?? navigator.languages.map(base).find((tag) => tag in languages) ?? "en";
/** For Intl: the browser's own variety of the language where it has one, such as en-GB. */
export const locale = navigator.languages.find((tag) => base(tag) === language) ?? language;

async function read() {
  if (language === "en") return {};
  try {
    const answer = await fetch(`texts/${language}.json`);
    return answer.ok ? await answer.json() : {};
  } catch {
    return {}; // the server went away just now: English is better than nothing
  }
}

const texts = await read();
const plural = new Intl.PluralRules(locale);
document.documentElement.lang = language;

const put = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

/** The text in the page's language, with {name} replaced. */
export const t = (text, values = {}) => put(texts[text] ?? text, values);

/** The same of a number, {n}: tn("1 event", "{n} events", n). */
export function tn(one, other, n, values = {}) {
  const single = plural.select(n) === "one";
  const found = texts[other];
  return put(found ? found[single ? 0 : 1] : single ? one : other, { n: number(n), ...values });
}

/** The same with elements in it, as a list for h(): tx("Look at {link}.", {link: h("a", ...)}). */
export const tx = (text, nodes) => (texts[text] ?? text).split(/(\{\w+\})/).map((part) => nodes[part.slice(1, -1)] ?? part);

/** A number as this language writes it. */
export const number = (n, options) => new Intl.NumberFormat(locale, options).format(n);

export function setLanguage(name) {
  if (name) localStorage.setItem("language", name);
  else localStorage.removeItem("language");
  location.reload();
}
