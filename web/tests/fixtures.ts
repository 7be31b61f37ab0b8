// SPDX-License-Identifier: MIT
// Documents as the program writes them, with numbers that tests can predict.
import type {
  Claim,
  Comparison,
  ComparedCurve,
  Factorization,
  Figure,
  Fit,
  HeatMap,
  LineFit,
  Series,
} from "../src/document";

export function base64(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString("base64");
}

export const imageHeight = 6;
export const imageWidth = 5;

/** Component p has one bright pixel, number p modulo 30, and a neighbour of half its value. */
function pixels(p: number): string {
  const bytes = new Array<number>(imageHeight * imageWidth).fill(0);
  bytes[p % bytes.length] = 255;
  bytes[(p + 1) % bytes.length] = 128;
  return base64(bytes);
}

function heatMap(rows: number, cols: number, sourceRows: number): HeatMap {
  const bytes = Array.from({ length: rows * cols }, (_, k) => (k * 7) % 256);
  return { rows, cols, max: 2.55, bins: rows < sourceRows, source_rows: sourceRows, pixels: base64(bytes) };
}

function lineFit(count: number, things: string): LineFit {
  return {
    count,
    empty: 2,
    least: 0.05,
    median: 0.12,
    most: 0.4,
    counts: Array.from({ length: 30 }, (_, k) => 30 - k),
    worst: [{ name: `${things} 7`, share: 0.2, residual: 0.4 }],
  };
}

/** Examples as words, or as images of the same size as the components. */
function fit(words: boolean): Fit {
  return {
    sample_side: "rows",
    rows: lineFit(30, "row"),
    columns: lineFit(1200, "column"),
    examples: [0.1, 0.2, 0.4].map((residual, k) => ({
      name: `row ${k + 1}`,
      residual,
      ...(words
        ? { entries: [{ name: "word", data: 3, fit: 2.5 }] }
        : { image: { height: imageHeight, width: imageWidth, data: pixels(k), fit: pixels(k) } }),
    })),
  };
}

export interface FactorizationChoices {
  components?: number;
  images?: boolean;
  names?: (p: number, k: number) => string;
  iterations?: number;
}

export const lastError = 0.125;

/** The error falls from 1 to lastError, the last iteration is at 2.5 seconds. */
export function factorization(choices: FactorizationChoices = {}): Factorization {
  const { components = 10, images = true, names, iterations = 40 } = choices;
  const steps = Array.from({ length: iterations + 1 }, (_, k) => k);
  return {
    format: 1,
    kind: "factorization",
    title: "faces: 10 components",
    version: "0.1.0",
    command: "anmf factorize faces.npy --rank 10 --out 'my faces'",
    run: {
      version: "0.1.0",
      input: "faces.npy",
      rows: 30,
      cols: 1200,
      nonzeros: 36000,
      storage: "dense",
      precision: "float64",
      method: "e-a-hals",
      rank: components,
      seed: 7,
      delta: null,
      iterations,
      seconds: 2.5,
      relative_error: lastError,
      best_rank_error: 0.1,
      status: "converged",
      message:
        "Converged after 40 iterations: the projected gradient fell to 1e-4 of its value at the start.",
      notes: ["2 rows are empty."],
    },
    trace: {
      iteration: steps,
      seconds: steps.map((k) => (2.5 * k) / iterations),
      flops: steps.map((k) => 1e6 * k),
      relative_error: steps.map((k) =>
        k === iterations ? lastError : 1 - ((1 - lastError) * k) / iterations,
      ),
      inner_w: steps.map((k) => (k === 0 ? 0 : 1 + (k % 4))),
      inner_h: steps.map((k) => (k === 0 ? 0 : 2)),
      penalty: steps.map((k) => (k === 0 ? null : 0.5)),
      // Looked at in every tenth iteration.
      promised_decrease: steps.map((k) => (k % 10 === 0 ? Number(`1e-${k / 10}`) : null)),
    },
    measure: {
      column: "promised_decrease",
      name: "promised decrease",
      meaning: "share of the objective that another pass promises to take off; empty where nobody has looked",
      tolerance: 2e-4,
    },
    components: Array.from({ length: components }, (_, p) => ({
      weight: (2 * (components - p)) / (components * (components + 1)),
      top: names
        ? Array.from({ length: 12 }, (_unused, k) => ({ name: names(p, k), value: 1.2 - 0.1 * k }))
        : [],
      particular: names ? [{ name: names(p, 5), value: 0.3 }] : [],
      typical: names ? [{ name: `document ${p}`, value: 2, group: "sports" }] : [],
      groups: names ? [{ name: "labels.txt", top: [{ name: "sports", share: 0.75 }] }] : [],
    })),
    top_side: "columns",
    sample_side: "rows",
    groupings: names ? 1 : 0,
    images: images
      ? {
          height: imageHeight,
          width: imageWidth,
          side: "rows",
          pixels: Array.from({ length: components }, (_, p) => pixels(p)),
        }
      : null,
    curves: null,
    fit: fit(names !== undefined),
    heatmaps: { W: heatMap(30, components, 30), H: heatMap(400, components, 1200) },
  };
}

