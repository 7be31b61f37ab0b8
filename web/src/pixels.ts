// SPDX-License-Identifier: MIT
// Bytes as pictures.

type Rgb = readonly [number, number, number];

export function parseColour(text: string): Rgb {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text.trim());
  if (!found) throw new Error(`'${text}' is no #rrggbb colour`);
  return [parseInt(found[1] ?? "", 16), parseInt(found[2] ?? "", 16), parseInt(found[3] ?? "", 16)];
}

/** 256 colours through evenly spaced stops, packed as canvases keep them. */
export function ramp(stops: readonly Rgb[]): Uint32Array {
  const table = new Uint32Array(256);
  const bytes = new Uint8Array(table.buffer);
  for (let k = 0; k < 256; ++k) {
    const place = (k / 255) * (stops.length - 1);
    const at = Math.min(Math.floor(place), stops.length - 2);
    for (let c = 0; c < 3; ++c) {
      const from = stops[at]?.[c] ?? 0;
      const to = stops[at + 1]?.[c] ?? 0;
      bytes[4 * k + c] = Math.round(from + (to - from) * (place - at));
    }
    bytes[4 * k + 3] = 255;
  }
  return table;
}

export function paint(
  canvas: HTMLCanvasElement,
  values: Uint8Array,
  width: number,
  height: number,
  colours: Uint32Array,
): void {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return;
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let k = 0; k < pixels.length; ++k) pixels[k] = colours[values[k] ?? 0] ?? 0;
  context.putImageData(image, 0, 0);
}

export function pictureUrl(values: Uint8Array, width: number, height: number, colours: Uint32Array): string {
  const canvas = document.createElement("canvas");
  paint(canvas, values, width, height, colours);
  return canvas.toDataURL("image/png");
}

/** Dark where a component is large, as on paper, or bright, as in a photograph. */
export type Shading = "ink" | "light";

export function shadingColours(shading: Shading): Uint32Array {
  const paper = [255, 255, 255] as const;
  const ink = [22, 24, 28] as const;
  return shading === "ink" ? ramp([paper, ink]) : ramp([[0, 0, 0], paper]);
}
