// SPDX-License-Identifier: MIT
// What the starts of one rank agree on: distances of spectra, their density, groups of samples, and errors.
import * as Plot from "@observablehq/plot";
import { axis } from "./axis";
import { chartCard } from "./chart_card";
import type { Density, Distances, Jobs, RankPictures } from "./document";
import { el } from "./dom";
import { csvRow, short, whole } from "./format";
import { axisNames, marginsFor, plotMargins, spaced } from "./frame";
import { squareMapCard, type MapGroup } from "./square_map";

const height = 250; // of the charts

const caption = (text: string) => el("p", { class: "caption" }, text);

/** A card that says why it has no figure. */
function absent(id: string, title: string, text: string): HTMLElement {
  return el(
    "div",
    { class: "card", id },
    el("header", {}, el("div", { class: "titles" }, el("h3", {}, title))),
    el("p", { class: "quiet absent" }, text),
  );
}

function groupsOf(distances: Distances): MapGroup[] {
  let begin = 0;
  return distances.groups.map(({ component, pixels }) => {
    const group = { name: component === 0 ? "\u2013" : String(component), begin, end: begin + pixels };
    begin = group.end;
    return group;
  });
}

export function clustergram(distances: Distances | null): HTMLElement {
  const title = "Spectra of all starts, by component";
  if (!distances)
    return absent("clustergram", title, "It takes the spectra of two starts, or of two components.");
  const groups = groupsOf(distances);
  const nameAt = (pixel: number) => {
    const name = groups.find(({ begin, end }) => begin <= pixel && pixel < end)?.name ?? "?";
    return name === "\u2013" ? "left out" : `component ${name}`;
  };
  const spectra = distances.groups.reduce((sum, group) => sum + group.spectra, 0);
  const max = distances.max ?? 1;
  const leftOut = distances.groups.some(({ component }) => component === 0);
  return squareMapCard({
    id: "clustergram",
    title,
    subtitle: `${whole(spectra)} spectra, the most typical of a component first; 1 \u2212 cosine, at most ${short(max, 2)}`,
    description: `Map of the distances of ${spectra} spectra in ${groups.length} groups.`,
    map: distances,
    max,
    dark: "small",
    ends: ["0, the same", `${short(max, 2)}, unlike`],
    groups,
    point: (a, b, value) => `${nameAt(a)} and ${nameAt(b)}: ${value}`,
    after: [
      caption(
        `Every line, and every column, is a spectrum of one start. Even squares of small distances along the diagonal, with nothing like them beside them, are components that all starts find; a mixed square is one on which they disagree, and small distances off the diagonal mean that two components resemble each other.${
          leftOut ? " The last group, \u2013, was left out." : ""
        }`,
      ),
    ],
  }).element;
}

