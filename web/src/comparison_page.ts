// SPDX-License-Identifier: MIT
// The page of a comparison: the figures first, then the claims, the tables and what was left out.
import { claimsTable, plainTable } from "./tables";
import { figureSection } from "./comparison_figure";
import { assignStyles } from "./curve_style";
import type { Comparison, Panel } from "./document";
import { choice, el, section, unbroken, type Child } from "./dom";
import { whole } from "./format";
import { commandBlock } from "./reproduction";

export type XAxis = "seconds" | "flops";
export interface View {
  xAxis: XAxis;
  yLog: boolean;
}

function count(n: number, one: string, many: string): string {
  return `${whole(n)} ${n === 1 ? one : many}`;
}

/** Who is ahead where the time, or the count, of a panel ends; ties are nobody's. */
function leader(panel: Panel): string | null {
  const timed = panel.curves.some((curve) => curve.seconds.x.length > 1);
  const last = panel.curves.map((curve) => {
    const { mean } = timed ? curve.seconds : curve.flops;
    return { label: curve.label, value: mean[mean.length - 1] ?? Infinity };
  });
  const least = Math.min(...last.map(({ value }) => value));
  const ahead = last.filter(({ value }) => value === least);
  return last.length > 1 && Number.isFinite(least) && ahead.length === 1 ? (ahead[0]?.label ?? null) : null;
}

/** "e-a-hals is ahead at the end in 3 of 4 comparisons, a-hals in 1." */
function leaders(panels: readonly Panel[]): Child[] {
  const wins = new Map<string, number>();
  for (const label of panels.map(leader)) if (label !== null) wins.set(label, (wins.get(label) ?? 0) + 1);
  const [first, ...rest] = [...wins].sort((a, b) => b[1] - a[1]);
  if (!first) return [];
  const where =
    panels.length === 1
      ? `on ${(panels[0]?.title ?? "").replace(/ = /g, "\u00a0=\u00a0")}`
      : first[1] === panels.length
        ? `in ${panels.length === 2 ? "both" : `all ${whole(panels.length)}`} comparisons`
        : `in ${whole(first[1])} of ${whole(panels.length)} comparisons`;
  const others = rest.flatMap(([label, n]) => [", ", unbroken(label), ` in ${whole(n)}`]);
  return [" ", unbroken(first[0]), ` is ahead at the end ${where}`, ...others, "."];
}

function summary(report: Comparison): HTMLElement {
  const verdicts = (verdict: string) => report.claims.filter((claim) => claim.verdict === verdict).length;
  const panels = report.figures.flatMap((figure) => figure.panels);
  const curves = new Set(panels.flatMap((panel) => panel.curves.map((curve) => curve.label)));
  const claims =
    report.claims.length === 0
      ? ""
      : `Of ${count(report.claims.length, "claim", "claims")}, ${count(verdicts("holds"), "holds", "hold")}, ${count(verdicts("does not hold"), "does not", "do not")}, ${count(verdicts("undecided"), "is", "are")} undecided. `;
  const what: Child[] =
    panels.length === 0
      ? []
      : [`${count(curves.size, "method", "methods")} from the same starts.`, ...leaders(panels)];
  return el("p", { class: "lead", id: "summary" }, claims, ...what);
}

function figures(report: Comparison): HTMLElement {
  const view: View = { xAxis: "seconds", yLog: true };
  const styles = assignStyles(report.figures);
  const drawn = report.figures.map((figure) => figureSection(figure, styles, view, report.title));
  const redraw = () => drawn.forEach((figure) => figure.redraw());
  const controls = el(
    "div",
    { class: "controls sticky" },
    choice(
      "Over",
      [
        ["seconds", "seconds"],
        ["flops", "flops"],
      ] as const,
      view.xAxis,
      (value) => {
        view.xAxis = value;
        redraw();
      },
    ),
    choice(
      "E",
      [
        ["log", "log"],
        ["linear", "linear"],
      ] as const,
      "log",
      (value) => {
        view.yLog = value === "log";
        redraw();
      },
    ),
  );
  return section(
    "figures",
    "Figures",
    el(
      "p",
      {},
      "E is the error above the best one found, as a share of what it was at the start; lower is better. Lines are means over the starts, bands reach from the best to the worst start. Methods beyond the paper\u2019s are dashed.",
    ),
    ...(report.seconds ? [el("p", { class: "quiet" }, report.seconds.note)] : []),
    controls,
    ...drawn.map((figure) => figure.element),
  );
}

export function comparisonPage(report: Comparison): HTMLElement[] {
  const parts: HTMLElement[] = [summary(report)];
  if (report.figures.length > 0) parts.push(figures(report));
  const places = new Set([...report.figures, ...report.tables].map(({ id }) => id));
  if (report.claims.length > 0) parts.push(section("claims", "Claims", claimsTable(report.claims, places)));
  if (report.tables.length > 0) parts.push(section("tables", "Tables", ...report.tables.map(plainTable)));
  if (report.skipped.length > 0) {
    const list = el("dl", { class: "skipped" });
    for (const { data, reason } of report.skipped) list.append(el("dt", {}, data), el("dd", {}, reason));
    parts.push(section("skipped", "Left out", list));
  }
  parts.push(
    section(
      "reproduce",
      "To reproduce it",
      commandBlock(report.command),
      el("p", {}, `anmf ${report.version}.`),
    ),
  );
  return parts;
}
