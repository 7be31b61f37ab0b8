// SPDX-License-Identifier: MIT
// Reads the data in the page and draws what they are.
import { comparisonPage } from "./comparison_page";
import type { Report } from "./document";
import { el } from "./dom";
import { factorizationPage } from "./factorization_page";
import { surveyPage } from "./survey_page";
import { themeButton } from "./theme";

function partsOf(report: Report): HTMLElement[] {
  if (report.kind === "survey") return surveyPage(report);
  return report.kind === "factorization" ? factorizationPage(report) : comparisonPage(report);
}

function draw(page: HTMLElement): void {
  const report = JSON.parse(document.getElementById("anmf-report")?.textContent ?? "") as Report;
  document.title = report.title;
  const parts = partsOf(report);
  const links = parts
    .filter((part) => part.tagName === "SECTION")
    .map((part) => el("a", { href: `#${part.id}` }, part.querySelector("h2")?.textContent ?? ""));
  page.replaceChildren(
    el(
      "header",
      { class: "masthead" },
      el(
        "div",
        { class: "topline" },
        el("span", { class: "brand" }, `anmf ${report.version}`),
        themeButton(),
      ),
      el("h1", {}, report.title),
    ),
    el("nav", { "aria-label": "Parts of this page" }, ...links),
    el("main", {}, ...parts),
    el("footer", {}, el("p", {}, "This file holds all it needs and asks nothing of the network.")),
  );
}

const page = document.getElementById("page");
if (page) {
  try {
    draw(page);
    page.dataset["drawn"] = "true";
  } catch (error) {
    page.replaceChildren(
      el("p", { class: "lead", role: "alert" }, `This report cannot be drawn: ${String(error)}`),
    );
    throw error;
  }
}
