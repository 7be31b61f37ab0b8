// SPDX-License-Identifier: MIT
// Symmetric matrices as maps: distances of spectra by component, and how often samples go together.
import * as Plot from "@observablehq/plot";
import { chartCard, onPaper, type ChartCard } from "./chart_card";
import { decodeBytes, type Triangle } from "./document";
import { el, type Child } from "./dom";
import { csvRow, short } from "./format";
import { parseColour, pictureUrl, ramp } from "./pixels";
import { onThemeChange, themeVariables } from "./theme";

/** A stretch of the map with a name of its own, in pixels of the map. */
export interface MapGroup {
  name: string;
  begin: number;
  end: number;
}

export interface SquareMapOptions {
  id: string;
  title: string;
  subtitle: string;
  description: string;
  map: Triangle;
  /** What a byte of 255 stands for. */
  max: number;
  /** Which end of the scale is dark. */
  dark: "small" | "large";
  /** What both ends of the scale mean, the small one first. */
  ends: readonly [string, string];
  groups: readonly MapGroup[];
  /** What is under the pointer, in words. */
  point: (a: number, b: number, value: string) => string;
  after: Child[];
}

const largest = 520; // on the screen; a map has at most 400 pixels

/** Both halves of a symmetric matrix from its lower triangle. */
export function wholeSquare(map: Triangle): Uint8Array {
  const bytes = decodeBytes(map.pixels);
  const square = new Uint8Array(map.size * map.size);
  let at = 0;
  for (let a = 0; a < map.size; ++a) {
    for (let b = 0; b <= a; ++b, ++at) {
      const value = bytes[at] ?? 0;
      square[a * map.size + b] = value;
      square[b * map.size + a] = value;
    }
  }
  return square;
}

function mapColours(dark: "small" | "large"): Uint32Array {
  const variable = themeVariables(onPaper() ? "light" : "current");
  const stops = ["--map-0", "--map-1", "--map-2", "--map-3"].map((name) => parseColour(variable(name)));
  return ramp(dark === "small" ? stops.reverse() : stops);
}

function scale({ dark, ends }: SquareMapOptions): HTMLElement {
  return el(
    "p",
    { class: "scale" },
    el("span", {}, ends[0]),
    el("span", { class: `ramp${dark === "small" ? " falling" : ""}`, "aria-hidden": "true" }),
    el("span", {}, ends[1]),
  );
}

export function squareMapCard(options: SquareMapOptions): ChartCard {
  const { map, groups, max } = options;
  const values = wholeSquare(map);
  const readout = el("p", { class: "readout" }, "\u00a0");
  const valueOf = (byte: number) => (byte / 255) * max;
  const draw = (room: number) => {
    const margins = {
      top: 8,
      right: 8,
      bottom: groups.length > 0 ? 26 : 8,
      left: groups.length > 0 ? 30 : 8,
    };
    const side = Math.min(room, largest) - margins.left - margins.right;
    const width = side + margins.left + margins.right;
    const borders = groups.slice(1).map(({ begin }) => begin);
    // As many names as there is room for.
    const named = groups.filter(({ begin, end }) => ((end - begin) * side) / map.size >= 13);
    const middle = ({ begin, end }: MapGroup) => (begin + end) / 2;
    const line = { stroke: "var(--card)", strokeWidth: 1 };
    const svg = Plot.plot({
      width,
      height: side + margins.top + margins.bottom,
      marginTop: margins.top,
      marginRight: margins.right,
      marginBottom: margins.bottom,
      marginLeft: margins.left,
      className: "plot",
      x: { domain: [0, map.size], axis: null },
      y: { domain: [map.size, 0], axis: null },
      marks: [
        Plot.image([0], {
          frameAnchor: "middle",
          src: () => pictureUrl(values, map.size, map.size, mapColours(options.dark)),
          width: side,
          height: side,
          preserveAspectRatio: "none",
          imageRendering: "pixelated",
        }),
        Plot.ruleX(borders, { x: (d: number) => d, ...line }),
        Plot.ruleY(borders, { y: (d: number) => d, ...line }),
        Plot.frame({ stroke: "var(--rule)" }),
        Plot.text(named, { x: middle, text: "name", frameAnchor: "bottom", lineAnchor: "top", dy: 7 }),
        Plot.text(named, { y: middle, text: "name", frameAnchor: "left", textAnchor: "end", dx: -6 }),
      ],
    }) as SVGSVGElement;
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const zoom = width / box.width;
      const place = (at: number) => Math.floor((at / side) * map.size);
      const a = place((event.clientY - box.top) * zoom - margins.top);
      const b = place((event.clientX - box.left) * zoom - margins.left);
      if (Math.min(a, b) < 0 || Math.max(a, b) >= map.size) return;
      readout.textContent = options.point(a, b, short(valueOf(values[a * map.size + b] ?? 0), 2));
    });
    return svg;
  };
  const csv = () => {
    let text = "";
    for (let a = 0; a < map.size; ++a) {
      const row = Array.from(values.subarray(a * map.size, (a + 1) * map.size));
      text += csvRow(row.map((value) => Number(valueOf(value).toPrecision(4))));
    }
    return text;
  };
  const card = chartCard({
    id: options.id,
    title: options.title,
    subtitle: options.subtitle,
    description: options.description,
    draw,
    csv,
    after: [scale(options), readout, ...options.after],
  });
  card.element.dataset["size"] = String(map.size);
  onThemeChange(() => card.redraw());
  return card;
}
