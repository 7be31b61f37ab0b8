// SPDX-License-Identifier: MIT
// The course of a run: the measure that ends it, the error, and, for those who care, the inner iterations.
import { chartCard, type ChartCard } from "./chart_card";
import { curveStyle } from "./curve_style";
import type { Factorization, Measure } from "./document";
import { choice, el, section } from "./dom";
import { csvRow, short } from "./format";
import { lineChart, type Curve } from "./line_chart";
import { lossOf } from "./loss";

type XAxis = "iteration" | "seconds" | "flops";
const xLabels: Record<XAxis, string> = { iteration: "iteration", seconds: "seconds", flops: "flops" };

export function courseOfRun(report: Factorization): { convergence: HTMLElement; work: HTMLElement } {
  const { trace } = report;
  let xAxis: XAxis = "iteration";
  let xLog = true;
  let yLog = true;
  const errorCurve = (): Curve => ({
    label: "relative error",
    x: trace[xAxis],
    y: trace.relative_error,
    style: curveStyle(0, false),
  });
  const heldOut = heldOutErrors(report);
  const errorCurves = (): Curve[] =>
    heldOut
      ? [errorCurve(), { label: "held out", x: trace[xAxis], y: heldOut, style: curveStyle(1, true) }]
      : [errorCurve()];
  const redraw = () => {
    for (const card of [error, ...measures, inner]) card.redraw();
  };
  const chooseX = choice(
    "Over",
    [
      ["iteration", "iterations"],
      ["seconds", "seconds"],
      ["flops", "flops"],
    ] as const,
    xAxis,
    (value) => {
      xAxis = value;
      redraw();
    },
  );
  const chooseXScale = choice(
    "Across",
    [
      ["log", "log"],
      ["linear", "linear"],
    ] as const,
    "log",
    (value) => {
      xLog = value === "log";
      redraw();
    },
  );
  const chooseYScale = choice(
    "Up",
    [
      ["log", "log"],
      ["linear", "linear"],
    ] as const,
    "log",
    (value) => {
      yLog = value === "log";
      redraw();
    },
  );
  const csv = () => {
    const columns = Object.entries(trace);
    let rows = csvRow(columns.map(([name]) => name));
    trace.iteration.forEach((_, k) => {
      rows += csvRow(columns.map(([, values]) => values[k]));
    });
    return rows;
  };
  const last = trace.relative_error[trace.relative_error.length - 1] ?? null;
  const error = chartCard({
    id: "error",
    title: "Error",
    subtitle:
      (lossOf(report.run["loss"]).squared
        ? "\u2016M \u2212 WH\u2016 / \u2016M\u2016 after every iteration"
        : "\u221a(D / D\u2081) after every iteration, D\u2081 that of the best model of rank one") +
      (heldOut ? "; dashed: the entries held out, beside their mean" : ""),
    description: `Line chart of the relative error, from ${short(trace.relative_error[0])} to ${short(last)}.`,
    draw: (width) =>
      lineChart(errorCurves(), {
        width,
        height: chartHeight(width),
        xLabel: xLabels[xAxis],
        yLabel: "relative error",
        xLog,
        yLog,
      }),
    csv,
  });
  const measures = measureCard(report, csv, () => ({ xAxis, xLog, yLog }));
  const inner = chartCard({
    id: "inner",
    title: "Updates within an iteration",
    subtitle: "How often each factor was updated before the other one",
    description: "Line chart of the inner iterations of W and of H.",
    draw: (width) =>
      lineChart(
        [
          // Row 0 is the start, before any update.
          { label: "W", x: trace[xAxis].slice(1), y: trace.inner_w.slice(1), style: curveStyle(0, false) },
          { label: "H", x: trace[xAxis].slice(1), y: trace.inner_h.slice(1), style: curveStyle(1, true) },
        ],
        {
          width,
          height: chartHeight(width),
          xLabel: xLabels[xAxis],
          yLabel: "inner iterations",
          xLog,
          yLog: false,
          step: true,
        },
      ),
    csv,
    after: [
      el(
        "p",
        { class: "key" },
        el("span", { class: "key-w" }, "W"),
        el("span", { class: "key-h" }, "H (dashed)"),
      ),
    ],
  });
  const controls = el("div", { class: "controls" }, chooseX, chooseXScale, chooseYScale);
  return {
    convergence: section(
      "convergence",
      "Did it converge?",
      ...verdict(report),
      controls,
      el("div", { class: "pair" }, ...measures.map((card) => card.element), error.element),
    ),
    work: section("work", "Inner iterations", inner.element),
  };
}

/** The error of the entries that were held out, relative to that of their mean; null if there were none. */
function heldOutErrors(report: Factorization): (number | null)[] | null {
  const { trace, run } = report;
  const heldout = trace["heldout"];
  const error = run["heldout_error"];
  const relative = run["heldout_relative_error"];
  if (!heldout || typeof error !== "number" || typeof relative !== "number" || !(error > 0)) return null;
  return heldout.map((value) => (value === null ? null : (value * relative) / error));
}

/** Whether the measure is below the tolerance, in words. */
function verdict(report: Factorization): HTMLElement[] {
  const { measure, trace } = report;
  if (!measure) return [];
  const looked = (trace[measure.column] ?? []).filter((value) => value !== null);
  const last = looked[looked.length - 1] ?? null;
  const known = last !== null && measure.tolerance !== null && measure.tolerance > 0;
  const side = known ? (last <= (measure.tolerance ?? 0) ? "below" : "above") : "";
  const outcome = known
    ? `It ended at ${short(last, 3)}, ${side} the tolerance of ${short(measure.tolerance, 3)}.`
    : last === null
      ? "Nobody has looked at it in this run."
      : `It ended at ${short(last, 3)}; no tolerance was set.`;
  return [el("p", { id: "verdict" }, `The ${measure.name} is the ${plainMeaning(measure)}. ${outcome}`)];
}

/** Without what holds of the column in the file. */
const plainMeaning = (measure: Measure) => measure.meaning.replace(/;.*$/, "");

interface View {
  xAxis: XAxis;
  xLog: boolean;
  yLog: boolean;
}

/** The measure that decides when the run ends, with the tolerance as a line; none if the trace has none. */
function measureCard(report: Factorization, csv: () => string, view: () => View): ChartCard[] {
  const { measure, trace } = report;
  const values = measure ? trace[measure.column] : undefined;
  if (!measure || !values || values.every((value) => value === null)) return [];
  // Now and then only: those iterations at which somebody has looked.
  const seen = values.flatMap((value, k) => (value === null ? [] : [k]));
  const { name, tolerance } = measure;
  return [
    chartCard({
      id: "measure",
      title: name.charAt(0).toUpperCase() + name.slice(1),
      subtitle: plainMeaning(measure),
      description: `Line chart of the ${name}, at the end ${short(values[seen[seen.length - 1] ?? 0])}, and the tolerance ${short(tolerance)}.`,
      draw: (width) => {
        const { xAxis, xLog, yLog } = view();
        const curve = {
          label: name,
          x: seen.map((k) => trace[xAxis][k] ?? null),
          y: seen.map((k) => values[k] ?? null),
          style: curveStyle(0, false),
        };
        return lineChart([curve], {
          width,
          height: chartHeight(width),
          xLabel: xLabels[xAxis],
          yLabel: name,
          xLog,
          yLog,
          ...(tolerance ? { level: { label: `tolerance ${short(tolerance, 3)}`, value: tolerance } } : {}),
        });
      },
      csv,
    }),
  ];
}

export function chartHeight(width: number): number {
  return Math.round(Math.min(340, Math.max(220, width * 0.62)));
}
