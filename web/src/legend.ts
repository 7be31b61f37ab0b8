// SPDX-License-Identifier: MIT
// A legend of buttons. Pointing at one or reaching it by keyboard brings its curve forward; a click keeps it there.
import type { CurveStyle } from "./curve_style";
import { curveStyle } from "./curve_style";
import type { ComparedCurve } from "./document";
import { el } from "./dom";
import { sample } from "./line_chart";

export interface Legend {
  element: HTMLElement;
  /** To a chart that was drawn anew. */
  apply: (chart: Element) => void;
}

export function legend(
  entries: readonly ComparedCurve[],
  styles: ReadonlyMap<string, CurveStyle>,
  charts: Element,
): Legend {
  let pinned: string | null = null;
  let pointed: string | null = null;
  const apply = (chart: Element) => {
    const chosen = pointed ?? pinned;
    for (const group of chart.querySelectorAll(".curve")) {
      group.classList.toggle("dimmed", chosen !== null && group.getAttribute("data-label") !== chosen);
    }
  };
  const point = (label: string | null) => {
    pointed = label;
    apply(charts);
  };
  const list = el("ul", { class: "legend", "aria-label": "Curves" });
  for (const entry of entries) {
    const name = el("span", { class: "name" }, entry.label);
    const button = el(
      "button",
      { type: "button", "aria-pressed": "false", "data-label": entry.label, title: entry.parameters },
      sample(styles.get(entry.label) ?? curveStyle(0, entry.ours)),
      name,
    );
    if (entry.parameters) button.append(el("small", {}, entry.parameters));
    if (entry.ours) button.append(el("small", { class: "ours" }, "beyond the paper"));
    button.addEventListener("pointerenter", () => point(entry.label));
    button.addEventListener("pointerleave", () => point(null));
    button.addEventListener("focus", () => point(entry.label));
    button.addEventListener("blur", () => point(null));
    button.addEventListener("click", () => {
      pinned = pinned === entry.label ? null : entry.label;
      for (const other of list.querySelectorAll("button")) {
        other.setAttribute("aria-pressed", String(other.dataset["label"] === pinned));
      }
      apply(charts);
    });
    list.append(el("li", {}, button));
  }
  return { element: list, apply };
}
