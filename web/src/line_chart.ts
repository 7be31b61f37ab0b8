// SPDX-License-Identifier: MIT
// Curves with markers, bands and a tip under the pointer.
import * as Plot from "@observablehq/plot";
import { axis } from "./axis";
import type { CurveStyle } from "./curve_style";
import type { Maybe } from "./document";
import { short } from "./format";
import { axisNames, marginsFor, plotMargins, spaced } from "./frame";

export interface Curve {
  label: string;
  x: readonly Maybe[];
  y: readonly Maybe[];
  low?: readonly Maybe[];
  high?: readonly Maybe[];
  style: CurveStyle;
}

export interface LineChartOptions {
  width: number;
  height: number;
  xLabel: string;
  yLabel: string;
  xLog: boolean;
  yLog: boolean;
  step?: boolean;
  /** Without markers, for curves that are not a course. */
  plain?: boolean;
  /** A level that the curves are compared with. */
  level?: { label: string; value: number };
}

interface Point {
  label: string;
  x: number;
  y: number;
  low: number;
  high: number;
}

/** What can be drawn: on a logarithmic axis only positive numbers. */
function points(curve: Curve, xLog: boolean, yLog: boolean): Point[] {
  const result: Point[] = [];
  curve.x.forEach((x, k) => {
    const y = curve.y[k];
    if (x === null || y === null || y === undefined || (xLog && x <= 0) || (yLog && y <= 0)) return;
    result.push({ label: curve.label, x, y, low: curve.low?.[k] ?? y, high: curve.high?.[k] ?? y });
  });
  return result;
}

/** A few places for markers, shifted from curve to curve so that they do not cover each other. */
function markerPoints(all: Point[], curve: number, xLog: boolean): Point[] {
  const first = all[0];
  const last = all[all.length - 1];
  if (!first || !last || all.length < 3) return all;
  const place = (x: number) => (xLog ? Math.log(x) : x);
  const [low, high] = [place(first.x), place(last.x)];
  const chosen = new Set<Point>();
  const count = 5;
  for (let k = 0; k < count; ++k) {
    const target = low + ((high - low) * (k + 0.3 + 0.6 * ((curve * 0.618) % 1))) / count;
    const at = all.find((point) => place(point.x) >= target);
    if (at) chosen.add(at);
  }
  return [...chosen];
}

function domain(values: number[], log: boolean, fromZero = true): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!(low <= high)) return [1e-1, 1];
  if (low === high)
    return log ? [low / 2, high * 2] : [low - Math.abs(low || 1) / 2, high + Math.abs(high || 1) / 2];
  return [log || !fromZero ? low : Math.min(0, low), high];
}

/** A little air, so that no curve runs along the frame. */
function aired([low, high]: [number, number], log: boolean): [number, number] {
  const share = 0.04;
  if (log) return [low * (low / high) ** share, high * (high / low) ** share];
  return [low === 0 ? 0 : low - share * (high - low), high + share * (high - low)];
}

/** Adds to every group of a curve what tests and the legend look for. */
function tagged(part: string, label: string, all: Point[]): Plot.RenderFunction {
  return (index, scales, values, dimensions, context, next) => {
    const group = next?.(index, scales, values, dimensions, context) ?? null;
    const last = all[all.length - 1];
    if (group) {
      group.classList.add("curve");
      group.setAttribute("data-part", part);
      group.setAttribute("data-label", label);
      group.setAttribute("data-points", String(all.length));
      if (last) {
        group.setAttribute("data-last-x", String(last.x));
        group.setAttribute("data-last-y", String(last.y));
      }
    }
    return group;
  };
}

/** The marks of one curve. */
function curveMarks(
  curve: Curve,
  all: Point[],
  index: number,
  xLog: boolean,
  floor: number,
  { step = false, plain = false }: LineChartOptions,
): Plot.Markish[] {
  const { colour, symbol, dashed } = curve.style;
  const marks: Plot.Markish[] = [];
  if (curve.low && curve.high) {
    marks.push(
      Plot.areaY(all, {
        x: "x",
        y1: (point: Point) => Math.max(point.low, floor),
        y2: (point: Point) => Math.max(point.high, floor),
        fill: colour,
        fillOpacity: 0.14,
        clip: true,
        render: tagged("band", curve.label, all),
      }),
    );
  }
  marks.push(
    Plot.line(all, {
      x: "x",
      y: "y",
      stroke: colour,
      strokeWidth: 1.8,
      ...(dashed ? { strokeDasharray: "6 3" } : {}),
      ...(step ? { curve: "step" as const } : {}),
      clip: true,
      render: tagged("line", curve.label, all),
    }),
  );
  if (!step && !plain) {
    marks.push(
      Plot.dot(markerPoints(all, index, xLog), {
        x: "x",
        y: "y",
        symbol,
        r: 3.2,
        stroke: colour,
        fill: "var(--card)",
        strokeWidth: 1.4,
        render: tagged("marker", curve.label, all),
      }),
    );
  }
  return marks;
}

