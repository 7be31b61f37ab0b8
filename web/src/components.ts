// SPDX-License-Identifier: MIT
// The components of a factorization.
import type { Factorization } from "./document";
import { el, section } from "./dom";
import { componentGallery, gallerySentences, isPictured } from "./gallery";
import { byWeight, weightCard } from "./weights";

export function componentSection(report: Factorization): HTMLElement {
  const lines = gallerySentences(report);
  lines.push(
    "Percentages beside the numbers are the weights of the components; the numbers are those in the files.",
  );
  const gallery = () =>
    componentGallery(report, {
      title: "Components by weight",
      order: byWeight(report.components),
      share: (p) => report.components[p]?.weight ?? null,
    });
  return section(
    "components",
    "What are the components?",
    el("p", {}, lines.join(" ")),
    ...(isPictured(report) ? [gallery()] : []),
    weightCard(report).element,
  );
}
