// SPDX-License-Identifier: MIT
// Surveys as the program writes them, with numbers that tests can predict.
import type { ComponentSummary, Jobs, RankPictures, Survey, SurveyedRank } from "../src/document";
import { base64, imageHeight, imageWidth } from "./fixtures";

export interface SurveyChoices {
  ranks?: number[];
  starts?: number;
  suggested?: number | null;
  heldout?: boolean;
  images?: boolean;
  names?: boolean;
  /** Pixels of a side of a map. */
  map?: number;
}

export const truth = 9;
export const heldoutAt = (rank: number) => 0.4 + 0.02 * Math.abs(rank - truth);
export const standardErrorAt = (rank: number) => 0.005 + 0.001 * rank;
export const norm = 100;
const leastAt = (rank: number) => 0.9 / Math.sqrt(rank);
/** Of the component p, from 0. */
export const silhouetteAt = (rank: number, p: number) => (rank <= truth ? 0.95 : 0.9) - (0.4 * p) / rank;
export const usageAt = (rank: number, p: number) => (2 * (rank - p)) / (rank * (rank + 1));
/** Relative errors of the starts, none like another, and not in order. */
export const errorOf = (rank: number, start: number) => leastAt(rank) + 1e-4 * ((start * 7) % 200);

/** Bytes of a lower triangle: dark blocks on the diagonal, with some texture. */
export function triangle(size: number, blocks: number, inside: number, outside: number): string {
  const bytes: number[] = [];
  for (let a = 0; a < size; ++a) {
    for (let b = 0; b <= a; ++b) {
      const same = Math.floor((a * blocks) / size) === Math.floor((b * blocks) / size);
      bytes.push(a === b ? (inside < outside ? 0 : 255) : (same ? inside : outside) + ((a * b) % 30));
    }
  }
  return base64(bytes);
}

function jobs(count: number, errorAt: (k: number) => number): Jobs {
  const numbers = Array.from({ length: count }, (_, k) => k);
  return {
    number: numbers,
    relative_error: numbers.map(errorAt),
    status: numbers.map((k) => (k % 50 === 49 ? "iteration_limit" : "converged")),
  };
}

/** Component p comes from p at the next smaller rank, the last one from the first. */
function components(rank: number, smaller: number, starts: number): ComponentSummary[] {
  return Array.from({ length: rank }, (_, p) => ({
    rank,
    component: p + 1,
    members: starts - (p % 3),
    silhouette: rank === 1 || starts === 1 ? null : silhouetteAt(rank, p),
    spread: 0.01 * (p + 1),
    usage: usageAt(rank, p),
    parent: smaller === 0 ? 0 : p < smaller ? p + 1 : 1,
    parent_cosine: smaller === 0 ? null : p < smaller ? 0.99 : 0.6,
  }));
}

function pictures(rank: number, starts: number, map: number, choices: SurveyChoices): RankPictures {
  const size = Math.min(map, rank * starts);
  const pixels = Array.from({ length: rank }, (_, p) => Math.floor(size / rank) + (p < size % rank ? 1 : 0));
  const { images = false, names = true } = choices;
  const image = (p: number) => {
    const bytes = new Array<number>(imageHeight * imageWidth).fill(0);
    bytes[p % bytes.length] = 255;
    return base64(bytes);
  };
  return {
    notes: rank > truth ? [`Rank ${rank} has components that few starts find.`] : [],
    distances:
      size < 2
        ? null
        : {
            size,
            max: 0.8,
            groups: pixels.map((count, p) => ({ component: p + 1, spectra: starts, pixels: count })),
            pixels: triangle(size, rank, 10, 200),
          },
    density:
      starts === 1
        ? null
        : {
            most: 1.2,
            threshold: 0.9,
            spectra: rank * starts,
            beyond: 3,
            counts: Array.from({ length: 40 }, (_, k) => (k === 0 ? rank * starts - 89 : k === 1 ? 51 : 1)),
          },
    consensus: starts === 1 ? null : { size: map, samples: 2000, pixels: triangle(map, rank, 225, 5) },
    parts: {
      components: Array.from({ length: rank }, (_, p) => ({
        weight: 1 / rank,
        top: names
          ? Array.from({ length: 12 }, (_unused, k) => ({ name: `GENE${p}.${k}`, value: 1.2 - 0.1 * k }))
          : [],
        particular: names ? [{ name: `GENE${p}.5`, value: 0.3 }] : [],
        typical: names ? [{ name: `cell ${p}`, value: 2 }] : [],
        groups: [],
      })),
      images: images
        ? {
            height: imageHeight,
            width: imageWidth,
            side: "columns",
            pixels: Array.from({ length: rank }, (_, p) => image(p)),
          }
        : null,
      curves: null,
    },
  };
}

