// SPDX-License-Identifier: MIT
// The data of a page, as the program writes them. Numbers that are not finite arrive as null.

export type Maybe = number | null;

interface Common {
  format: number;
  title: string;
  version: string;
  command: string;
}

/** The columns of trace.csv in their order; those that the page draws are named here. */
export interface Trace {
  [column: string]: Maybe[];
  iteration: number[];
  seconds: Maybe[];
  flops: Maybe[];
  relative_error: Maybe[];
  inner_w: number[];
  inner_h: number[];
}

/** What the tolerance is compared with: a column of the trace, null where nobody has looked. */
export interface Measure {
  column: string;
  name: string;
  meaning: string;
  tolerance: Maybe;
}

export interface Feature {
  name: string;
  value: Maybe;
}

export interface Component {
  weight: Maybe;
  /** The features with the largest entries, and those that tell most of this component. */
  top: Feature[];
  particular: Feature[];
  /** The samples with the largest entries; `group` is their label in the first of `groups`. */
  typical: (Feature & { group?: string })[];
  /** How the weight spreads over labels of the samples: of each list of labels the largest shares. */
  groups: { name: string; top: { name: string; share: Maybe }[] }[];
}

/** Components over features that have an order. */
export interface Curves {
  name: string;
  side: "rows" | "columns";
  places: Maybe[];
  values: Maybe[][];
}

/** Relative residuals of all rows, or of all columns; `counts` are those of even steps from 0 to `most`. */
export interface LineFit {
  count: number;
  empty: number;
  least: Maybe;
  median: Maybe;
  most: Maybe;
  counts: number[];
  /** Those that hold most of the squared residual, of which `share` is the part. */
  worst: { name: string; share: Maybe; residual: Maybe }[];
}

/** A sample beside what the factors make of it, in one of three forms. */
export interface Example {
  name: string;
  residual: Maybe;
  curve?: { data: Maybe[]; fit: Maybe[] };
  image?: { height: number; width: number; data: string; fit: string };
  entries?: { name: string; data: Maybe; fit: Maybe }[];
}

export interface Fit {
  sample_side: "rows" | "columns";
  rows: LineFit | null;
  columns: LineFit | null;
  examples: Example[];
}

export interface Images {
  height: number;
  width: number;
  side: "rows" | "columns";
  /** Base64 of one byte per pixel, 255 is the component's maximum. */
  pixels: string[];
}

export interface HeatMap {
  rows: number;
  cols: number;
  max: Maybe;
  bins: boolean;
  source_rows: number;
  pixels: string;
}

/** All that a gallery of components shows. */
export interface Parts {
  components: Component[];
  images: Images | null;
  curves: Curves | null;
}

/** Which side of M features and samples are, and how many lists of labels there are; `groups` has those that
    tell most of the components. */
export interface Sides {
  top_side: "rows" | "columns";
  sample_side: "rows" | "columns";
  groupings: number;
}

export interface Factorization extends Common, Parts, Sides {
  kind: "factorization";
  run: Record<string, unknown>;
  trace: Trace;
  measure: Measure | null;
  fit: Fit | null;
  heatmaps: { W: HeatMap; H: HeatMap };
}

export interface Series {
  x: Maybe[];
  mean: Maybe[];
  low: Maybe[];
  high: Maybe[];
}

export interface ComparedCurve {
  label: string;
  method: string;
  parameters: string;
  ours: boolean;
  seconds: Series;
  flops: Series;
}

/** Sizes are null where several data sets are averaged; `sets` then names them. */
export interface Panel {
  title: string;
  data: string;
  rank: Maybe;
  rows: Maybe;
  cols: Maybe;
  nonzeros: Maybe;
  storage: string;
  sets?: string[];
  starts: number;
  /** What is counted on the axis of flops. */
  flops_label?: string;
  e_min: Maybe;
  norm: Maybe;
  /** What ends the runs, and the method with the lowest E there. */
  limited_by?: "seconds" | "flops";
  winner?: string;
  curves: ComparedCurve[];
}

