// SPDX-License-Identifier: MIT
// The room around a chart: as much as its tick labels take, and lines of their own for the names of the axes.
import * as Plot from "@observablehq/plot";

export interface Margins {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

const fontSize = 11.5; // as .plot has it
const font = `${fontSize}px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif`;
const nameLine = 18;
let context: CanvasRenderingContext2D | null = null;

/** In pixels of a chart. */
export function textWidth(text: string): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return text.length * 0.62 * fontSize;
  context.font = font;
  return context.measureText(text).width;
}

const widest = (labels: readonly string[]) => Math.max(0, ...labels.map(textWidth));

/** Room for all labels: those at the ends of the lower axis reach beyond it by half their width. */
export function marginsFor(across: readonly string[], up: readonly string[]): Margins {
  return {
    top: nameLine + 12,
    right: Math.max(14, Math.ceil(widest(across) / 2) + 4),
    bottom: 25 + nameLine,
    left: Math.max(28, Math.ceil(widest(up)) + 12, Math.ceil(textWidth(across[0] ?? "") / 2) + 4),
  };
}

/** The ticks, or every second, third, ... of them, so that their labels stay apart. */
export function spaced(ticks: readonly number[], format: (tick: number) => string, width: number): number[] {
  const label = widest(ticks.map(format)) + 14;
  const most = Math.max(2, Math.floor(width / label));
  const stride = Math.max(1, Math.ceil(ticks.length / most));
  return ticks.filter((_, k) => k % stride === 0);
}

/** The names of both axes, above the ticks of the one and below those of the other. */
export function axisNames(across: string, up: string, margins: Margins): Plot.Markish[] {
  const look = { fill: "var(--muted)", className: "axis-name" };
  return [
    Plot.text([up], {
      ...look,
      frameAnchor: "top-left",
      textAnchor: "start",
      lineAnchor: "top",
      dx: -margins.left + 2,
      dy: -margins.top + 2,
    }),
    Plot.text([across], {
      ...look,
      frameAnchor: "bottom-right",
      textAnchor: "end",
      lineAnchor: "bottom",
      dy: margins.bottom - 6, // letters reach below their line
    }),
  ];
}

export const plotMargins = ({ top, right, bottom, left }: Margins) => ({
  marginTop: top,
  marginRight: right,
  marginBottom: bottom,
  marginLeft: left,
});
