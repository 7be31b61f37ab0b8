// SPDX-License-Identifier: MIT
// Light or dark: as the system says, until the reader chooses.
import { button } from "./dom";

const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : dark.matches;
}

/** Pictures made of pixels do not follow style sheets; they are drawn anew. */
export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

export function themeButton(): HTMLButtonElement {
  const toggle = button("", () => {
    document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
    update();
  });
  toggle.id = "theme";
  const update = () => {
    toggle.textContent = isDark() ? "Light" : "Dark";
    toggle.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
    for (const listener of listeners) listener();
  };
  dark.addEventListener("change", update);
  update();
  return toggle;
}

/** The value of a style sheet's variable in the light theme or in the one that is seen. */
export function themeVariables(theme: "light" | "current"): (name: string) => string {
  const probe = theme === "light" ? lightProbe() : document.documentElement;
  const style = getComputedStyle(probe);
  return (name) => style.getPropertyValue(name).trim();
}

function lightProbe(): HTMLElement {
  const existing = document.getElementById("light-probe");
  if (existing) return existing;
  const probe = document.createElement("div");
  probe.id = "light-probe";
  probe.hidden = true;
  probe.dataset["theme"] = "light";
  document.body.append(probe);
  return probe;
}
