// SPDX-License-Identifier: MIT
// What the columns of a survey's tables are called, and what they mean.
import type { ComponentSummary, Maybe, RankSummary, Suggestion, Survey } from "./document";
import { duration, percent, short, size, whole } from "./format";

/** From here on rule heldout-1 calls a component stable. */
export const stableFrom = 0.8;

export interface Column {
  key: keyof RankSummary;
  name: string;
  meaning: string;
  text: (rank: RankSummary) => string;
  /** Left out on paper, which is narrow. */
  further?: boolean;
}

const count = (value: number) => whole(value);
const plain = (value: Maybe) => short(value, 3, true);
const seconds = (value: Maybe) => (value === null ? "\u2013" : duration(value));

/** In the order in which they are read; survey.csv has its own. */
export const columns: readonly Column[] = [
  {
    key: "heldout",
    name: "held-out error",
    meaning:
      "error of entries that were hidden from the runs, relative to that of their mean; lower is better",
    text: (r) => plain(r.heldout),
  },
  {
    key: "heldout_se",
    name: "its SE",
    meaning: "standard error of the held-out error over the repeats with other entries hidden",
    text: (r) => short(r.heldout_se, 2, true),
  },
  {
    key: "silhouette",
    name: "stability",
    meaning: "silhouette, the mean over all spectra: 1 if all starts find the same components",
    text: (r) => plain(r.silhouette),
  },
  {
    key: "silhouette_min",
    name: "of the worst",
    meaning: "silhouette of the component that the starts agree on least",
    text: (r) => plain(r.silhouette_min),
  },
  {
    key: "explained",
    name: "explained",
    meaning:
      "share of the matrix that the best start explains; with another loss than least squares, of what a single component leaves",
    text: (r) => percent(r.explained),
  },
  { key: "starts", name: "starts", meaning: "starts that are done", text: (r) => count(r.starts) },
  {
    key: "converged",
    name: "converged",
    meaning: "starts that reached a solution before their iterations ended",
    text: (r) => count(r.converged),
  },
  {
    key: "failed",
    name: "failed",
    meaning: "jobs that failed, starts or others",
    text: (r) => count(r.failed),
  },
  {
    key: "error_best",
    name: "error, best",
    meaning: "what the best start leaves of the matrix: \u2016M \u2212 WH\u2016, or the divergence",
    text: (r) => short(r.error_best, 4, true),
  },
  {
    key: "error_median",
    name: "median",
    meaning: "the same of the start in the middle",
    text: (r) => short(r.error_median, 4, true),
  },
  {
    key: "error_worst",
    name: "worst",
    meaning: "the same of the worst start",
    text: (r) => short(r.error_worst, 4, true),
    further: true,
  },
  {
    key: "consensus_error",
    name: "of the consensus",
    meaning: "the same of the components that the starts agree on, with usages fitted to them",
    text: (r) => short(r.consensus_error, 4, true),
    further: true,
  },
  {
    key: "silhouette_cosine",
    name: "stability by cosine",
    meaning: "the mean silhouette with the angle between spectra in the place of their distance",
    text: (r) => plain(r.silhouette_cosine),
    further: true,
  },
  {
    key: "instability",
    name: "instability",
    meaning: "how differently two starts see the components: 0 the same, 1 nothing in common",
    text: (r) => plain(r.instability),
    further: true,
  },
  {
    key: "cophenetic",
    name: "cophenetic",
    meaning: "cophenetic correlation of the consensus map: 1 where samples fall into clear groups",
    text: (r) => plain(r.cophenetic),
    further: true,
  },
  {
    key: "dispersion",
    name: "dispersion",
    meaning: "1 if every pair of samples goes together always or never, 0 if every pair does half the time",
    text: (r) => plain(r.dispersion),
    further: true,
  },
  {
    key: "sparseness_w",
    name: "sparseness of W",
    meaning:
      "0 if all entries of a column of W are equal, 1 if there is but one; the mean, of the best start",
    text: (r) => plain(r.sparseness_w),
    further: true,
  },
  {
    key: "sparseness_h",
    name: "of H",
    meaning: "the same of the rows of H",
    text: (r) => plain(r.sparseness_h),
    further: true,
  },
  {
    key: "bcv",
    name: "bi-cross-validation",
    meaning:
      "error of a quarter of the matrix that the rest predicts; it tends to name ranks that are too large",
    text: (r) => plain(r.bcv),
    further: true,
  },
  {
    key: "outliers",
    name: "left out",
    meaning: "spectra that were too far from all others to take part in the consensus",
    text: (r) => count(r.outliers),
    further: true,
  },
  {
    key: "seconds",
    name: "time",
    meaning: "of all jobs of the rank, one after the other",
    text: (r) => seconds(r.seconds),
    further: true,
  },
];

