// SPDX-License-Identifier: LGPL-2.1-or-later
// One property as a control, made from its description: switch, choice, slider with number, or text. `onvalue(value, last)`
// is called while it is dragged (last false) and when it is let go (last true).
import { h, iconButton } from "../app/dom.js";
import { t } from "../app/text.js";
import { exponent, fromPosition, toPosition } from "./scale.js";

const steps = 1000; // of a slider
const shown = (value) => (value === null || value === undefined ? "" : typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value));
export const valueWords = (property, value) => (value === null ? t("none") : `${shown(value)}${property.unit ? ` ${property.unit}` : ""}`);
const tidy = (n) => (Math.abs(n) >= 1e6 ? n.toExponential(0).replace("e+", "e") : shown(n));

function boolInput(property, id, send) {
  const input = h("input", { type: "checkbox", id, onchange: () => send(input.checked, true) });
  return { inputs: [input], head: h("span", { class: "switch" }, input, h("span")), show: (v) => { input.checked = Boolean(v); } };
}

function enumInput(property, id, send) {
  const input = h("select", { id, onchange: () => send(input.value, true) },
    property.values.map(({ nick, name }) => h("option", { value: nick, title: name }, nick)));
  const words = h("span", { class: "hint" });
  return { inputs: [input], head: input, below: words, show: (v) => {
    input.value = v;
    words.textContent = property.values.find(({ nick }) => nick === v)?.name ?? "";
  } };
}

function textInput(property, id, send) {
  const input = h("input", { type: "text", id, class: "wide", placeholder: t("none"), spellcheck: "false", maxLength: 4096,
    onchange: () => send(input.value, true) });
  return { inputs: [input], below: input, show: (v) => { input.value = shown(v); } };
}

function numberInput(property, id, send) {
  const { min, max, type } = property;
  const whole = type === "int";
  const e = exponent(min, max, property.default ?? min);
  const number = h("input", { type: "number", id, min: String(min), max: String(max), step: whole ? "1" : "any", inputMode: whole ? "numeric" : "decimal" });
  const slider = h("input", { type: "range", min: "0", max: String(steps), step: "1", "aria-label": t("{name}, slider", { name: property.name }) });
  let current = null;
  const tell = (value) => {
    current = value;
    slider.value = String(Math.round(steps * toPosition(value, min, max, e)));
    slider.setAttribute("aria-valuetext", valueWords(property, value));
    slider.style.setProperty("--filled", `${slider.value / (steps / 100)}%`);
  };
  const drag = (last) => {
    const value = fromPosition(Number(slider.value) / steps, min, max, e, whole);
    number.value = shown(value);
    slider.setAttribute("aria-valuetext", valueWords(property, value));
    slider.style.setProperty("--filled", `${slider.value / (steps / 100)}%`);
    send(value, last);
  };
  slider.addEventListener("input", () => drag(false));
  slider.addEventListener("change", () => drag(true));
  number.addEventListener("change", () => {
    const value = number.value === "" ? NaN : Number(number.value);
    if (Number.isFinite(value)) send(Math.min(max, Math.max(min, whole ? Math.round(value) : value)), true);
    else number.value = shown(current); // no number: the field tells again what holds
  });
  if (typeof property.default === "number") {
    slider.dataset.default = "";
    slider.style.setProperty("--default", String(toPosition(property.default, min, max, e)));
  }
  const unit = property.unit ? h("span", { class: "unit hint" }, property.unit) : null;
  return { inputs: [number, slider], head: h("span", { class: "with-unit" }, number, unit),
    below: h("div", { class: "slider" }, h("span", { class: "range hint number", "aria-hidden": "true" }, tidy(min)), slider,
      h("span", { class: "range hint number", "aria-hidden": "true" }, tidy(max))),
    show: (v) => { number.value = shown(v); tell(v); } };
}

function readOnly(property, id) {
  const output = h("output", { id, class: "hint number" });
  return { inputs: [], head: output, show: (v) => { output.textContent = valueWords(property, v); } };
}

const makers = { bool: boolInput, enum: enumInput, string: textInput, int: numberInput, float: numberInput };

export class Control {
  #made;
  held = false; // while it is dragged, what the server tells waits

  constructor(element, property, { editable, onvalue, onreset }) {
    this.property = property;
    const id = `${element.name}-${property.name}`;
    const live = property.mutable === "playing";
    const maker = property.writable ? makers[property.type] ?? readOnly : readOnly;
    const send = (value, last) => {
      this.held = !last;
      onvalue(this, value, last);
    };
    this.#made = maker(property, id, send);
    for (const input of this.#made.inputs) {
      input.disabled = !editable;
      input.setAttribute("aria-describedby", `${id}-hint`);
    }
    this.reset = iconButton("reset", t("Set {name} back", { name: property.name }), () => onreset(this), { class: "button quiet icon-only small" });
    const facts = [property.default !== null && property.writable ? t("Default {value}", { value: valueWords(property, property.default) }) : null,
      property.configured !== null && property.configured !== undefined ? t("configured {value}", { value: valueWords(property, property.configured) }) : null,
      live || !property.writable ? null : t("the camera restarts with a change")].filter(Boolean).join(", ");
    this.element = h("div", { class: "control", data: { type: property.type, name: property.name } },
      h("div", { class: "control-head" }, h("label", { for: id }, property.name), this.reset, this.#made.head),
      this.#made.below, h("p", { class: "hint", id: `${id}-hint` }, property.blurb, facts ? h("span", { class: "facts" }, ` ${facts}.`) : null));
    this.show(property);
  }

  /** Whether it differs from what it is without the page. */
  get changed() { return this.property.overridden; }

  show(property) {
    this.property = property;
    if (this.held) return;
    this.#made.show(property.value);
    this.element.classList.toggle("changed", property.overridden);
    this.reset.style.visibility = property.overridden && !this.#made.inputs[0]?.disabled ? "visible" : "hidden";
  }

  matches(words) {
    const text = `${this.property.name} ${this.property.blurb}`.toLowerCase();
    return words.every((word) => text.includes(word));
  }
}
