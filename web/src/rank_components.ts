// SPDX-License-Identifier: MIT
// The components of one rank: what they are, how many starts found them, and how much they are used.
import { saveButtons } from "./chart_card";
import type { ComponentSummary, Survey, SurveyedRank } from "./document";
import { el, scrollable, type Child } from "./dom";
import { csvRow, percent, short, whole } from "./format";
import { componentGallery, gallerySentences, isPictured } from "./gallery";
import { componentFields, stableFrom } from "./survey_words";

/** "98/100 starts, stability 0.93", and where it comes from. */
function wordsOf(component: ComponentSummary, starts: number, smaller: number | null): Child[] {
  const { members, silhouette, parent, parent_cosine: cosine } = component;
  const known = silhouette !== null;
  const stability: Child[] = known ? ["stability ", el("b", {}, short(silhouette, 2, true))] : [];
  const unstable: Child[] = [];
  if (known && silhouette < stableFrom)
    unstable.push(" ", el("span", { class: "unstable" }, "\u25b3\u00a0unstable"));
  const lines: Child[] = [
    el(
      "p",
      { class: "found", "data-members": members },
      el("span", { class: "word" }, `members ${whole(members)}/${whole(starts)}${known ? "," : ""}`),
      ...(known ? [" ", el("span", { class: "word" }, ...stability), ...unstable] : []),
    ),
  ];
  if (smaller !== null && parent > 0)
    lines.push(
      el(
        "p",
        { class: "found" },
        el("span", { class: "word" }, `most like ${parent} of ${smaller}`),
        " ",
        el("span", { class: "word" }, `(cosine ${short(cosine, 2, true)})`),
      ),
    );
  return lines;
}

function componentTable(summaries: readonly ComponentSummary[], starts: number): HTMLElement {
  const names = ["component", "members", "stability", "spread", "usage", "parent", "its cosine"];
  const rows = summaries.map((one) =>
    el(
      "tr",
      { "data-component": one.component },
      el("th", { scope: "row" }, String(one.component)),
      el("td", {}, `${whole(one.members)}/${whole(starts)}`),
      el("td", {}, short(one.silhouette, 3, true)),
      el("td", {}, short(one.spread, 3, true)),
      el("td", {}, percent(one.usage)),
      el("td", {}, one.parent > 0 ? String(one.parent) : "\u2013"),
      el("td", {}, short(one.parent_cosine, 3, true)),
    ),
  );
  const head = el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)));
  return el(
    "div",
    { class: "card", id: "components-card" },
    el(
      "header",
      {},
      el("div", { class: "titles" }, el("h3", {}, "Components")),
      saveButtons(
        "Components",
        null,
        () =>
          csvRow(componentFields) +
          summaries.map((one) => csvRow(componentFields.map((field) => one[field]))).join(""),
      ),
    ),
    scrollable(
      "Components",
      el(
        "table",
        { class: "numbers-table", id: "component-table" },
        el("thead", {}, head),
        el("tbody", {}, ...rows),
      ),
    ),
  );
}

export function drawComponents(report: Survey, { summary, components, pictures }: SurveyedRank): Child[] {
  const parts = pictures?.parts ?? null;
  if (components.length === 0 && !parts) return [];
  const at = report.ranks.findIndex((rank) => rank.summary.rank === summary.rank);
  const smaller = report.ranks[at - 1]?.summary.rank ?? null;
  const members = `Members are the spectra that stand behind a component, of ${whole(summary.starts)} start${summary.starts === 1 ? "" : "s"}. Percentages are how much of a sample a component makes on average.`;
  if (!parts || !isPictured(parts)) {
    return [el("p", {}, members), componentTable(components, summary.starts)];
  }
  const shown = { ...parts, ...sidesOf(report) };
  return [
    el("p", {}, [...gallerySentences(shown), members].join(" ")),
    componentGallery(shown, {
      title: "Components, the most used first",
      order: parts.components.map((_, p) => p),
      share: (p) => components[p]?.usage ?? null,
      words: (p) => {
        const component = components[p];
        return component ? wordsOf(component, summary.starts, smaller) : [];
      },
    }),
  ];
}

const sidesOf = ({ top_side, sample_side, groupings }: Survey) => ({ top_side, sample_side, groupings });
