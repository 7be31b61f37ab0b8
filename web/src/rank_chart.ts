// SPDX-License-Identifier: MIT
// A measure over the ranks: a line with a point for every rank, bars or a band around it, and marked ranks.
import * as Plot from "@observablehq/plot";
import { axis } from "./axis";
import type { CurveStyle } from "./curve_style";
import type { Maybe } from "./document";
import { short } from "./format";
import { axisNames, marginsFor, plotMargins, spaced, textWidth } from "./frame";

export interface RankSeries {
  label: string;
  style: CurveStyle;
  values: readonly Maybe[];
  /** Beside `values`; they are drawn as bars or as a band. */
  low?: readonly Maybe[];
  high?: readonly Maybe[];
  band?: boolean;
}

export interface RankChartOptions {
  width: number;
  height: number;
  ranks: readonly number[];
  yLabel: string;
  /** What the upper axis reaches at least. */
  include?: readonly number[];
  /** Ranks with a line, solid for the one that is suggested. */
  suggested: Maybe;
  alternatives: readonly number[];
  /** Room for labels on the left, so that charts below each other have their ranks in one line. */
  left?: number;
}

interface Point {
  label: string;
  rank: number;
  value: number;
  low: number;
  high: number;
}

export function pointsOf(ranks: readonly number[], series: RankSeries): Point[] {
  return ranks.flatMap((rank, k) => {
    const value = series.values[k] ?? null;
    if (value === null) return [];
    return [
      { label: series.label, rank, value, low: series.low?.[k] ?? value, high: series.high?.[k] ?? value },
    ];
  });
}

function yDomain(points: readonly Point[], include: readonly number[]): [number, number] {
  const values = [...points.flatMap(({ value, low, high }) => [value, low, high]), ...include];
  if (values.length === 0) return [0, 1];
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (low === high) {
    const room = Math.abs(low || 1) / 10;
    [low, high] = [low - room, high + room];
  }
  const air = 0.06 * (high - low);
  return [low - air, high + air];
}

/** Half of the least step between ranks on either side. */
function xDomain(ranks: readonly number[]): [number, number] {
  const steps = ranks.slice(1).map((rank, k) => rank - (ranks[k] ?? 0));
  const half = steps.length > 0 ? Math.min(...steps) / 2 : 0.5;
  return [(ranks[0] ?? 1) - half, (ranks[ranks.length - 1] ?? 1) + half];
}

/** What tests look for: the numbers behind every mark, and whose they are. */
function tagged(part: string, label: string, points: readonly Point[]): Plot.RenderFunction {
  return (index, scales, values, dimensions, context, next) => {
    const group = next?.(index, scales, values, dimensions, context) ?? null;
    if (!group) return null;
    group.setAttribute("data-part", part);
    group.setAttribute("data-label", label);
    if (part === "line") return group;
    const marks = Array.from(group.children).filter((child) => child.tagName !== "marker");
    marks.forEach((mark, k) => {
      const point = points[index[k] ?? -1];
      if (!point) return;
      mark.setAttribute("data-rank", String(point.rank));
      mark.setAttribute("data-value", String(point.value));
    });
    return group;
  };
}

function seriesMarks(ranks: readonly number[], series: RankSeries): Plot.Markish[] {
  const { colour, symbol, dashed } = series.style;
  const points = pointsOf(ranks, series);
  const spread = points.filter(({ low, high }) => low < high);
  // A gap where a rank has no value.
  const line = ranks.map((rank, k) => ({ rank, value: series.values[k] ?? NaN }));
  const marks: Plot.Markish[] = [];
  if (series.band) {
    const band = ranks.map((rank, k) => ({
      rank,
      low: series.low?.[k] ?? NaN,
      high: series.high?.[k] ?? NaN,
    }));
    marks.push(Plot.areaY(band, { x: "rank", y1: "low", y2: "high", fill: colour, fillOpacity: 0.16 }));
    // A rank beside gaps has no area, so every rank has its line, too.
    marks.push(
      Plot.ruleX(spread, {
        x: "rank",
        y1: "low",
        y2: "high",
        stroke: colour,
        strokeOpacity: 0.35,
        render: tagged("spread", series.label, spread),
      }),
    );
  }
  marks.push(
    Plot.line(line, {
      x: "rank",
      y: "value",
      stroke: colour,
      strokeWidth: 1.8,
      ...(dashed ? { strokeDasharray: "6 3" } : {}),
      render: tagged("line", series.label, points),
    }),
  );
  if (!series.band) {
    marks.push(
      Plot.ruleX(spread, {
        x: "rank",
        y1: "low",
        y2: "high",
        stroke: colour,
        strokeWidth: 1.8,
        marker: "tick",
        render: tagged("spread", series.label, spread),
      }),
    );
  }
  marks.push(
    Plot.dot(points, {
      x: "rank",
      y: "value",
      symbol,
      r: 3.6,
      stroke: colour,
      fill: "var(--card)",
      strokeWidth: 1.6,
      render: tagged("point", series.label, points),
    }),
  );
  return marks;
}