/** Components over 50 wavelengths, in five digits, and samples by name. */
export function spectra(): Factorization {
  const report = factorization({ components: 5, images: false, names: (p, k) => `word ${p}.${k}` });
  const places = Array.from({ length: 50 }, (_, k) => 400 + 12.5 * k);
  const values = report.components.map((_, p) => places.map((x) => 2000 * (1 + Math.sin(x / 50 + p))));
  report.curves = { name: "wavelength in nm", side: "columns", places, values };
  for (const example of report.fit?.examples ?? [])
    Object.assign(example, { entries: undefined, curve: { data: values[0], fit: values[1] } });
  return report;
}

/** E(x) = 10^(-speed x / end) on 50 points from 0, between half and twice of it over the starts. */
function series(end: number, speed: number): Series {
  const x = Array.from({ length: 50 }, (_, k) => (end * k) / 49);
  const mean = x.map((value) => Number((10 ** ((-speed * value) / end)).toPrecision(12)));
  return { x, mean, low: mean.map((value) => value / 2), high: mean.map((value) => value * 2) };
}

export function curve(label: string, speed: number, ours = false): ComparedCurve {
  return {
    label,
    method: label.toLowerCase(),
    parameters: `alpha ${speed}`,
    ours,
    seconds: series(20, speed),
    flops: series(3e10, speed),
  };
}

function figure(id: string, panels: readonly string[], curves: readonly ComparedCurve[]): Figure {
  return {
    id,
    title: `${id}: methods of the paper`,
    caption: "Time courses from random starts.",
    panels: panels.map((data) => ({
      title: `${data}, r = 30`,
      data,
      rank: 30,
      rows: 10304,
      cols: 400,
      nonzeros: 4121478,
      storage: data === "classic" ? "sparse" : "dense",
      starts: 10,
      e_min: 1234.5,
      norm: 250117.6,
      curves: [...curves],
    })),
  };
}

const claim = (id: string, verdict: Claim["verdict"], reason = ""): Claim => ({
  id,
  figure: "figure-10",
  text: `Claim ${id} of the paper.`,
  verdict,
  numbers: "E is 0.01 against 0.1.",
  data: ["orl r = 30"],
  reason,
});

export function comparison(): Comparison {
  const paper = [curve("MU", 1), curve("A-MU", 2), curve("HALS", 3), curve("A-HALS", 4)];
  return {
    format: 1,
    kind: "comparison",
    title: "The paper's experiments",
    version: "0.1.0",
    command: "anmf reproduce --quick",
    figures: [
      figure("figure-10", ["orl", "classic"], [...paper, curve("E-A-HALS", 5, true)]),
      figure("figure-11", ["cbcl"], [curve("PG", 1), curve("A-PG", 2), curve("A-HALS", 4)]),
    ],
    claims: [
      claim("a", "holds"),
      claim("b", "does not hold", "The data set is smaller."),
      claim("c", "undecided"),
    ],
    tables: [
      {
        id: "table-1",
        title: "Errors",
        columns: ["data", "MU", "A-MU"],
        rows: [
          ["orl", "0.2", "0.1"],
          ["cbcl", "0.3", "0.15"],
        ],
        notes: ["Means of ten starts."],
      },
    ],
    skipped: [{ data: "sports", reason: "It is not in the data folder; see SOURCES." }],
  };
}
