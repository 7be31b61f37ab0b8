// SPDX-License-Identifier: MIT
// The tables of a survey: all ranks, and the jobs that failed.
import { saveButtons } from "./chart_card";
import type { RankSummary, Survey } from "./document";
import { button, el, scrollable, section } from "./dom";
import { csvRow, whole } from "./format";
import { cell, columns, rankFields } from "./survey_words";

function rankRow(rank: RankSummary, show: (rank: number) => void): HTMLTableRowElement {
  const number = button(whole(rank.rank), () => show(rank.rank), {
    class: "as-link",
    "aria-label": `Show rank ${rank.rank}`,
  });
  const head = el("th", { scope: "row" }, number, el("span", { class: "on-paper" }, whole(rank.rank)));
  if (rank.suggested) head.append(el("span", { class: "mark" }, " suggested"));
  return el(
    "tr",
    { "data-rank": rank.rank, class: rank.suggested ? "suggested" : undefined },
    head,
    ...columns.map(({ key, text, further }) =>
      el("td", { "data-column": key, class: further ? "further" : undefined }, text(rank)),
    ),
  );
}

/** Columns in which no rank has anything are left out of what is seen. */
export function rankTable({ ranks }: Survey, show: (rank: number) => void): HTMLElement {
  const summaries = ranks.map(({ summary }) => summary);
  const title = "All numbers of components";
  const csv = () =>
    csvRow(rankFields) + summaries.map((rank) => csvRow(rankFields.map((f) => cell(rank[f])))).join("");
  const head = [
    el("th", { scope: "col" }, "components"),
    ...columns.map(({ key, name, meaning, further }) =>
      el(
        "th",
        { scope: "col", title: meaning, "data-column": key, class: further ? "further" : undefined },
        name,
      ),
    ),
  ];
  const table = el(
    "table",
    { class: "numbers-table", id: "rank-table" },
    el("thead", {}, el("tr", {}, ...head)),
    el("tbody", {}, ...summaries.map((rank) => rankRow(rank, show))),
  );
  for (const { key } of columns) {
    if (summaries.some((rank) => rank[key] !== null)) continue;
    for (const one of table.querySelectorAll(`[data-column="${key}"]`)) one.remove();
  }
  const meanings = columns.flatMap(({ name, meaning }) => [el("dt", {}, name), el("dd", {}, meaning)]);
  return section(
    "ranks",
    "In numbers",
    el(
      "div",
      { class: "card" },
      el("header", {}, el("div", { class: "titles" }, el("h3", {}, title)), saveButtons("Survey", null, csv)),
      scrollable(title, table),
      el(
        "details",
        {},
        el("summary", {}, "What the columns mean"),
        el("dl", { class: "meanings" }, ...meanings),
      ),
    ),
  );
}

const kinds: Record<string, string> = {
  start: "start",
  heldout: "held-out repeat",
  bcv: "bi-cross-validation",
};

/** What the user can do about it is in the messages. */
export function failedSection({ failed }: Survey): HTMLElement {
  const head = ["components", "job", "what it said"].map((title) => el("th", { scope: "col" }, title));
  const rows = failed.jobs.map(({ rank, kind, number, message }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, whole(rank)),
      el("td", {}, `${kinds[kind] ?? kind} ${number}`),
      el("td", {}, message || "\u2013"),
    ),
  );
  const more = failed.count - failed.jobs.length;
  return section(
    "failed",
    "Failed jobs",
    el(
      "p",
      {},
      `${whole(failed.count)} job${failed.count === 1 ? "" : "s"} failed; the others count all the same. --retry-failed makes them again.${
        more > 0 ? ` Here are the first ${whole(failed.jobs.length)}, jobs.csv has all.` : ""
      }`,
    ),
    el(
      "div",
      { class: "card" },
      scrollable(
        "Failed jobs",
        el("table", { id: "failed-table" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)),
      ),
    ),
  );
}
