// SPDX-License-Identifier: MIT
// All components on one drawing, for the files that can be saved.
import type { GalleryOptions } from "./gallery";
import type { Parts } from "./document";
import { percent, short } from "./format";
import { pictureUrl, shadingColours, type Shading } from "./pixels";

const namespace = "http://www.w3.org/2000/svg";
const gap = 16;
const line = 16;

function svg(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const element = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

export function componentSheet(
  report: Parts,
  { order, share }: GalleryOptions,
  pixels: readonly Uint8Array[],
  shading: Shading,
  listed: boolean,
): SVGSVGElement {
  const { images, components } = report;
  const features = listed ? Math.max(0, ...components.map((component) => component.top.length)) : 0;
  const imageWidth = images ? (128 * images.width) / Math.max(images.width, images.height) : 0;
  const imageHeight = images ? (128 * images.height) / Math.max(images.width, images.height) : 0;
  const cellWidth = Math.max(imageWidth, features > 0 ? 200 : 100);
  const cellHeight = imageHeight + line * (1.5 + features);
  const columns = Math.max(1, Math.min(components.length, Math.floor(1100 / (cellWidth + gap))));
  const width = columns * (cellWidth + gap) + gap;
  const height = Math.ceil(components.length / columns) * (cellHeight + gap) + gap;
  const sheet = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    "font-size": 12,
  }) as SVGSVGElement;
  const colours = shadingColours(shading);
  order.forEach((p, place) => {
    const component = components[p];
    if (!component) return;
    const x = gap + (place % columns) * (cellWidth + gap);
    const y = gap + Math.floor(place / columns) * (cellHeight + gap);
    if (images) {
      const href = pictureUrl(pixels[p] ?? new Uint8Array(), images.width, images.height, colours);
      sheet.append(
        svg("image", {
          href,
          x,
          y,
          width: imageWidth,
          height: imageHeight,
          style: "image-rendering:pixelated",
        }),
      );
      sheet.append(
        svg("rect", { x, y, width: imageWidth, height: imageHeight, fill: "none", stroke: "var(--rule)" }),
      );
    }
    const title = svg(
      "text",
      { x, y: y + imageHeight + line, fill: "var(--ink)", "font-weight": 600 },
      `${p + 1}`,
    );
    const size = svg(
      "text",
      {
        x: x + (images ? imageWidth : cellWidth),
        y: y + imageHeight + line,
        fill: "var(--muted)",
        "text-anchor": "end",
      },
      percent(share(p)),
    );
    sheet.append(title, size);
    const largest = Math.max(1e-300, ...component.top.map((feature) => feature.value ?? 0));
    component.top.slice(0, features).forEach((feature, k) => {
      const top = y + imageHeight + line * (1.5 + k);
      sheet.append(
        svg("rect", {
          x,
          y: top + 1,
          width: (cellWidth * (feature.value ?? 0)) / largest,
          height: line - 2,
          fill: "var(--bar)",
        }),
        svg("text", { x: x + 4, y: top + line - 4, fill: "var(--ink)" }, feature.name.slice(0, 24)),
        svg(
          "text",
          { x: x + cellWidth - 2, y: top + line - 4, fill: "var(--muted)", "text-anchor": "end" },
          short(feature.value, 3),
        ),
      );
    });
  });
  return sheet;
}
