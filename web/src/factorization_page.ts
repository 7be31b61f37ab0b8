// SPDX-License-Identifier: MIT
// The page of one factorization.
import { chartCard } from "./chart_card";
import { componentGallery, weightCard } from "./components";
import { curveStyle } from "./curve_style";
import type { Factorization } from "./document";
import { choice, el, section, type Child } from "./dom";
import { bytes, csvRow, duration, short, size, whole } from "./format";
import { heatMapCard } from "./heat_map";
import { lineChart, type Curve } from "./line_chart";
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
  const sentence = el(
    "p",
    { class: "lead", id: "summary" },
    `${text(run["method"])} approximated a ${matrix} by ${whole(rank)} component${rank === 1 ? "" : "s"} with a relative error of `,
    el("strong", {}, short(number(run["relative_error"]))),
    ` in ${whole(iterations)} iteration${iterations === 1 ? "" : "s"} (${duration(number(run["seconds"]) ?? 0)}).`,
  );
  const status = el(
    "p",
    { class: "status", "data-status": text(run["status"]) },
    el("span", { class: "symbol", "aria-hidden": "true" }, `${symbol} `),
    text(run["message"]),
  );
  const notes = Array.isArray(run["notes"]) ? run["notes"].filter((note) => typeof note === "string") : [];
  const parts: Child[] = [sentence, status];
  if (typeof run["stream"] === "object" && run["stream"] !== null) parts.push(reading(run["stream"]));
  if (notes.length > 0) parts.push(el("ul", { class: "notes" }, ...notes.map((note) => el("li", {}, note))));
  return el("div", {}, ...parts);
}

type XAxis = "iteration" | "seconds" | "flops";
const xLabels: Record<XAxis, string> = { iteration: "iteration", seconds: "seconds", flops: "flops" };

function convergence(report: Factorization): HTMLElement {
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
      error.redraw();
      inner.redraw();
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
      error.redraw();
      inner.redraw();
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
      error.redraw();
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
    subtitle: "\u2016M \u2212 WH\u2016 / \u2016M\u2016 after every iteration",
    description: `Line chart of the relative error, from ${short(trace.relative_error[0])} to ${short(last)}.`,
    draw: (width) =>
      lineChart([errorCurve()], {
        width,
        height: chartHeight(width),
        xLabel: xLabels[xAxis],
        yLabel: "relative error",
        xLog,
        yLog,
      }),
    csv,
  });
  const inner = chartCard({
    id: "inner",
    title: "Inner iterations",
    subtitle: "Updates of each factor within one iteration",
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
  return section(
    "convergence",
    "Convergence",
    el("div", { class: "controls" }, chooseX, chooseXScale, chooseYScale),
    el("div", { class: "pair" }, error.element, inner.element),
  );
}

function chartHeight(width: number): number {
  return Math.round(Math.min(340, Math.max(220, width * 0.62)));
}

function components(report: Factorization): HTMLElement {
  const lines: Child[] = [];
  if (report.images) {
    lines.push(
      report.images.side === "rows"
        ? "Each image is a column of W, scaled to its own maximum. "
        : "Each image is a row of H, scaled to its own maximum. ",
    );
  }
  if (report.components.some((component) => component.top.length > 0)) {
    lines.push(
      report.top_side === "columns"
        ? "The names are the columns of M with the largest entries in the component\u2019s row of H. "
        : "The names are the rows of M with the largest entries in the component\u2019s column of W. ",
    );
  }
  lines.push("Percentages are the weights of the components.");
  const parts: Child[] = [el("p", {}, ...lines)];
  const pictured = report.images !== null || report.components.some((component) => component.top.length > 0);
  if (pictured) parts.push(componentGallery(report));
  parts.push(weightCard(report).element);
  return section("components", "Components", ...parts);
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
  return [
    summary(report),
    convergence(report),
    components(report),
    factors(report),
    section("reproduce", "To reproduce it", reproduction(report.command, report.version, report.run)),
  ];
}
