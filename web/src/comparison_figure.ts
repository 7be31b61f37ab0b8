// SPDX-License-Identifier: MIT
// One figure: small charts, one per data set and rank, under a legend that they share.
import { chartCard } from "./chart_card";
import type { View, XAxis } from "./comparison_page";
import { curveStyle, type CurveStyle } from "./curve_style";
import type { Figure, Panel } from "./document";
import { el, scrollable } from "./dom";
import { csvRow, short, size, whole } from "./format";
import { legend } from "./legend";
import { lineChart, type Curve } from "./line_chart";
import { lossOf } from "./loss";

type Styles = ReadonlyMap<string, CurveStyle>;

/** Some experiments have no time, only a count. */
function axisOf(panel: Panel, view: View): XAxis {
  return panel.curves.some((curve) => curve.seconds.x.length > 1) ? view.xAxis : "flops";
}

function curves(panel: Panel, styles: Styles, view: View): Curve[] {
  return panel.curves.map((curve) => {
    const { x, mean, low, high } = curve[axisOf(panel, view)];
    return {
      label: curve.label,
      x,
      y: mean,
      low,
      high,
      style: styles.get(curve.label) ?? curveStyle(0, curve.ours),
    };
  });
}

function csv(panel: Panel): string {
  let text = csvRow(["data", "rank", "curve", "parameters", "axis", "x", "mean", "low", "high"]);
  for (const curve of panel.curves) {
    for (const axis of ["seconds", "flops"] as const) {
      curve[axis].x.forEach((x, k) => {
        const { mean, low, high } = curve[axis];
        text += csvRow([
          panel.data,
          panel.rank,
          curve.label,
          curve.parameters,
          axis,
          x,
          mean[k],
          low[k],
          high[k],
        ]);
      });
    }
  }
  return text;
}

/** The same in words, for those who cannot see the chart or want the numbers. */
function lastValues(panel: Panel): HTMLElement {
  const last = (values: readonly (number | null)[]) => values[values.length - 1] ?? null;
  const end = panel.limited_by ?? "seconds";
  const rows = panel.curves.map((curve) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, curve.label),
      ...[curve[end].mean, curve[end].low, curve[end].high, curve[end].x].map((values) =>
        el("td", {}, short(last(values), 3)),
      ),
    ),
  );
  const head = el(
    "tr",
    {},
    ...["", "E at the end", "best", "worst", end].map((title) => el("th", { scope: "col" }, title)),
  );
  return el(
    "details",
    {},
    el("summary", {}, "Last values"),
    scrollable(
      `Last values of ${panel.title}`,
      el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)),
    ),
  );
}

/** What the panel is about: the matrix, or the data sets that it averages. */
function subtitle(panel: Panel): string {
  const starts = `${whole(panel.starts)} start${panel.starts === 1 ? "" : "s"}`;
  if (panel.rows === null || panel.cols === null) return `${(panel.sets ?? []).join(", ")}; ${starts} each`;
  const entries = panel.storage === "dense" ? "dense" : `${whole(panel.nonzeros ?? 0)} nonzeros`;
  const least = panel.e_min === null ? "" : `; least error ${short(panel.e_min)}`;
  return `${size(panel.rows, panel.cols)}, ${entries}; ${starts}${least}`;
}

export function figureSection(
  figure: Figure,
  styles: Styles,
  view: View,
  pageTitle: string,
): { element: HTMLElement; redraw: () => void } {
  const cards = figure.panels.map((panel, k) => {
    return chartCard({
      id: `${figure.id}-${k + 1}`,
      title: panel.title,
      subtitle: subtitle(panel),
      description: `E over time of ${panel.curves.map((curve) => curve.label).join(", ")} on ${panel.title}.`,
      draw: (width) => {
        const svg = lineChart(curves(panel, styles, view), {
          width,
          height: Math.round(Math.min(300, Math.max(210, width * 0.66))),
          xLabel: axisOf(panel, view) === "flops" ? (panel.flops_label ?? "flops") : "seconds",
          yLabel: "E",
          xLog: false,
          yLog: view.yLog,
        });
        key.apply(svg);
        return svg;
      },
      csv: () => csv(panel),
      after: [lastValues(panel)],
    });
  });
  const entries = new Map(
    figure.panels.flatMap((panel) => panel.curves).map((curve) => [curve.label, curve]),
  );
  const panels = el("div", { class: "panels" }, ...cards.map((card) => card.element));
  const key = legend([...entries.values()], styles, panels);
  // A page with one figure may have its title already.
  const titles = figure.title === pageTitle ? [] : [el("h3", { class: "figure-title" }, figure.title)];
  const element = el(
    "section",
    { class: "figure", id: figure.id, "data-figure": figure.id },
    ...titles,
    ...(figure.caption ? [el("p", {}, figure.caption)] : []),
    ...(lossOf(figure.loss).squared
      ? []
      : [
          el(
            "p",
            { class: "loss" },
            `All methods minimise ${lossOf(figure.loss).name}, D. The error is \u221a(2D), D being ${lossOf(figure.loss).unit}.`,
          ),
        ]),
    key.element,
    panels,
  );
  return { element, redraw: () => cards.forEach((card) => card.redraw()) };
}
