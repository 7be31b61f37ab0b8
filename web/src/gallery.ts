// SPDX-License-Identifier: MIT
// A gallery of components: their images, curves, features and samples.
import { chartCard, saveButtons } from "./chart_card";
import { curveStyle } from "./curve_style";
import {
  decodeBytes,
  type Component,
  type Curves,
  type Feature,
  type Images,
  type Parts,
  type Sides,
} from "./document";
import { choice, el, unbroken, type Child } from "./dom";
import { csvRow, percent, short } from "./format";
import { componentSheet } from "./component_sheet";
import { lineChart } from "./line_chart";
import { paint, shadingColours, type Shading } from "./pixels";

/** Parts with much empty space read best as ink on paper, photographs as light. */
function naturalShading(images: Images, pixels: readonly Uint8Array[]): Shading {
  let dark = 0;
  for (const image of pixels) for (const value of image) if (value < 32) ++dark;
  return dark > 0.85 * images.height * images.width * pixels.length ? "ink" : "light";
}

/** The least width of a tile: few components may be larger. The grid stretches them to fill the card. */
function tileWidth(images: Images, count: number): number {
  const shape = Math.min(2, Math.max(0.6, Math.sqrt(images.width / images.height)));
  return Math.round((count <= 30 ? 150 : 110) * shape);
}

type Ranking = "top" | "particular";

/** What stands in a gallery beside images, curves and lists. */
export interface GalleryOptions {
  title: string;
  /** The numbers of the components in their order, from 0. */
  order: readonly number[];
  /** The share that is written beside the number of a component, and drawn as a bar below it. */
  share: (p: number) => number | null;
  /** More about a component, below its number. */
  words?: (p: number) => Child[];
}

export function componentGallery(report: Parts & Sides, options: GalleryOptions): HTMLElement {
  const { images, components, curves } = report;
  const pixels = images ? images.pixels.map(decodeBytes) : [];
  let shading = images ? naturalShading(images, pixels) : "ink";
  let ranking: Ranking = "top";
  const listed = listsFeatures(report);
  const largest = Math.max(1e-300, ...components.map((_, p) => options.share(p) ?? 0));
  const canvases = new Map<number, HTMLCanvasElement>();
  const lists = new Map<number, HTMLElement>();
  const repaint = () => {
    if (!images) return;
    const colours = shadingColours(shading);
    canvases.forEach((canvas, p) =>
      paint(canvas, pixels[p] ?? new Uint8Array(), images.width, images.height, colours),
    );
  };

  const described = components.some((component) => component.typical.length > 0);
  const form = curves
    ? " with-curves"
    : listed || (described && !images)
      ? " with-features"
      : described
        ? " with-samples"
        : "";
  const list = el("ol", {
    class: `gallery${form}`,
    id: "gallery",
    "data-components": components.length,
  });
  if (images) list.style.setProperty("--tile", `${tileWidth(images, components.length)}px`);
  for (const p of options.order) {
    const component = components[p];
    if (!component) continue;
    const share = options.share(p);
    const item = el("li", { "data-component": p + 1 });
    const heading = el(
      "p",
      { class: "component-head" },
      el("b", {}, String(p + 1)),
      el("span", {}, percent(share)),
    );
    const meter = el("div", {
      class: "meter",
      "aria-hidden": "true",
      style: `--share:${(share ?? 0) / largest}`,
    });
    item.append(el("div", { class: "component-title" }, heading, meter), ...(options.words?.(p) ?? []));
    if (images) {
      const canvas = el("canvas", { role: "img", "aria-label": `Image of component ${p + 1}` });
      canvases.set(p, canvas);
      item.append(canvas);
    }
    if (curves) item.append(curveCard(curves, p));
    if (listed) {
      const features = featureList(component.top);
      lists.set(p, features);
      item.append(features);
    }
    item.append(...samples(component));
    list.append(item);
  }
  repaint();

  // Curves have buttons of their own.
  const sheet = images || listed ? () => componentSheet(report, options, pixels, shading, listed) : null;
  const controls = [];
  if (images) {
    controls.push(
      choice(
        "Shading",
        [
          ["ink", "Ink on paper"],
          ["light", "Light on black"],
        ],
        shading,
        (value) => {
          shading = value;
          repaint();
        },
      ),
    );
  }
  if (listed) {
    controls.push(
      choice(
        "Features",
        [
          ["top", "strongest"],
          ["particular", "most particular"],
        ] as const,
        ranking,
        (value) => {
          ranking = value;
          lists.forEach((old, p) => {
            const fresh = featureList(components[p]?.[ranking] ?? []);
            old.replaceWith(fresh);
            lists.set(p, fresh);
          });
        },
      ),
    );
  }
  return el(
    "div",
    { class: "card", id: "components-card" },
    el(
      "header",
      {},
      el("div", { class: "titles" }, el("h3", {}, options.title)),
      saveButtons("Components", sheet, () => csvOf(report, options.share, pixels)),
    ),
    ...(controls.length > 0 ? [el("div", { class: "controls" }, ...controls)] : []),
    list,
  );
}

/** Names of features that are drawn as a curve say nothing more. */
function listsFeatures({ components, curves, top_side }: Parts & Sides): boolean {
  return components.some((component) => component.top.length > 0) && curves?.side !== top_side;
}

