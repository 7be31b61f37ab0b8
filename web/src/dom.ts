// SPDX-License-Identifier: MIT
// Elements from code. Strings always become text nodes, so that no name from a user's file is read as markup.

type Attribute = string | number | boolean | undefined;
export type Child = Node | string;

export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, Attribute> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/** A text that no line ends within, unless it is too long for that. */
export function unbroken(text: string, ...more: Child[]): HTMLElement {
  return el("span", text.length <= 30 ? { class: "word" } : {}, text, ...more);
}

/** A headed part of the page, labelled for screen readers and reachable by its address. */
export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  const heading = el("h2", { id: `${id}-title` }, title);
  return el("section", { id, "aria-labelledby": heading.id }, heading, ...children);
}

export function button(
  label: string,
  action: () => void,
  attributes: Record<string, Attribute> = {},
): HTMLButtonElement {
  const element = el("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", action);
  return element;
}

let choices = 0;

/** One of a few options as a row of radio buttons: arrow keys move between them. */
export function choice<Value extends string>(
  title: string,
  options: readonly (readonly [Value, string])[],
  chosen: Value,
  onChange: (value: Value) => void,
): HTMLFieldSetElement {
  const name = `choice-${++choices}`;
  const field = el("fieldset", { class: "choice" }, el("legend", {}, title));
  for (const [value, label] of options) {
    const input = el("input", { type: "radio", name, value, checked: value === chosen });
    input.addEventListener("change", () => onChange(value));
    field.append(el("label", {}, input, el("span", {}, label)));
  }
  return field;
}

/** A table in a box of its own that scrolls sideways where the screen is narrow. */
export function scrollable(title: string, table: HTMLTableElement): HTMLElement {
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, table);
}