export function densityCard(density: Density | null): HTMLElement {
  const title = "How close spectra are to others";
  if (!density) return absent("density", title, "It takes the spectra of several starts.");
  const most = density.most ?? 0;
  const { threshold, counts, spectra, beyond } = density;
  if (most === 0) return absent("density", title, `All ${whole(spectra)} spectra are equal.`);
  const step = most / counts.length;
  const bars = counts.map((count, k) => ({ from: k * step, to: (k + 1) * step, count }));
  const left =
    threshold === null
      ? "No threshold was set, so none was left out."
      : `${beyond === 0 ? "None lies" : `${whole(beyond)} of ${whole(spectra)} lie`} beyond the threshold of ${short(threshold)} and ${beyond === 1 ? "was" : "were"} left out.`;
  return chartCard({
    id: "density",
    title,
    subtitle: `Mean distance of each spectrum to its nearest neighbours, ${whole(spectra)} spectra`,
    description: `Histogram of the local density of ${spectra} spectra, up to ${short(most, 3)}.`,
    draw: (width) => {
      const top = Math.max(1, ...counts);
      const up = axis(false, [0, top], 4);
      const across = axis(false, [0, most], 6);
      const ticks = spaced(across.ticks, across.format, width - 60);
      const margins = marginsFor(ticks.map(across.format), up.ticks.map(up.format));
      const least = (1.5 * top) / (height - margins.top - margins.bottom); // a single spectrum is seen, too
      return Plot.plot({
        width,
        height,
        ...plotMargins(margins),
        className: "plot",
        x: { domain: [0, most], label: null },
        y: { domain: [0, top], label: null },
        marks: [
          Plot.gridY(up.ticks, { stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.axisX(ticks, { text: across.format, tickSize: 0, label: null }),
          Plot.axisY(up.ticks, { text: up.format, tickSize: 0, label: null }),
          ...axisNames("distance to neighbours", "spectra", margins),
          Plot.rectY(bars, {
            x1: "from",
            x2: "to",
            y: ({ count }: { count: number }) => (count > 0 ? Math.max(count, least) : 0),
            fill: "var(--accent)",
            insetLeft: 0.5,
            insetRight: 0.5,
          }),
          ...(threshold === null
            ? []
            : [
                Plot.ruleX([threshold], {
                  stroke: "var(--curve-2)",
                  strokeWidth: 1.6,
                  strokeDasharray: "5 3",
                  className: "threshold",
                }),
              ]),
        ],
      }) as SVGSVGElement;
    },
    csv: () => csvRow(["from", "to", "spectra"]) + bars.map((b) => csvRow([b.from, b.to, b.count])).join(""),
    after: [
      caption(
        `Spectra on the left have others close by: starts that found the same. A tail on the right are spectra that hardly any other start found. ${left}`,
      ),
    ],
  }).element;
}

export function consensusMap(consensus: RankPictures["consensus"]): HTMLElement {
  const title = "Samples that go together";
  if (!consensus) return absent("consensus", title, "It takes several starts and several samples.");
  const { samples, size } = consensus;
  const first = (pixel: number) => Math.floor((pixel * samples) / size) + 1;
  const place = (pixel: number) =>
    first(pixel + 1) - first(pixel) > 1
      ? `${whole(first(pixel))}\u2013${whole(first(pixel + 1) - 1)}`
      : whole(first(pixel));
  return squareMapCard({
    id: "consensus",
    title,
    subtitle: `${whole(samples)} samples, similar ones beside each other; the share of starts in which two have the same strongest component`,
    description: `Map of how often ${samples} samples have the same strongest component.`,
    map: consensus,
    max: 1,
    dark: "large",
    ends: ["0, never together", "1, always"],
    groups: [],
    point: (a, b, value) => `places ${place(a)} and ${place(b)}: ${value}`,
    after: [
      caption(
        "Even squares of shares near 1 are groups of samples that every start keeps together. Patches in between are samples that change sides from start to start.",
      ),
    ],
  }).element;
}

interface Start {
  place: number;
  number: number;
  error: number;
  converged: boolean;
}

/** Those that have an error, the best first. */
function sortedStarts({ number, relative_error, status }: Jobs): Start[] {
  return number
    .flatMap((start, k) => {
      const error = relative_error[k] ?? null;
      return error === null ? [] : [{ place: 0, number: start, error, converged: status[k] === "converged" }];
    })
    .sort((a, b) => a.error - b.error || a.number - b.number)
    .map((start, k) => ({ ...start, place: k + 1 }));
}

export function startsCard(jobs: Jobs): HTMLElement {
  const title = "Errors of all starts";
  const starts = sortedStarts(jobs);
  const failed = jobs.status.filter((status) => status === "failed").length;
  const lost = failed > 0 ? ` ${whole(failed)} failed.` : "";
  const [best] = starts;
  if (!best) return absent("starts", title, `No start of this rank is done.${lost}`);
  const unfinished = starts.filter(({ converged }) => !converged).length;
  const worst = starts[starts.length - 1] ?? best;
  const ended =
    unfinished === 0
      ? starts.length === 1
        ? "It converged."
        : "All of them converged."
      : `Hollow squares are the ${whole(unfinished)} that ended before they converged: more iterations may bring them further (--max-iterations).`;
  return chartCard({
    id: "starts",
    title,
    subtitle: `${whole(starts.length)} start${starts.length === 1 ? "" : "s"}, the best first: start ${best.number} with ${short(best.error, 5)}`,
    description: `Errors of ${starts.length} starts from ${short(best.error)} to ${short(worst.error)}.`,
    draw: (width) => {
      const room = 0.06 * (worst.error - best.error) || 0.05 * Math.abs(best.error) || 1;
      const domain: [number, number] = [best.error - room, worst.error + room];
      const up = axis(false, domain, 4);
      const across = axis(false, [1, Math.max(2, starts.length)], 6);
      const whereWhole = across.ticks.filter(Number.isInteger);
      const ticks = spaced(whereWhole, across.format, width - 80);
      const margins = marginsFor(ticks.map(across.format), up.ticks.map(up.format));
      return Plot.plot({
        width,
        height,
        ...plotMargins(margins),
        className: "plot",
        x: { domain: [0.5, Math.max(1, starts.length) + 0.5], label: null },
        y: { domain, label: null },
        marks: [
          Plot.gridY(up.ticks, { stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.axisX(ticks, { text: across.format, tickSize: 0, label: null }),
          Plot.axisY(up.ticks, { text: up.format, tickSize: 0, label: null }),
          ...axisNames("starts by error", "relative error", margins),
          Plot.dot(
            starts.filter(({ converged }) => converged),
            { x: "place", y: "error", r: 2.6, fill: "var(--curve-1)", className: "converged" },
          ),
          Plot.dot(
            starts.filter(({ converged }) => !converged),
            {
              x: "place",
              y: "error",
              r: 3,
              symbol: "square",
              stroke: "var(--curve-2)",
              fill: "var(--card)",
              className: "unfinished",
            },
          ),
          Plot.tip(
            starts,
            Plot.pointer({
              x: "place",
              y: "error",
              maxRadius: 30,
              title: ({ number, error, converged }: Start) =>
                `start ${number}\n${short(error, 6)}${converged ? "" : "\nnot converged"}`,
            }),
          ),
        ],
      }) as SVGSVGElement;
    },
    csv: () =>
      csvRow(["start", "relative_error", "status"]) +
      jobs.number.map((n, k) => csvRow([n, jobs.relative_error[k], jobs.status[k]])).join(""),
    after: [
      caption(
        `Steps are different solutions: the level on the left is the best one, and how many starts reach it says how easily it is found. ${ended}${lost}`,
      ),
    ],
  }).element;
}
