// SPDX-License-Identifier: MIT
// How good the fit is: the share of the data that it explains, where the residual is, and some samples beside it.
import * as Plot from "@observablehq/plot";
import { axis } from "./axis";
import { chartCard, type ChartCard } from "./chart_card";
import { curveStyle } from "./curve_style";
import { decodeBytes, type Example, type Factorization, type Fit, type LineFit } from "./document";
import { el, scrollable, section, type Child } from "./dom";
import { csvRow, percent, shares, short, whole } from "./format";
import { axisNames, marginsFor, plotMargins, spaced } from "./frame";
import { lineChart } from "./line_chart";
import { lossOf } from "./loss";
import { paint, shadingColours } from "./pixels";

const explained = (relativeError: number) => 1 - relativeError * relativeError;

/** Shares as bars, with words that say what they are. */
function shareCard(
  title: string,
  subtitle: string,
  known: [string, string, number][],
  words: string,
): HTMLElement {
  const texts = shares(known.map(([, , value]) => value));
  const rows = known.map(([id, label, value], k) =>
    el(
      "div",
      { class: "energy", id, "data-share": value, style: `--share:${Math.max(0, value)}` },
      el("span", {}, label),
      el("b", {}, texts[k] ?? ""),
    ),
  );
  return el(
    "div",
    { class: "card", id: "energy-card" },
    el("header", {}, el("div", { class: "titles" }, el("h3", {}, title), el("p", {}, subtitle))),
    ...rows,
    el("p", { class: "quiet", id: "bound" }, words),
  );
}

/** Other losses than the squared distance: beside the best model of rank one, since a model of zeros has an infinite loss. */
function divergence(report: Factorization): HTMLElement {
  const error = report.run["relative_error"];
  return shareCard(
    "Divergence explained",
    "1 \u2212 D / D\u2081: the share of what the best model of rank one leaves unexplained",
    typeof error === "number" ? [["explained", "this factorization", explained(error)]] : [],
    `D is ${lossOf(report.run["loss"]).name}. One component alone explains nothing of this by definition, and a model with D = 0, as no noise allows, all of it. There is no bound on what this number of components could explain: that of the singular value decomposition holds for the squared distance only, and so do residuals by row and by column, which are left out here.`,
  );
}

/** Least squares: what is explained, and the most that could be. */
function energy(report: Factorization): HTMLElement {
  const { run } = report;
  const error = run["relative_error"];
  const best = run["best_rank_error"];
  const rank = Number(run["rank"] ?? report.components.length);
  const known: [string, string, number][] = [];
  if (typeof error === "number") known.push(["explained", "this factorization", explained(error)]);
  let words: string;
  if (typeof best === "number") {
    known.push(["best", `the best matrix of rank ${whole(rank)}`, explained(best)]);
    words = `The second bar is the most that any ${whole(rank)} components could explain, whatever the signs of their entries: 1\u00a0\u2212\u00a0${short(best)}\u00b2, from a randomised singular value decomposition, which finds that share or slightly less. What lies between both bars is the price of nonnegative factors, and of where the run ended; what is missing above the second bar, only more components can explain.`;
  } else {
    const note = typeof run["best_rank_note"] === "string" ? run["best_rank_note"] : "It was not computed.";
    words = `There is no bound for comparison, the share that the best matrix of this rank explains. ${note}`;
  }
  return shareCard(
    "Energy explained",
    "1 \u2212 \u2016M \u2212 WH\u2016\u00b2 / \u2016M\u2016\u00b2: the share of the squares of all entries",
    known,
    words,
  );
}

