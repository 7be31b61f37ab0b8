// SPDX-License-Identifier: MIT
// The page of a comparison: the figures first, then the claims, the tables and what was left out.
import { claimsTable, plainTable } from "./tables";
import { figureSection } from "./comparison_figure";
import { assignStyles } from "./curve_style";
import type { Comparison } from "./document";
import { choice, el, section } from "./dom";
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

function summary(report: Comparison): HTMLElement {
  const verdicts = (verdict: string) => report.claims.filter((claim) => claim.verdict === verdict).length;
  const panels = report.figures.reduce((sum, figure) => sum + figure.panels.length, 0);
  const what = `${count(panels, "comparison", "comparisons")} in ${count(report.figures.length, "figure", "figures")}.`;
  const claims =
    report.claims.length === 0
      ? ""
      : ` Of ${count(report.claims.length, "claim", "claims")}, ${count(verdicts("holds"), "holds", "hold")}, ${count(verdicts("does not hold"), "does not", "do not")}, ${count(verdicts("undecided"), "is", "are")} undecided.`;
  return el("p", { class: "lead", id: "summary" }, what + claims);
}

function figures(report: Comparison): HTMLElement {
  const view: View = { xAxis: "seconds", yLog: true };
  const styles = assignStyles(report.figures);
  const drawn = report.figures.map((figure) => figureSection(figure, styles, view));
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
  if (report.claims.length > 0) parts.push(section("claims", "Claims", claimsTable(report.claims)));
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