export function survey(choices: SurveyChoices = {}): Survey {
  const { starts = 20, suggested = truth, heldout = true, map = 60 } = choices;
  const numbers = choices.ranks ?? [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const ranks = numbers.map((rank, at): SurveyedRank => {
    const parts = components(rank, numbers[at - 1] ?? 0, starts);
    const compared = rank > 1 && starts > 1;
    const known = parts.map(({ silhouette }) => silhouette ?? 0);
    return {
      summary: {
        rank,
        starts,
        failed: 0,
        converged: starts - Math.floor(starts / 50),
        error_best: norm * leastAt(rank),
        error_median: norm * leastAt(rank) + 1,
        error_worst: norm * leastAt(rank) + 2,
        explained: 1 - leastAt(rank) ** 2,
        silhouette: compared ? known.reduce((sum, value) => sum + value, 0) / rank : null,
        silhouette_min: compared ? Math.min(...known) : null,
        silhouette_cosine: compared ? 0.9 : null,
        instability: starts > 1 ? 0.1 : null,
        cophenetic: starts > 1 ? 0.98 : null,
        dispersion: starts > 1 ? 0.8 : null,
        sparseness_w: 0.5,
        sparseness_h: 0.6,
        consensus_error: norm * leastAt(rank) + 0.5,
        heldout: heldout ? heldoutAt(rank) : null,
        heldout_se: heldout ? standardErrorAt(rank) : null,
        bcv: null,
        outliers: 0,
        seconds: 12.5 * rank,
        suggested: rank === suggested,
      },
      components: parts,
      starts: jobs(starts, (k) => errorOf(rank, k)),
      heldout: jobs(heldout ? 5 : 0, (k) => heldoutAt(rank) + 0.001 * (k - 2)),
      pictures: pictures(rank, starts, map, choices),
    };
  });
  return {
    format: 1,
    kind: "survey",
    title: `cells: ${numbers.length} ranks, ${starts} starts`,
    version: "0.1.0",
    command: "anmf survey cells.h5ad --ranks 2-12 --out s",
    survey: {
      format: 1,
      kind: "survey",
      input: {
        name: "data/cells.h5ad",
        rows: 3000,
        cols: 2000,
        nonzeros: 600000,
        norm,
        checksum: "0123456789abcdef",
      },
      key: { version: "0.1.0", precision: "float64", seed: 0, features: "columns", loss: "frobenius" },
      ranks: numbers,
      seconds: 330,
    },
    suggestion: {
      rank: suggested,
      rule: "heldout-1",
      reasons: [
        `Rank ${truth} predicts entries that were hidden from it best: its mean error is 0.4 (5 masks).`,
        "Ranks 2 to 7 and 11 to 12 are clearly worse (by more than 2 standard errors of the difference).",
      ],
      alternatives: numbers.filter((rank) => rank === 8 || rank === 10),
      edge: false,
    },
    ranks,
    failed: { count: 0, jobs: [] },
    notes: [],
    stopped: false,
    top_side: "columns",
    sample_side: "rows",
    groupings: 0,
  };
}