/** The marked rank always has its tick; others near it give way. */
function rankTicks(ranks: readonly number[], suggested: Maybe, width: number): number[] {
  const ticks = spaced(ranks, String, width);
  if (suggested === null || ticks.includes(suggested) || !ranks.includes(suggested)) return ticks;
  const [low, high] = xDomain(ranks);
  const apart = ((textWidth(String(high)) + 12) * (high - low)) / width;
  return [...ticks.filter((tick) => Math.abs(tick - suggested) >= apart), suggested].sort((a, b) => a - b);
}

function ticksUp(series: readonly RankSeries[], options: RankChartOptions) {
  const points = series.flatMap((one) => pointsOf(options.ranks, one));
  const domain = yDomain(points, options.include ?? []);
  return { domain, up: axis(false, domain, 4), points };
}

/** The room that the labels of an axis take, for `left` of the charts beside it. */
export function leftOf(
  series: readonly RankSeries[],
  ranks: readonly number[],
  include: readonly number[] = [],
): number {
  const none = { width: 0, height: 0, ranks, yLabel: "", include, suggested: null, alternatives: [] };
  const { up } = ticksUp(series, none);
  return marginsFor([], up.ticks.map(up.format)).left;
}

export function rankChart(series: readonly RankSeries[], options: RankChartOptions): SVGSVGElement {
  const { ranks, suggested, alternatives, yLabel } = options;
  const { domain, up, points } = ticksUp(series, options);
  const margins = marginsFor(ranks.map(String), up.ticks.map(up.format));
  margins.left = Math.max(margins.left, options.left ?? 0);
  const ticks = rankTicks(ranks, suggested, options.width - margins.left - margins.right);
  const marked = suggested !== null && ranks.includes(suggested) ? [suggested] : [];
  const others = alternatives.filter((rank) => ranks.includes(rank));
  const rule = (part: string): Plot.RenderFunction => {
    return (index, scales, values, dimensions, context, next) => {
      const group = next?.(index, scales, values, dimensions, context) ?? null;
      group?.setAttribute("data-part", part);
      const numbers = part === "suggested" ? marked : others;
      if (group)
        Array.from(group.children).forEach((mark, k) =>
          mark.setAttribute("data-rank", String(numbers[index[k] ?? -1])),
        );
      return group;
    };
  };
  const look = { fontVariant: "tabular-nums", tickSize: 0, label: null };
  return Plot.plot({
    width: options.width,
    height: options.height,
    ...plotMargins(margins),
    className: "plot",
    x: { domain: xDomain(ranks), label: null },
    y: { domain, label: null },
    marks: [
      Plot.gridY(up.ticks, { stroke: "var(--rule)", strokeOpacity: 1 }),
      Plot.ruleX(others, { stroke: "var(--muted)", strokeDasharray: "2 4", render: rule("alternative") }),
      Plot.ruleX(marked, {
        stroke: "var(--accent)",
        strokeWidth: 9,
        strokeOpacity: 0.22,
        render: rule("suggested"),
      }),
      Plot.axisX(
        ticks.filter((tick) => tick !== suggested),
        { ...look, text: String },
      ),
      Plot.axisX(marked, { ...look, text: String, fontWeight: 700, fill: "var(--accent)" }),
      Plot.axisY(up.ticks, { ...look, text: up.format }),
      ...axisNames("number of components", yLabel, margins),
      Plot.ruleY([domain[0]], { stroke: "var(--muted)", strokeOpacity: 0.6 }),
      ...series.flatMap((one) => seriesMarks(ranks, one)),
      Plot.tip(
        points,
        Plot.pointer({
          x: "rank",
          y: "value",
          maxRadius: 30,
          title: (point: Point) =>
            `${point.rank} component${point.rank === 1 ? "" : "s"}\n${point.label}: ${short(point.value)}${
              point.low < point.high ? `\nfrom ${short(point.low)} to ${short(point.high)}` : ""
            }`,
        }),
      ),
    ],
  }) as SVGSVGElement;
}
