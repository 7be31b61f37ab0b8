// SPDX-License-Identifier: MIT
// The page of a survey: the suggestion, what it rests on, the ranks one by one, and the tree of components.
import { treeSection } from "./component_tree";
import type { Survey } from "./document";
import { el, section, type Child } from "./dom";
import { whole } from "./format";
import { rankSection } from "./rank_section";
import { reproduction } from "./reproduction";
import { selectionSection } from "./survey_plots";
import { failedSection, rankTable } from "./survey_tables";
import { scope, verdict } from "./survey_words";

function summary(report: Survey): HTMLElement {
  const { suggestion, failed, stopped, notes } = report;
  const parts: Child[] = [
    el("p", { class: "lead", id: "summary" }, el("strong", {}, verdict(suggestion)), ` ${scope(report)}`),
  ];
  if (suggestion.reasons.length > 0) {
    parts.push(
      el(
        "ul",
        { class: "reasons", id: "reasons" },
        ...suggestion.reasons.map((reason) => el("li", {}, reason)),
      ),
    );
  }
  if (stopped)
    parts.push(
      el(
        "p",
        { class: "warning", id: "stopped" },
        "The survey was stopped before all jobs were made. This is what was there; --resume goes on with it.",
      ),
    );
  if (failed.count > 0) {
    const words = `${whole(failed.count)} job${failed.count === 1 ? "" : "s"} failed`;
    parts.push(
      el("p", { class: "warning", id: "some-failed" }, el("a", { href: "#failed" }, words), ", see below."),
    );
  }
  if (notes.length > 0)
    parts.push(el("ul", { class: "notes", id: "notes" }, ...notes.map((note) => el("li", {}, note))));
  if (suggestion.rule)
    parts.push(
      el(
        "p",
        { class: "quiet", id: "rule" },
        `By rule ${suggestion.rule}. A suggestion is where to begin, and the question decides.`,
      ),
    );
  return el("div", {}, ...parts);
}

export function surveyPage(report: Survey): HTMLElement[] {
  const { survey, ranks, failed } = report;
  const parts = [summary(report)];
  if (ranks.length > 0) {
    const ranked = rankSection(report);
    const tree = treeSection(report, ranked.show);
    parts.push(selectionSection(report), rankTable(report, ranked.show), ranked.element);
    if (tree) parts.push(tree);
  }
  if (failed.count > 0) parts.push(failedSection(report));
  parts.push(
    section(
      "reproduce",
      "To reproduce it",
      reproduction(report.command, report.version, { ...survey.input, ...survey.key }),
    ),
  );
  return parts;
}
