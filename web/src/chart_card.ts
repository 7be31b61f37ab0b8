// SPDX-License-Identifier: MIT
// A chart with its title, its controls and the buttons that save it.
import { button, el, type Child } from "./dom";
import { pngOf, save, standaloneSvg } from "./download";
import { fileName } from "./format";

export interface ChartCardOptions {
  id: string;
  title: string;
  subtitle?: string;
  /** For screen readers: what is seen. */
  description: string;
  controls?: Child[];
  after?: Child[];
  draw: (width: number) => SVGSVGElement;
  csv: () => string;
}

export interface ChartCard {
  element: HTMLElement;
  redraw: () => void;
}

/** Without a drawing there is only a table to save. */
export function saveButtons(
  title: string,
  drawing: (() => SVGSVGElement) | null,
  csv: () => string,
): HTMLElement {
  const name = fileName(title);
  const saveSvg = (draw: () => SVGSVGElement) =>
    save(`${name}.svg`, standaloneSvg(draw()).text, "image/svg+xml");
  const savePng = (draw: () => SVGSVGElement) => {
    void pngOf(standaloneSvg(draw())).then((blob) => save(`${name}.png`, blob, "image/png"));
  };
  const saveCsv = () => save(`${name}.csv`, csv(), "text/csv");
  const label = (kind: string) => ({
    "aria-label": `Save ${title} as ${kind}`,
    "data-save": kind.toLowerCase(),
  });
  return el(
    "div",
    { class: "save" },
    ...(drawing
      ? [
          button("SVG", () => saveSvg(drawing), label("SVG")),
          button("PNG", () => savePng(drawing), label("PNG")),
        ]
      : []),
    button("CSV", saveCsv, label("CSV")),
  );
}

/** Paper is narrower than a screen, and a drawing that is shrunk has labels that nobody can read; and it is light. */
let printing = false;
let saving = false;
export const onPaper = () => printing || saving;
const fillers: (() => void)[] = [];

function setPrinting(value: boolean): void {
  printing = value;
  for (const fill of fillers) fill();
}

addEventListener("beforeprint", () => setPrinting(true));
addEventListener("afterprint", () => setPrinting(false));
matchMedia("print").addEventListener("change", (event) => setPrinting(event.matches));

/** In pixels of 1/96 inch, on a page of A4 or letter size, alone or beside another one. */
function printedWidth(card: Element): number {
  const row = card.closest(".pair, .panels, .with-curves");
  return row && row.childElementCount > 1 ? 320 : 660;
}

export function chartCard(options: ChartCardOptions): ChartCard {
  const place = el("div", { class: "chart", role: "img", "aria-label": options.description });
  const titles = el("div", { class: "titles" });
  if (options.title) titles.append(el("h3", {}, options.title));
  if (options.subtitle) titles.append(el("p", {}, options.subtitle));
  let drawnWidth = 0;
  let drawnOnPaper = false;
  const draw = (width: number) => {
    drawnWidth = width;
    drawnOnPaper = printing;
    place.replaceChildren(options.draw(width));
  };
  // Drawn anew, since pictures in it have the colours of the theme.
  const current = () => {
    if (drawnWidth === 0) throw new Error("nothing is drawn yet");
    saving = true;
    try {
      return options.draw(drawnWidth);
    } finally {
      saving = false;
    }
  };
  const element = el(
    "figure",
    { class: "card", id: options.id, "data-chart": options.id },
    el("header", {}, titles, saveButtons(options.title, current, options.csv)),
    ...(options.controls ? [el("div", { class: "controls" }, ...options.controls)] : []),
    place,
    ...(options.after ?? []),
  );
  const fill = () => {
    if (!element.isConnected) return; // it will be laid out when it comes back
    const width = printing ? printedWidth(element) : Math.floor(place.clientWidth);
    if (width > 0 && (width !== drawnWidth || printing !== drawnOnPaper)) draw(width);
  };
  // Also draws for the first time, as soon as the page is laid out.
  new ResizeObserver(fill).observe(place);
  fillers.push(fill);
  return { element, redraw: () => drawnWidth > 0 && draw(drawnWidth) };
}