function curveCard(curves: Curves, p: number): HTMLElement {
  const y = curves.values[p] ?? [];
  const xLabel = curves.name || "place";
  return chartCard({
    id: `component-${p + 1}`,
    title: "",
    description: `Line chart of component ${p + 1}.`,
    draw: (width) =>
      lineChart([{ label: `component ${p + 1}`, x: curves.places, y, style: curveStyle(0, false) }], {
        width,
        height: Math.round(Math.min(240, Math.max(180, width * 0.5))),
        xLabel,
        yLabel: "entry",
        xLog: false,
        yLog: false,
        plain: true,
      }),
    csv: () =>
      csvRow([xLabel, `component ${p + 1}`]) + curves.places.map((x, k) => csvRow([x, y[k]])).join(""),
  }).element;
}

/** The labels of a component's samples in shares, and its samples by name. */
function samples(component: Component): HTMLElement[] {
  const parts: HTMLElement[] = [];
  for (const group of component.groups) {
    // One list of labels needs no name in every card.
    const line: Child[] = component.groups.length > 1 ? [el("span", {}, `${group.name}: `)] : [];
    group.top.forEach(({ name, share }, k) => {
      const word = name || "(none)";
      const both = [el("b", {}, word), ` ${percent(share)}`];
      line.push(
        k > 0 ? ", " : "",
        word.length <= 20 ? el("span", { class: "word" }, ...both) : el("span", {}, ...both),
      );
    });
    if (group.top.length === 0) line.push("\u2013");
    parts.push(el("p", { class: "groups", "data-labels": group.name }, ...line));
  }
  if (component.typical.length > 0) {
    const names = component.typical.map(({ name, group }) => (group ? `${name} (${group})` : name));
    const line = names.flatMap((name, k) => [k > 0 ? ", " : "", unbroken(name)]);
    parts.push(el("p", { class: "typical" }, ...line));
  }
  return parts;
}

/** Which labels are shown, and how many there are. */
function labelSentence({ components, sample_side, groupings }: Parts & Sides): string {
  const names = (components[0]?.groups ?? []).map((group) => group.name);
  const which =
    names.length < groupings
      ? `those ${names.length} of ${groupings} that tell most of the components: ${names.join(", ")}`
      : names.join(", ");
  return `Below are the labels of its ${sample_side} (${which}), as shares of its weight.`;
}

const rowOf = (side: "rows" | "columns") => (side === "rows" ? "column of W" : "row of H");

/** What a gallery shows, a sentence for each of its parts. */
export function gallerySentences(report: Parts & Sides): string[] {
  const { components, images, curves } = report;
  const lines: string[] = [];
  if (images) lines.push(`Each image is a ${rowOf(images.side)}, scaled to its own maximum.`);
  if (curves) lines.push(`Each curve is a ${rowOf(curves.side)}.`);
  if (listsFeatures(report)) {
    lines.push(
      `The names are the ${report.top_side} of M with the largest entries in the component\u2019s ${rowOf(report.top_side)}, or those that are most particular to it: p log(p / q), p being the share of the feature in this component and q the mean over all components.`,
    );
  }
  if (components.some((component) => component.groups.length > 0)) {
    lines.push(labelSentence(report));
  }
  if (components.some((component) => component.typical.length > 0))
    lines.push(`The last line names the ${report.sample_side} of M in which the component is strongest.`);
  return lines;
}

/** Whether there is more to show of components than their sizes. */
export function isPictured({ components, images, curves }: Parts): boolean {
  return (
    images !== null || curves !== null || components.some((c) => c.top.length > 0 || c.typical.length > 0)
  );
}

function featureList(top: readonly Feature[]): HTMLElement {
  const largest = Math.max(1e-300, ...top.map((feature) => feature.value ?? 0));
  return el(
    "ul",
    { class: "features" },
    ...top.map(({ name, value }) =>
      el(
        "li",
        { style: `--share:${(value ?? 0) / largest}`, "data-value": value ?? "" },
        el("span", { class: "name", title: name }, name || "(no name)"),
        el("span", { class: "value" }, short(value, 3, true)),
      ),
    ),
  );
}

/** Features where there are names, else curves, else the pixels, which are shares of each component's maximum. */
function csvOf(
  report: Parts & Sides,
  share: (p: number) => number | null,
  pixels: readonly Uint8Array[],
): string {
  const { components, images, curves } = report;
  const titles = components.map((_, p) => `component ${p + 1}`);
  if (listsFeatures(report)) {
    let text = csvRow(["component", "weight", "rank", "name", "value"]);
    components.forEach((component, p) =>
      component.top.forEach((feature, k) => {
        text += csvRow([p + 1, share(p), k + 1, feature.name, feature.value]);
      }),
    );
    return text;
  }
  if (curves) {
    return (
      csvRow([curves.name || "place", ...titles]) +
      curves.places.map((place, k) => csvRow([place, ...curves.values.map((values) => values[k])])).join("")
    );
  }
  if (!images)
    return csvRow(["component", "weight"]) + components.map((_, p) => csvRow([p + 1, share(p)])).join("");
  let text = csvRow(["y", "x", ...titles]);
  for (let at = 0; at < images.height * images.width; ++at) {
    const shares = pixels.map((image) => Number(((image[at] ?? 0) / 255).toPrecision(4)));
    text += csvRow([Math.floor(at / images.width), at % images.width, ...shares]);
  }
  return text;
}