/** The distribution of the relative residuals of all rows (or columns), and the worst of them by name. */
function residualCard(id: string, things: "rows" | "columns", fit: LineFit): ChartCard {
  const most = fit.most || 1; // 0 where nothing is left at all
  const step = most / fit.counts.length;
  const bars = fit.counts.map((count, k) => ({ from: k * step, to: (k + 1) * step, count }));
  const table = el(
    "table",
    {},
    el(
      "thead",
      {},
      el("tr", {}, ...["", "of what is left", "residual"].map((title) => el("th", { scope: "col" }, title))),
    ),
    el(
      "tbody",
      {},
      ...fit.worst.map((line) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, line.name || "(no name)"),
          el("td", {}, percent(line.share)),
          el("td", {}, short(line.residual, 3, true)),
        ),
      ),
    ),
  );
  const empty = fit.empty > 0 ? `; ${whole(fit.empty)} empty` : "";
  return chartCard({
    id,
    title: `Residual by ${things === "rows" ? "row" : "column"}`,
    subtitle: `Each ${things === "rows" ? "row" : "column"}\u2019s residual over its norm: ${short(fit.least, 3)} to ${short(fit.most, 3)}, half of ${whole(fit.count)} below ${short(fit.median, 3)}${empty}`,
    description: `Histogram of the relative residuals of ${whole(fit.count)} ${things}, from ${short(fit.least, 3)} to ${short(fit.most, 3)}.`,
    draw: (width) => {
      const up = axis(false, [0, Math.max(1, ...fit.counts)], 4);
      const across = axis(false, [0, most], 6);
      const ticks = spaced(across.ticks, across.format, width - 60);
      const margins = marginsFor(ticks.map(across.format), up.ticks.map(up.format));
      return Plot.plot({
        width,
        height: 210,
        ...plotMargins(margins),
        className: "plot",
        x: { domain: [0, most], label: null },
        y: { domain: [0, Math.max(1, ...fit.counts)], label: null },
        marks: [
          Plot.gridY(up.ticks, { stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.axisX(ticks, { text: across.format, tickSize: 0, label: null }),
          Plot.axisY(up.ticks, { text: up.format, tickSize: 0, label: null }),
          ...axisNames("relative residual", things, margins),
          Plot.rectY(bars, { x1: "from", x2: "to", y: "count", fill: "var(--accent)", inset: 0.5 }),
        ],
      }) as SVGSVGElement;
    },
    csv: () => csvRow(["from", "to", things]) + bars.map((b) => csvRow([b.from, b.to, b.count])).join(""),
    after: [
      el("h4", {}, `The ${things} with most of what is left`),
      scrollable(`The ${things} with most of what is left`, table),
    ],
  });
}

function exampleImage(example: NonNullable<Example["image"]>): HTMLElement {
  const picture = (base64: string, label: string) => {
    const canvas = el("canvas", { role: "img", "aria-label": label });
    paint(canvas, decodeBytes(base64), example.width, example.height, shadingColours("light"));
    return el("figure", {}, canvas, el("figcaption", {}, label));
  };
  return el("div", { class: "twins" }, picture(example.data, "data"), picture(example.fit, "reconstruction"));
}

function exampleEntries(entries: NonNullable<Example["entries"]>): HTMLElement {
  const largest = Math.max(1e-300, ...entries.map((entry) => Math.max(entry.data ?? 0, entry.fit ?? 0)));
  return el(
    "ul",
    { class: "features" },
    el("li", { class: "head" }, el("span", { class: "name" }, ""), el("span", {}, "data \u2192 fit")),
    ...entries.map(({ name, data, fit }) =>
      el(
        "li",
        { style: `--share:${(fit ?? 0) / largest}` },
        el("span", { class: "name", title: name }, name || "(no name)"),
        el("span", { class: "value" }, `${short(data, 3, true)} \u2192 ${short(fit, 3, true)}`),
      ),
    ),
  );
}

function exampleCard(report: Factorization, example: Example, k: number): HTMLElement {
  const quality = ["fits well", "in the middle", "fits badly"];
  const title = report.fit?.examples.length === 3 ? `${example.name}: ${quality[k] ?? ""}` : example.name;
  const subtitle = `relative residual ${short(example.residual, 3, true)}`;
  if (example.curve) {
    const { data, fit } = example.curve;
    const places = report.curves?.places ?? data.map((_, j) => j + 1);
    const xLabel = report.curves?.name || "place";
    return chartCard({
      id: `example-${k + 1}`,
      title,
      subtitle: `${subtitle}; the reconstruction is dashed`,
      description: `Line chart of ${example.name} and its reconstruction.`,
      draw: (width) =>
        lineChart(
          [
            { label: "data", x: places, y: data, style: curveStyle(0, false) },
            { label: "reconstruction", x: places, y: fit, style: curveStyle(1, true) },
          ],
          { width, height: 230, xLabel, yLabel: "value", xLog: false, yLog: false, plain: true },
        ),
      csv: () =>
        csvRow([xLabel, "data", "reconstruction"]) +
        places.map((place, j) => csvRow([place, data[j], fit[j]])).join(""),
    }).element;
  }
  return el(
    "figure",
    { class: "card", id: `example-${k + 1}` },
    el("header", {}, el("div", { class: "titles" }, el("h3", {}, title), el("p", {}, subtitle))),
    example.image ? exampleImage(example.image) : exampleEntries(example.entries ?? []),
  );
}

/** Of very few samples, some stand at the same place of the order. */
function exampleSentence({ sample_side, examples }: Fit): string {
  if (examples.length === 3)
    return `Three ${sample_side} and their reconstructions: one that fits better than nine tenths of the others, one in the middle, one that fits worse than nine tenths.`;
  const one = sample_side === "rows" ? "A row and its" : "A column and its";
  return examples.length === 1 ? `${one} reconstruction.` : `Two ${sample_side} and their reconstructions.`;
}

export function fitSection(report: Factorization): HTMLElement {
  const { fit } = report;
  const parts: Child[] = [lossOf(report.run["loss"]).squared ? energy(report) : divergence(report)];
  if (fit) {
    const cards = [
      ...(fit.rows ? [residualCard("residual-rows", "rows", fit.rows)] : []),
      ...(fit.columns ? [residualCard("residual-columns", "columns", fit.columns)] : []),
    ];
    parts.push(el("div", { class: "pair" }, ...cards.map((card) => card.element)));
    if (fit.examples.length > 0) {
      parts.push(
        el("p", { class: "lead-in" }, exampleSentence(fit)),
        el("div", { class: "panels" }, ...fit.examples.map((example, k) => exampleCard(report, example, k))),
      );
    }
  }
  return section("fit", "Is the fit good?", ...parts);
}
