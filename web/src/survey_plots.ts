// SPDX-License-Identifier: MIT
// Which rank: the held-out error, the stability and the training error over the ranks, below one another.
import { chartCard } from "./chart_card";
import { curveStyle } from "./curve_style";
import type { Jobs, Maybe, RankSummary, Survey, SurveyedRank } from "./document";
import { el, section } from "./dom";
import { csvRow } from "./format";
import { sample } from "./line_chart";
import { lossOf } from "./loss";
import { leftOf, rankChart, type RankSeries } from "./rank_chart";
import { cell, listed, rangeOf, stableFrom } from "./survey_words";

interface SelectionPlot {
  id: string;
  title: string;
  yLabel: string;
  series: RankSeries[];
  include?: readonly number[];
  caption: string;
  /** Said where there is nothing to draw. */
  absent: string;
  csv: () => string;
}

function csvOf(summaries: readonly RankSummary[], fields: readonly (keyof RankSummary)[]): string {
  return csvRow(fields) + summaries.map((rank) => csvRow(fields.map((field) => cell(rank[field])))).join("");
}

function seriesKey(series: readonly RankSeries[]): HTMLElement {
  return el(
    "ul",
    { class: "series" },
    ...series.map(({ label, style }) => el("li", {}, sample(style), el("span", {}, label))),
  );
}

function heldoutPlot(summaries: readonly RankSummary[], repeats: number): SelectionPlot {
  const values = summaries.map((rank) => rank.heldout);
  const shifted = (sign: number) =>
    summaries.map(({ heldout, heldout_se }) =>
      heldout === null || heldout_se === null ? null : heldout + sign * heldout_se,
    );
  const bcv = summaries.map((rank) => rank.bcv);
  const hasHeldout = values.some((value) => value !== null);
  const hasBcv = bcv.some((value) => value !== null);
  const series: RankSeries[] = [];
  if (hasHeldout) {
    series.push({
      label: "held-out error",
      style: curveStyle(0, false),
      values,
      low: shifted(-1),
      high: shifted(1),
    });
  }
  if (hasBcv) series.push({ label: "bi-cross-validation", style: curveStyle(4, true), values: bcv });
  const sentences = [];
  if (hasHeldout) {
    sentences.push(
      `Some entries of the matrix were hidden from a run, which then had to predict them: the lower, the better. Too few components miss structure that is there, too many fit noise. 1 would be no better than the mean of the entries.`,
    );
    sentences.push(
      repeats > 1
        ? `Points are means over ${repeats} repeats with other entries hidden, bars reach one standard error to either side.`
        : "With one repeat there is no standard error, and so there are no bars.",
    );
  }
  if (hasBcv) {
    sentences.push(
      "Bi-cross-validation predicts a quarter of the matrix from the rest. It tends to name ranks that are too large, and is for comparison only.",
    );
  }
  return {
    id: "heldout",
    title: "Does it predict what it has not seen?",
    yLabel: "error of hidden entries",
    series,
    caption: sentences.join(" "),
    absent:
      "No entries were held out, or none of these runs is done, so there is no telling which number of components predicts best.",
    csv: () => csvOf(summaries, ["rank", "heldout", "heldout_se", "bcv"]),
  };
}

function stabilityPlot(summaries: readonly RankSummary[]): SelectionPlot {
  const pick = (field: "silhouette" | "silhouette_min") => summaries.map((rank) => rank[field]);
  const series: RankSeries[] = [
    { label: "mean of all components", style: curveStyle(2, false), values: pick("silhouette") },
    { label: "worst component", style: curveStyle(1, true), values: pick("silhouette_min") },
  ].filter(({ values }) => values.some((value) => value !== null));
  return {
    id: "stability",
    title: "Do all starts find the same components?",
    yLabel: "stability (silhouette)",
    series,
    include: [0, 1],
    caption: `1 means that every start finds the same components; the worst component counts as stable from ${stableFrom} on. With one component, or from one start, there is nothing to compare. That a rank is stable does not say that it is the right one: fewer components than there are can be found again and again, too.`,
    absent: "There is nothing to compare: this takes two starts and two components.",
    csv: () => csvOf(summaries, ["rank", "silhouette", "silhouette_min", "silhouette_cosine"]),
  };
}

