// SPDX-License-Identifier: MIT
// How curves are told apart: by colour (after Okabe and Ito), by marker, and ours by dashes.
import type { Figure } from "./document";

export interface CurveStyle {
  colour: string;
  symbol: "circle" | "square" | "triangle" | "diamond" | "times" | "star" | "plus";
  dashed: boolean;
}

const colours = 8;
const symbols = ["circle", "square", "triangle", "diamond", "times", "star", "plus"] as const;

/** Seven markers and eight colours: 56 curves before a pair comes back. */
export function curveStyle(index: number, dashed: boolean): CurveStyle {
  return {
    colour: `var(--curve-${(index % colours) + 1})`,
    symbol: symbols[index % symbols.length] ?? "circle",
    dashed,
  };
}

/** A label keeps its style in all figures; a new one takes a colour that its figure does not use yet. */
export function assignStyles(figures: readonly Figure[]): Map<string, CurveStyle> {
  const indices = new Map<string, number>();
  const styles = new Map<string, CurveStyle>();
  for (const figure of figures) {
    const curves = figure.panels.flatMap((panel) => panel.curves);
    const used = new Set(
      curves
        .map((c) => indices.get(c.label))
        .filter((i) => i !== undefined)
        .map((i) => i % colours),
    );
    for (const curve of curves) {
      if (indices.has(curve.label)) continue;
      let index = 0;
      while (used.size < colours && used.has(index)) ++index;
      if (used.size >= colours) index = indices.size;
      used.add(index % colours);
      indices.set(curve.label, index);
      styles.set(curve.label, curveStyle(index, curve.ours));
    }
  }
  return styles;
}