function levelMarks({ label, value }: { label: string; value: number }): Plot.Markish[] {
  return [
    Plot.ruleY([value], {
      stroke: "var(--curve-2)",
      strokeWidth: 1.4,
      strokeDasharray: "5 3",
      className: "level",
    }),
    Plot.text([label], {
      y: value,
      frameAnchor: "left",
      textAnchor: "start",
      lineAnchor: "bottom",
      dx: 4,
      dy: -3,
      fill: "var(--bad)",
      stroke: "var(--card)", // a halo, where a curve passes
      strokeWidth: 4,
      className: "level-name",
    }),
  ];
}

export function lineChart(curves: readonly Curve[], options: LineChartOptions): SVGSVGElement {
  const { xLog, yLog } = options;
  const level = options.level && (!yLog || options.level.value > 0) ? options.level : undefined;
  const drawable = curves.map((curve) => points(curve, xLog, yLog));
  const everything = drawable.flat();
  const xDomain = domain(
    everything.map((point) => point.x),
    xLog,
    !options.plain,
  );
  const yDomain = aired(
    domain([...everything.map((point) => point.y), ...(level ? [level.value] : [])], yLog),
    yLog,
  );
  const up = axis(yLog, yDomain, 5);
  const across = axis(xLog, xDomain, 7);
  const upLabels = up.ticks.map(up.format);
  const xTicks = spaced(across.ticks, across.format, options.width - marginsFor([], upLabels).left);
  const margins = marginsFor(xTicks.map(across.format), upLabels);
  const look = { fontVariant: "tabular-nums", tickSize: 0, label: null };
  return Plot.plot({
    width: options.width,
    height: options.height,
    ...plotMargins(margins),
    className: "plot",
    x: { type: xLog ? "log" : "linear", domain: xDomain, label: null },
    y: { type: yLog ? "log" : "linear", domain: yDomain, label: null },
    marks: [
      Plot.gridY(up.ticks, { stroke: "var(--rule)", strokeOpacity: 1 }),
      // As text: Plot would hand a tickFormat on a logarithmic axis to D3, which hides some.
      Plot.axisX(xTicks, { ...look, text: across.format }),
      Plot.axisY(up.ticks, { ...look, text: up.format }),
      ...axisNames(options.xLabel, options.yLabel, margins),
      Plot.ruleY([yDomain[0]], { stroke: "var(--muted)", strokeOpacity: 0.6 }),
      ...drawable.flatMap((all, k) => curveMarks(curves[k] as Curve, all, k, xLog, yDomain[0], options)),
      ...(level ? levelMarks(level) : []),
      Plot.tip(
        everything,
        Plot.pointer({
          x: "x",
          y: "y",
          maxRadius: 30,
          title: (point: Point) =>
            `${point.label.slice(0, 60)}\n${options.xLabel}: ${short(point.x)}\n${options.yLabel}: ${short(point.y)}`,
        }),
      ),
    ],
  }) as SVGSVGElement;
}

/** A short stretch of a curve for the legend. */
export function sample(style: CurveStyle): SVGSVGElement {
  const all: Point[] = [0, 1, 2].map((x) => ({ label: "", x, y: 0, low: 0, high: 0 }));
  const svg = Plot.plot({
    width: 40,
    height: 14,
    margin: 0,
    className: "plot",
    x: { domain: [0, 2], axis: null },
    y: { domain: [-1, 1], axis: null },
    marks: [
      Plot.line(all, {
        x: "x",
        y: "y",
        stroke: style.colour,
        strokeWidth: 1.8,
        ...(style.dashed ? { strokeDasharray: "6 3" } : {}),
      }),
      Plot.dot(all.slice(1, 2), {
        x: "x",
        y: "y",
        symbol: style.symbol,
        r: 3.6,
        stroke: style.colour,
        fill: "var(--card)",
        strokeWidth: 1.4,
      }),
    ],
  }) as SVGSVGElement;
  svg.setAttribute("aria-hidden", "true");
  return svg;
}