/** The least, the middle and the largest error of the starts of a rank; null without any. */
export function errorRange({ relative_error }: Jobs): { best: number; median: number; worst: number } | null {
  const errors = relative_error.filter((error): error is number => error !== null).sort((a, b) => a - b);
  const at = (k: number) => errors[k] ?? NaN;
  if (errors.length === 0) return null;
  const half = errors.length / 2;
  return {
    best: at(0),
    median: (at(Math.ceil(half) - 1) + at(Math.floor(half))) / 2,
    worst: at(errors.length - 1),
  };
}

function trainingPlot(ranks: readonly SurveyedRank[], squared: boolean): SelectionPlot {
  const ranges = ranks.map(({ starts }) => errorRange(starts));
  const pick = (field: "best" | "median" | "worst") => ranges.map((range) => range?.[field] ?? null);
  const values = pick("median");
  const any = values.some((value: Maybe) => value !== null);
  const unit = squared
    ? "\u2016M \u2212 WH\u2016 / \u2016M\u2016"
    : "as the root of the share of what one component leaves";
  return {
    id: "training",
    title: "How much is left unexplained?",
    yLabel: "relative error",
    series: any
      ? [
          {
            label: "median start, and the range from the best to the worst",
            style: curveStyle(0, false),
            values,
            low: pick("best"),
            high: pick("worst"),
            band: true,
          },
        ]
      : [],
    caption: `The error of the entries that the runs have seen, ${unit}: the median start, and the range from the best to the worst. It falls with every component that is added, so on its own it cannot tell how many there are; a bend in it is a hint.`,
    absent: "No start is done yet.",
    csv: () =>
      csvRow(["rank", "best", "median", "worst"]) +
      ranks
        .map(({ summary }, k) => csvRow([summary.rank, ranges[k]?.best, ranges[k]?.median, ranges[k]?.worst]))
        .join(""),
  };
}

/** What the marks of the charts stand for. */
function markSentence({ suggestion }: Survey): string {
  const parts = [];
  if (suggestion.rank !== null)
    parts.push(`The blue stripe marks rank ${suggestion.rank}, the suggested one.`);
  if (suggestion.alternatives.length > 0)
    parts.push(
      `Dotted lines mark ${suggestion.rank === null ? "ranks that may be right" : "others that are worth a look"}: ${rangeOf(suggestion.alternatives)}.`,
    );
  return parts.join(" ");
}

export function selectionSection(report: Survey): HTMLElement {
  const { ranks, suggestion } = report;
  const summaries = ranks.map(({ summary }) => summary);
  const numbers = summaries.map(({ rank }) => rank);
  const repeats = Math.max(0, ...ranks.map(({ heldout }) => heldout.number.length));
  const squared = lossOf(report.survey.key["loss"]).squared;
  const plots = [heldoutPlot(summaries, repeats), stabilityPlot(summaries), trainingPlot(ranks, squared)];
  const drawable = plots.filter(({ series }) => series.length > 0);
  const left = Math.max(0, ...drawable.map(({ series, include }) => leftOf(series, numbers, include)));
  const cards = plots.map(({ id, title, yLabel, series, include, caption, absent, csv }) => {
    if (series.length === 0) {
      return el(
        "div",
        { class: "card", id },
        el("header", {}, el("div", { class: "titles" }, el("h3", {}, title))),
        el("p", { class: "quiet absent" }, absent),
      );
    }
    return chartCard({
      id,
      title,
      description: `${title} Chart of ${listed(series.map(({ label }) => label))} for ${numbers.length} numbers of components.`,
      draw: (width) =>
        rankChart(series, {
          width,
          height: width < 500 ? 200 : 230,
          ranks: numbers,
          yLabel,
          suggested: suggestion.rank,
          alternatives: suggestion.alternatives,
          left,
          ...(include ? { include } : {}),
        }),
      csv,
      after: [...(series.length > 1 ? [seriesKey(series)] : []), el("p", { class: "caption" }, caption)],
    }).element;
  });
  const marks = markSentence(report);
  return section(
    "which",
    "How many components?",
    ...(marks ? [el("p", { id: "marks" }, marks)] : []),
    el("div", { class: "stack" }, ...cards),
  );
}
