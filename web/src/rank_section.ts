// SPDX-License-Identifier: MIT
// One rank at a time: its components, and how well its starts agree on them.
import { drawComponents } from "./rank_components";
import type { Survey, SurveyedRank } from "./document";
import { choice, el, section, type Child } from "./dom";
import { percent, short, whole } from "./format";
import { lossOf } from "./loss";
import { clustergram, consensusMap, densityCard, startsCard } from "./rank_figures";
import { components, listed, stableFrom } from "./survey_words";

/** The suggested rank, or the likeliest other one, or the first of which there is something to see. */
export function firstShown({ suggestion, ranks }: Survey): number {
  const wanted = [suggestion.rank, ...suggestion.alternatives];
  const known = (rank: number | null) => ranks.some(({ summary }) => summary.rank === rank);
  const found = wanted.find(known) ?? null;
  if (found !== null) return found;
  return (ranks.find(({ pictures }) => pictures !== null) ?? ranks[0])?.summary.rank ?? 0;
}

function introduction({ summary, heldout }: SurveyedRank, squared: boolean): HTMLElement {
  const { starts, converged, silhouette, silhouette_min: worst, explained } = summary;
  const all = starts === 1 ? "which converged" : "all of which converged";
  const ended = converged === starts ? all : `${whole(converged)} of which converged`;
  const sentences = [
    starts === 0 ? "No start is done." : `${whole(starts)} start${starts === 1 ? "" : "s"}, ${ended}.`,
  ];
  if (explained !== null)
    sentences.push(
      `The best one explains ${percent(explained)} of ${squared ? "the matrix" : "what a single component leaves"}.`,
    );
  if (silhouette !== null && worst !== null)
    sentences.push(
      `Stability is ${short(silhouette, 3)} on average and ${short(worst, 3)} for the worst component, which is ${
        worst >= stableFrom ? "stable" : "not stable: look at the components one by one"
      }.`,
    );
  const errors = heldout.relative_error.filter((error): error is number => error !== null);
  if (errors.length > 0)
    sentences.push(
      `Held-out error${errors.length === 1 ? "" : `s of the ${errors.length} repeats`}: ${listed(errors.map((error) => short(error, 4, true)))}.`,
    );
  return el("p", { id: "rank-words" }, sentences.join(" "));
}

function viewOf(report: Survey, shown: SurveyedRank): HTMLElement {
  const { summary, pictures, starts } = shown;
  const parts: Child[] = [introduction(shown, lossOf(report.survey.key["loss"]).squared)];
  const notes = pictures?.notes ?? [];
  if (notes.length > 0)
    parts.push(el("ul", { class: "notes", id: "rank-notes" }, ...notes.map((note) => el("li", {}, note))));
  parts.push(...drawComponents(report, shown));
  if (pictures) {
    parts.push(
      el("div", { class: "pair" }, clustergram(pictures.distances), consensusMap(pictures.consensus)),
      el("div", { class: "pair" }, densityCard(pictures.density), startsCard(starts)),
    );
  } else {
    parts.push(
      el(
        "p",
        { class: "quiet absent" },
        "Pictures of this rank are not there: it has not been summed up yet, or its files are gone.",
      ),
      startsCard(starts),
    );
  }
  return el("div", { class: "rank-view", "data-rank": summary.rank }, ...parts);
}

export interface RankSection {
  element: HTMLElement;
  /** Chooses a rank and brings it into sight. */
  show: (rank: number) => void;
}

export function rankSection(report: Survey): RankSection {
  const numbers = report.ranks.map(({ summary }) => summary.rank);
  const views = new Map<number, HTMLElement>();
  // Read aloud when it changes; what follows is too long for that.
  const title = el("h3", { class: "figure-title", id: "rank-shown", "aria-live": "polite" });
  const place = el("div", { id: "rank-place" });
  const draw = (rank: number) => {
    const shown = report.ranks.find(({ summary }) => summary.rank === rank);
    if (!shown) return;
    // Ranks that nobody looks at are not drawn, so that the page opens at once.
    const view = views.get(rank) ?? viewOf(report, shown);
    views.set(rank, view);
    title.textContent = `${components(rank)}${rank === report.suggestion.rank ? ", as suggested" : ""}`;
    place.replaceChildren(view);
  };
  const first = firstShown(report);
  draw(first);
  const chooser = choice(
    "Components",
    numbers.map((rank) => [String(rank), String(rank)] as const),
    String(first),
    (value) => draw(Number(value)),
  );
  chooser.id = "rank-chooser";
  for (const input of chooser.querySelectorAll("input"))
    if (Number(input.value) === report.suggestion.rank) input.parentElement?.classList.add("suggested");
  const element = section(
    "rank",
    "Rank by rank",
    el(
      "p",
      { class: "on-screen" },
      "Choose a number of components to see what they are, and how well the starts agree on them.",
    ),
    ...(numbers.length > 1 ? [el("div", { class: "controls ranks" }, chooser)] : []),
    title,
    place,
  );
  const show = (rank: number) => {
    const input = chooser.querySelector<HTMLInputElement>(`input[value="${rank}"]`);
    if (input) input.checked = true;
    draw(rank);
    element.scrollIntoView();
    input?.focus({ preventScroll: true });
  };
  return { element, show };
}
