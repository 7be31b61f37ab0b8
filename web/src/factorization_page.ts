// SPDX-License-Identifier: MIT
// The page of one factorization.
import { componentSection } from "./components";
import { courseOfRun } from "./convergence";
import type { Factorization } from "./document";
import { el, section, unbroken, type Child } from "./dom";
import { fitSection } from "./fit";
import { bytes, duration, short, size, whole } from "./format";
import { heatMapCard } from "./heat_map";
import { lossOf } from "./loss";
import { reproduction } from "./reproduction";

const symbols: Record<string, string> = {
  converged: "\u2713",
  iteration_limit: "\u25a0",
  time_limit: "\u25a0",
  stopped_by_observer: "\u2016",
};

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** How a matrix that stayed on disk was read. */
function reading(stream: object): HTMLElement {
  const fields = stream as Record<string, unknown>;
  const value = (name: string) => number(fields[name]) ?? 0;
  const disk = `${bytes(value("reading_bytes_per_second"))}/s`;
  const bound =
    fields["bound_by"] === "disk"
      ? `bound by the disk, which gave ${disk}`
      : `bound by the computation; the disk gave ${disk}`;
  return el(
    "p",
    { id: "stream" },
    `The matrix stayed in its file: ${whole(value("passes"))} passes read ${bytes(value("bytes"))} at ${bytes(value("bytes_per_second"))}/s, ${bound}.`,
  );
}

function summary(report: Factorization): HTMLElement {
  const { run } = report;
  const symbol = symbols[text(run["status"])] ?? "?";
  const rows = number(run["rows"]) ?? 0;
  const cols = number(run["cols"]) ?? 0;
  const nonzeros = number(run["nonzeros"]) ?? 0;
  const matrix = text(run["storage"]).startsWith("dense")
    ? `dense ${size(rows, cols)} matrix`
    : `${size(rows, cols)} matrix with ${whole(nonzeros)} nonzeros`;
  const rank = number(run["rank"]) ?? 0;
  const iterations = number(run["iterations"]) ?? 0;
  const loss = lossOf(run["loss"]);
  const outcome: Child[] = loss.squared
    ? ["with a relative error of ", el("strong", {}, short(number(run["relative_error"])))]
    : ["with a divergence D of ", el("strong", {}, short(number(run["divergence"])))];
  const sentence = el(
    "p",
    { class: "lead", id: "summary" },
    unbroken(text(run["method"])),
    ` approximated a ${matrix} by ${whole(rank)} component${rank === 1 ? "" : "s"} `,
    ...outcome,
    ` in ${whole(iterations)} iteration${iterations === 1 ? "" : "s"} (${duration(number(run["seconds"]) ?? 0)}).`,
  );
  const minimised = el(
    "p",
    { id: "loss" },
    `What it minimised is ${loss.name}; D is its sum over all entries, ${loss.unit}. The relative error is \u221a(D / D\u2081) = ${short(number(run["relative_error"]))}, D\u2081 being that of the best model of rank one.`,
  );
  const status = el(
    "p",
    { class: "status", "data-status": text(run["status"]) },
    el("span", { class: "symbol", "aria-hidden": "true" }, `${symbol} `),
    text(run["message"]),
  );
  const heldOut = number(run["heldout_entries"]) ?? 0;
  const notes = Array.isArray(run["notes"]) ? run["notes"].filter((note) => typeof note === "string") : [];
  const parts: Child[] = loss.squared ? [sentence, status] : [sentence, minimised, status];
  if (heldOut > 0) {
    parts.push(
      el(
        "p",
        { id: "heldout" },
        `${whole(heldOut)} entries were held out of the run. Their error is ${short(number(run["heldout_relative_error"]))} of that of their mean; 1 would be no better than the mean.`,
      ),
    );
  }
  if (typeof run["stream"] === "object" && run["stream"] !== null) parts.push(reading(run["stream"]));
  if (notes.length > 0) parts.push(el("ul", { class: "notes" }, ...notes.map((note) => el("li", {}, note))));
  return el("div", {}, ...parts);
}

function factors(report: Factorization): HTMLElement {
  const { W, H } = report.heatmaps;
  return section(
    "factors",
    "Factors",
    el("p", {}, "Where the entries of W and H are large. The full numbers are in W.npy and H.npy."),
    el(
      "div",
      { class: "pair" },
      heatMapCard("map-w", "W", "row", W).element,
      heatMapCard("map-h", "H transposed", "column", H).element,
    ),
  );
}

export function factorizationPage(report: Factorization): HTMLElement[] {
  const course = courseOfRun(report);
  return [
    summary(report),
    course.convergence,
    fitSection(report),
    componentSection(report),
    factors(report),
    section("reproduce", "To reproduce it", reproduction(report.command, report.version, report.run)),
    course.work,
  ];
}
