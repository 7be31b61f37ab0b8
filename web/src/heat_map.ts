// SPDX-License-Identifier: MIT
// A tall factor as a map: components across, rows (or columns) of M down.
import * as Plot from "@observablehq/plot";
import { chartCard, onPaper, type ChartCard } from "./chart_card";
import { plainTicks } from "./axis";
import { decodeBytes, type HeatMap } from "./document";
import { el } from "./dom";
import { csvRow, short, whole } from "./format";
import { axisNames, marginsFor, plotMargins } from "./frame";
import { parseColour, pictureUrl, ramp } from "./pixels";
import { onThemeChange, themeVariables } from "./theme";

function mapColours(): Uint32Array {
  const variable = themeVariables(onPaper() ? "light" : "current");
  return ramp(["--map-0", "--map-1", "--map-2", "--map-3"].map((name) => parseColour(variable(name))));
}

export function heatMapCard(id: string, title: string, things: string, map: HeatMap): ChartCard {
  const values = decodeBytes(map.pixels);
  const max = map.max ?? 0;
  // The square root lifts small entries into sight; the maximum stays the maximum.
  const shades = values.map((value) => Math.round(Math.sqrt(value / 255) * 255));
  const first = (row: number) => Math.ceil((row * map.source_rows) / map.rows);
  const readout = el("p", { class: "readout" }, "\u00a0");

  const draw = (width: number) => {
    const height = Math.round(Math.min(440, Math.max(260, width * 0.7)));
    const across = wholeTicks(map.cols, width < 420 ? 6 : 10);
    const down = plainTicks(0, map.source_rows, 5);
    const margins = marginsFor(across.map(whole), down.map(whole));
    const svg = Plot.plot({
      width,
      height,
      ...plotMargins(margins),
      className: "plot",
      x: { domain: [0.5, map.cols + 0.5], label: null },
      y: { domain: [map.source_rows, 0], label: null },
      marks: [
        Plot.image([0], {
          frameAnchor: "middle",
          src: () => pictureUrl(shades, map.cols, map.rows, mapColours()),
          width: width - margins.left - margins.right,
          height: height - margins.top - margins.bottom,
          preserveAspectRatio: "none",
          imageRendering: "pixelated",
        }),
        Plot.frame({ stroke: "var(--rule)" }),
        Plot.axisX(across, { text: whole, tickSize: 0, label: null }),
        Plot.axisY(down, { text: whole, tickSize: 0, label: null }),
        ...axisNames("component", things, margins),
      ],
    }) as SVGSVGElement;
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const scale = width / box.width;
      const x = ((event.clientX - box.left) * scale - margins.left) / (width - margins.left - margins.right);
      const y = ((event.clientY - box.top) * scale - margins.top) / (height - margins.top - margins.bottom);
      if (x < 0 || x >= 1 || y < 0 || y >= 1) return;
      const component = Math.floor(x * map.cols);
      const row = Math.floor(y * map.rows);
      const value = ((values[row * map.cols + component] ?? 0) / 255) * max;
      const last = first(row + 1);
      const where =
        map.bins && last - first(row) > 1
          ? `${things} ${whole(first(row) + 1)}\u2013${whole(last)}, maximum`
          : `${things} ${whole(first(row) + 1)}`;
      readout.textContent = `component ${component + 1}, ${where}: ${short(value, 3)}`;
    });
    return svg;
  };

  const csv = () => {
    const header = [things, ...Array.from({ length: map.cols }, (_, p) => `component ${p + 1}`)];
    let text = csvRow(header);
    for (let row = 0; row < map.rows; ++row) {
      const entries = Array.from(values.subarray(row * map.cols, (row + 1) * map.cols), (v) =>
        Number(((v / 255) * max).toPrecision(4)),
      );
      text += csvRow([first(row) + 1, ...entries]);
    }
    return text;
  };

  const note = map.bins
    ? `; ${whole(map.source_rows)} ${things}s in ${whole(map.rows)} bands, by their maxima`
    : "";
  const card = chartCard({
    id,
    title,
    subtitle: `Largest entry ${short(max)}, shades by the square root${note}`,
    description: `Map of ${title}: ${map.source_rows} by ${map.cols} entries, the largest ${short(max)}.`,
    draw,
    csv,
    after: [readout],
  });
  card.element.dataset["rows"] = String(map.rows);
  card.element.dataset["cols"] = String(map.cols);
  onThemeChange(() => card.redraw());
  return card;
}

function wholeTicks(count: number, most: number): number[] {
  const step =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((s) => count / s <= most) ?? Math.ceil(count / most);
  const ticks = step < 5 ? [] : [1];
  for (let tick = step; tick <= count; tick += step) ticks.push(tick);
  return ticks;
}