export interface Figure {
  id: string;
  title: string;
  caption: string;
  /** What all methods minimise, by its name; frobenius if it is not said. */
  loss?: string;
  panels: Panel[];
}

export type Verdict = "holds" | "does not hold" | "undecided";

export interface Claim {
  id: string;
  figure: string;
  text: string;
  verdict: Verdict;
  numbers: string;
  data: string[];
  reason: string;
  /** The same judged by time, where that was possible. */
  seconds?: { verdict: Verdict; numbers: string };
}

export interface Table {
  id: string;
  title: string;
  columns: string[];
  rows: string[][];
  notes: string[];
}

export interface Comparison extends Common {
  kind: "comparison";
  figures: Figure[];
  claims: Claim[];
  tables: Table[];
  skipped: { data: string; reason: string }[];
  /** How times were measured. */
  seconds?: { jobs: number; note: string };
}

/** The columns of survey.csv in their order. */
export interface RankSummary {
  rank: number;
  starts: number;
  failed: number;
  converged: number;
  error_best: Maybe;
  error_median: Maybe;
  error_worst: Maybe;
  explained: Maybe;
  silhouette: Maybe;
  silhouette_min: Maybe;
  silhouette_cosine: Maybe;
  instability: Maybe;
  cophenetic: Maybe;
  dispersion: Maybe;
  sparseness_w: Maybe;
  sparseness_h: Maybe;
  consensus_error: Maybe;
  heldout: Maybe;
  heldout_se: Maybe;
  bcv: Maybe;
  outliers: number;
  seconds: Maybe;
  suggested: boolean;
}

/** The columns of components.csv in their order; `parent` is 0 where there is none. */
export interface ComponentSummary {
  rank: number;
  component: number;
  members: number;
  silhouette: Maybe;
  spread: Maybe;
  usage: Maybe;
  parent: number;
  parent_cosine: Maybe;
}

/** Jobs side by side; the error of one that failed is null. */
export interface Jobs {
  number: number[];
  relative_error: Maybe[];
  status: ("converged" | "iteration_limit" | "failed")[];
}

/** Base64 of the lower triangle, row by row with the diagonal, 255 being the largest value. */
export interface Triangle {
  size: number;
  pixels: string;
}

/** Distances of spectra (1 - cosine). A group is a component, or 0 for what was left out, with some pixels. */
export interface Distances extends Triangle {
  max: Maybe;
  groups: { component: number; spectra: number; pixels: number }[];
}

/** How many spectra have a local density in even steps from 0 to `most`; `threshold` is null without a filter. */
export interface Density {
  most: Maybe;
  threshold: Maybe;
  spectra: number;
  beyond: number;
  counts: number[];
}

/** What the starts of a rank agree on. */
export interface RankPictures {
  notes: string[];
  distances: Distances | null;
  density: Density | null;
  consensus: (Triangle & { samples: number }) | null;
  parts: Parts | null;
}

export interface SurveyedRank {
  summary: RankSummary;
  components: ComponentSummary[];
  starts: Jobs;
  heldout: Jobs;
  pictures: RankPictures | null;
}

export interface Suggestion {
  rank: Maybe;
  rule: string;
  reasons: string[];
  alternatives: number[];
  edge: boolean;
}

export interface Survey extends Common, Sides {
  kind: "survey";
  /** As survey.json has it, without its list of failed jobs. */
  survey: {
    input: Record<string, unknown>;
    key: Record<string, unknown>;
    seconds: Maybe;
    [name: string]: unknown;
  };
  suggestion: Suggestion;
  ranks: SurveyedRank[];
  /** How many jobs failed, and the first of them. */
  failed: { count: number; jobs: { rank: number; kind: string; number: number; message: string }[] };
  notes: string[];
  stopped: boolean;
}

export type Report = Factorization | Comparison | Survey;

/** One byte per pixel. */
export function decodeBytes(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; ++k) bytes[k] = text.charCodeAt(k);
  return bytes;
}
