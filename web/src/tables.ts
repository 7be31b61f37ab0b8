// SPDX-License-Identifier: MIT
// Claims with their verdicts, and plain tables.
import { saveButtons } from "./chart_card";
import type { Claim, Table, Verdict } from "./document";
import { el, scrollable } from "./dom";
import { csvRow } from "./format";

const symbols: Record<Verdict, string> = { holds: "\u2713", "does not hold": "\u2717", undecided: "?" };

/** A symbol and a word, so that colour is not needed. */
function verdictMark(verdict: Verdict): HTMLElement {
  return el(
    "span",
    { class: "verdict", "data-verdict": verdict },
    el("span", { "aria-hidden": "true" }, `${symbols[verdict]} `),
    verdict,
  );
}

/** `places` are what is on the page: some claims are about figures that were not asked for. */
export function claimsTable(claims: readonly Claim[], places: ReadonlySet<string>): HTMLElement {
  const head = el(
    "tr",
    {},
    ...["Verdict", "Claim", "What was measured"].map((title) => el("th", { scope: "col" }, title)),
  );
  const body = claims.map((claim) => {
    const measured = el("td", {}, el("p", { class: "numbers" }, claim.numbers));
    if (claim.seconds) {
      measured.append(
        el("p", {}, "By time: ", verdictMark(claim.seconds.verdict)),
        el("p", { class: "numbers quiet" }, claim.seconds.numbers),
      );
    }
    if (claim.reason) measured.append(el("p", { class: "reason" }, claim.reason));
    if (claim.data.length > 0) measured.append(el("p", { class: "quiet" }, `On ${claim.data.join(", ")}.`));
    const text = el("td", {}, el("p", {}, claim.text));
    const place = claim.figure.replace("-", " ");
    const link = places.has(claim.figure) ? el("a", { href: `#${claim.figure}` }, place) : place;
    if (place) text.append(el("p", { class: "quiet" }, link));
    return el("tr", { id: `claim-${claim.id}` }, el("td", {}, verdictMark(claim.verdict)), text, measured);
  });
  const csv = () =>
    csvRow(["id", "figure", "verdict", "claim", "numbers", "data", "reason", "verdict by time"]) +
    claims
      .map((c) =>
        csvRow([
          c.id,
          c.figure,
          c.verdict,
          c.text,
          c.numbers,
          c.data.join("; "),
          c.reason,
          c.seconds?.verdict ?? "",
        ]),
      )
      .join("");
  return el(
    "div",
    { class: "card" },
    el("header", {}, el("div"), saveButtons("Claims", null, csv)),
    el("table", { class: "claims", id: "claims-table" }, el("thead", {}, head), el("tbody", {}, ...body)),
  );
}

export function plainTable(table: Table): HTMLElement {
  const csv = () => csvRow(table.columns) + table.rows.map((row) => csvRow(row)).join("");
  const head = el("tr", {}, ...table.columns.map((title) => el("th", { scope: "col" }, title)));
  const body = table.rows.map((row) =>
    el("tr", {}, ...row.map((cell, k) => (k === 0 ? el("th", { scope: "row" }, cell) : el("td", {}, cell)))),
  );
  return el(
    "div",
    { class: "card", id: table.id },
    el(
      "header",
      {},
      el("div", { class: "titles" }, el("h3", {}, table.title)),
      saveButtons(table.title, null, csv),
    ),
    scrollable(table.title, el("table", {}, el("thead", {}, head), el("tbody", {}, ...body))),
    ...table.notes.map((note) => el("p", { class: "quiet" }, note)),
  );
}
