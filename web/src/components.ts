// SPDX-License-Identifier: MIT
// The components: their weights, their images, their strongest features.
import * as Plot from "@observablehq/plot";
import { axis } from "./axis";
import { chartCard, saveButtons, type ChartCard } from "./chart_card";
import { decodeBytes, type Factorization, type Images } from "./document";
import { choice, el } from "./dom";
import { csvRow, percent, short } from "./format";
import { axisNames, marginsFor, plotMargins, spaced } from "./frame";
import { componentSheet } from "./component_sheet";
import { paint, shadingColours, type Shading } from "./pixels";

export function weightCard(report: Factorization): ChartCard {
  const bars = report.components.map((component, p) => ({ component: p + 1, weight: component.weight ?? 0 }));
  return chartCard({
    id: "weights",
    title: "Weight of the components",
    subtitle: "\u2016w\u2016 \u2016h\u2016 of each component as a share of their sum",
    description: `Bar chart of the weights of ${bars.length} components.`,
    draw: (width) => {
      const top = Math.max(1e-300, ...bars.map((bar) => bar.weight));
      const up = axis(false, [0, top], 4);
      const across = spaced(
        bars.map((bar) => bar.component),
        String,
        width - 60,
      );
      const margins = marginsFor(across.map(String), up.ticks.map(percent));
      return Plot.plot({
        width,
        height: 210,
        ...plotMargins(margins),
        className: "plot",
        x: { domain: [0.5, bars.length + 0.5], label: null },
        y: { domain: [0, top], label: null },
        marks: [
          Plot.gridY(up.ticks, { stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.axisY(up.ticks, { text: percent, tickSize: 0, label: null }),
          Plot.axisX(across, { text: String, tickSize: 0, label: null }),
          ...axisNames("component", "share of the sum", margins),
          Plot.rectY(bars, {
            x1: (d) => d.component - 0.4,
            x2: (d) => d.component + 0.4,
            y: "weight",
            fill: "var(--accent)",
          }),
          Plot.tip(
            bars,
            Plot.pointerX({
              x: "component",
              y: "weight",
              title: (d) => `component ${d.component}\n${percent(d.weight)}`,
            }),
          ),
        ],
      }) as SVGSVGElement;
    },
    csv: () =>
      csvRow(["component", "weight"]) + bars.map((bar) => csvRow([bar.component, bar.weight])).join(""),
  });
}

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

export function componentGallery(report: Factorization): HTMLElement {
  const { images, components } = report;
  const pixels = images ? images.pixels.map(decodeBytes) : [];
  let shading = images ? naturalShading(images, pixels) : "ink";
  const hasTops = components.some((component) => component.top.length > 0);
  const largest = Math.max(1e-300, ...components.map((component) => component.weight ?? 0));
  const canvases: HTMLCanvasElement[] = [];
  const repaint = () => {
    if (!images) return;
    const colours = shadingColours(shading);
    canvases.forEach((canvas, p) =>
      paint(canvas, pixels[p] ?? new Uint8Array(), images.width, images.height, colours),
    );
  };

  const list = el("ol", {
    class: hasTops ? "gallery with-features" : "gallery",
    id: "gallery",
    "data-components": components.length,
  });
  if (images) list.style.setProperty("--tile", `${tileWidth(images, components.length)}px`);
  components.forEach((component, p) => {
    const item = el("li", { "data-component": p + 1 });
    if (images) {
      const canvas = el("canvas", {
        role: "img",
        "aria-label": `Image of component ${p + 1}`,
      });
      canvases.push(canvas);
      item.append(canvas);
    }
    const heading = el(
      "p",
      { class: "component-head" },
      el("b", {}, String(p + 1)),
      el("span", {}, percent(component.weight)),
    );
    const meter = el("div", {
      class: "meter",
      "aria-hidden": "true",
      style: `--share:${(component.weight ?? 0) / largest}`,
    });
    item.append(el("div", { class: "component-title" }, heading, meter));
    if (component.top.length > 0) item.append(featureList(component.top));
    list.append(item);
  });
  repaint();

  const title = hasTops ? (images ? "Images and strongest features" : "Strongest features") : "Images";
  const sheet = () => componentSheet(report, pixels, shading);
  const controls = images
    ? [
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
      ]
    : [];
  return el(
    "div",
    { class: "card", id: "components-card" },
    el(
      "header",
      {},
      el("div", { class: "titles" }, el("h3", {}, title)),
      saveButtons("Components", sheet, () => csvOf(report, pixels)),
    ),
    ...(controls.length > 0 ? [el("div", { class: "controls" }, ...controls)] : []),
    list,
  );
}

function featureList(top: Factorization["components"][number]["top"]): HTMLElement {
  const largest = Math.max(1e-300, ...top.map((feature) => feature.value ?? 0));
  return el(
    "ul",
    { class: "features" },
    ...top.map(({ name, value }) =>
      el(
        "li",
        { style: `--share:${(value ?? 0) / largest}`, "data-value": value ?? "" },
        el("span", { class: "name", title: name }, name || "(no name)"),
        el("span", { class: "value" }, short(value, 3)),
      ),
    ),
  );
}

/** Features where there are names; else the pixels, which are shares of each component's maximum. */
function csvOf(report: Factorization, pixels: readonly Uint8Array[]): string {
  const { components, images } = report;
  if (components.some((component) => component.top.length > 0)) {
    let text = csvRow(["component", "weight", "rank", "name", "value"]);
    components.forEach((component, p) =>
      component.top.forEach((feature, k) => {
        text += csvRow([p + 1, component.weight, k + 1, feature.name, feature.value]);
      }),
    );
    return text;
  }
  if (!images)
    return csvRow(["component", "weight"]) + components.map((c, p) => csvRow([p + 1, c.weight])).join("");
  let text = csvRow(["y", "x", ...components.map((_, p) => `component ${p + 1}`)]);
  for (let at = 0; at < images.height * images.width; ++at) {
    const shares = pixels.map((image) => Number(((image[at] ?? 0) / 255).toPrecision(4)));
    text += csvRow([Math.floor(at / images.width), at % images.width, ...shares]);
  }
  return text;
}
