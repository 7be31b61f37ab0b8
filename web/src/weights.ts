// SPDX-License-Identifier: MIT
// The weights of the components.
import * as Plot from "@observablehq/plot";
import { axis } from "./axis";
import { chartCard, type ChartCard } from "./chart_card";
import type { Factorization } from "./document";
import { csvRow, percent } from "./format";
import { axisNames, marginsFor, plotMargins, spaced } from "./frame";

/** The numbers of the components, the heaviest first. */
export function byWeight(components: Factorization["components"]): number[] {
  const weight = (p: number) => components[p]?.weight ?? 0;
  return components.map((_, p) => p).sort((a, b) => weight(b) - weight(a) || a - b);
}

export function weightCard(report: Factorization): ChartCard {
  // In the order of the components above.
  const bars = byWeight(report.components).map((p, k) => ({
    place: k + 1,
    component: p + 1,
    weight: report.components[p]?.weight ?? 0,
  }));
  const name = (place: number) => String(bars[place - 1]?.component ?? "");
  return chartCard({
    id: "weights",
    title: "Weight of the components",
    subtitle: "\u2016w\u2016 \u2016h\u2016 of each component as a share of their sum, the heaviest first",
    description: `Bar chart of the weights of ${bars.length} components.`,
    draw: (width) => {
      const top = Math.max(1e-300, ...bars.map((bar) => bar.weight));
      const up = axis(false, [0, 100 * top], 4);
      const shares = up.ticks.map((tick) => tick / 100);
      const label = (share: number) => `${up.format(Number((100 * share).toPrecision(12)))}\u202f%`;
      const across = spaced(
        bars.map((bar) => bar.place),
        name,
        width - 60,
      );
      const margins = marginsFor(across.map(name), shares.map(label));
      return Plot.plot({
        width,
        height: 210,
        ...plotMargins(margins),
        className: "plot",
        x: { domain: [0.5, bars.length + 0.5], label: null },
        y: { domain: [0, top], label: null },
        marks: [
          Plot.gridY(shares, { stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.axisY(shares, { text: label, tickSize: 0, label: null }),
          Plot.axisX(across, { text: name, tickSize: 0, label: null }),
          ...axisNames("component", "share of the sum", margins),
          Plot.rectY(bars, {
            x1: (d) => d.place - 0.4,
            x2: (d) => d.place + 0.4,
            y: "weight",
            fill: "var(--accent)",
          }),
          Plot.tip(
            bars,
            Plot.pointerX({
              x: "place",
              y: "weight",
              title: (d) => `component ${d.component}\n${percent(d.weight)}`,
            }),
          ),
        ],
      }) as SVGSVGElement;
    },
    csv: () =>
      csvRow(["component", "weight"]) +
      report.components.map((bar, p) => csvRow([p + 1, bar.weight ?? 0])).join(""),
  });
}