/** As the files have them. */
export const rankFields: readonly (keyof RankSummary)[] = [
  "rank",
  "starts",
  "failed",
  "converged",
  "error_best",
  "error_median",
  "error_worst",
  "explained",
  "silhouette",
  "silhouette_min",
  "silhouette_cosine",
  "instability",
  "cophenetic",
  "dispersion",
  "sparseness_w",
  "sparseness_h",
  "consensus_error",
  "heldout",
  "heldout_se",
  "bcv",
  "outliers",
  "seconds",
  "suggested",
];
export const componentFields: readonly (keyof ComponentSummary)[] = [
  "rank",
  "component",
  "members",
  "silhouette",
  "spread",
  "usage",
  "parent",
  "parent_cosine",
];

export const components = (rank: number) => `${whole(rank)} component${rank === 1 ? "" : "s"}`;

/** "2", "2 and 4", "2, 4 and 7". */
export function listed(items: readonly (string | number)[]): string {
  const texts = items.map(String);
  const last = texts[texts.length - 1] ?? "";
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} and ${last}`;
}

/** "2 to 15", "2, 4 to 6 and 9". */
export function rangeOf(ranks: readonly number[]): string {
  const sorted = [...ranks].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let k = 0; k < sorted.length;) {
    const first = sorted[k] ?? 0;
    let end = k + 1;
    while (sorted[end] === first + end - k) ++end;
    if (end - k > 2) parts.push(`${first} to ${sorted[end - 1]}`);
    else parts.push(...sorted.slice(k, end).map(String));
    k = end;
  }
  return listed(parts);
}

/** What came out, in a sentence. */
export function verdict({ rank, alternatives }: Suggestion): string {
  if (rank !== null) return `${components(rank)} ${rank === 1 ? "is" : "are"} suggested.`;
  if (alternatives.length === 0) return "No number of components is suggested.";
  if (alternatives.length === 1)
    return `Undecided: rank ${alternatives[0]} is worth a look, and nothing says that it is the right one.`;
  return `Undecided: ${rangeOf(alternatives)} components may be right.`;
}

/** What was surveyed. */
export function scope({ ranks, survey }: Survey): string {
  const { rows, cols, name } = survey.input;
  const matrix =
    typeof rows === "number" && typeof cols === "number" ? `a ${size(rows, cols)} matrix` : "a matrix";
  const file = typeof name === "string" ? (name.split(/[\\/]/).pop() ?? "") : "";
  const of = file ? `${matrix} (${file})` : matrix;
  if (ranks.length === 0) return `A survey of ${of}, of which no rank has been looked at yet.`;
  const starts = ranks.map(({ summary }) => summary.starts);
  const [least, most] = [Math.min(...starts), Math.max(...starts)];
  const range = least === most ? whole(most) : `${whole(least)} to ${whole(most)}`;
  const numbers = ranks.map(({ summary }) => summary.rank);
  const time = survey.seconds === null ? "" : ` (${duration(survey.seconds)})`;
  return `${range} start${most === 1 ? "" : "s"} with ${rangeOf(numbers)} component${numbers.length === 1 && numbers[0] === 1 ? "" : "s"}${ranks.length > 1 && least + most > 0 ? " each" : ""} of ${of}${time}.`;
}

/** A value for a table in a file. */
export function cell(value: number | boolean | null): string | number | null {
  return typeof value === "boolean" ? String(value) : value;
}
