// SPDX-License-Identifier: MIT
// Charts as files: SVG and PNG in the light theme, whatever is on screen, since they go into papers; CSV.
import { themeVariables } from "./theme";

export function save(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export interface Drawing {
  text: string;
  width: number;
  height: number;
}

/** The chart as a file that stands alone: variables of the style sheet become their values. */
export function standaloneSvg(chart: SVGSVGElement): Drawing {
  const variable = themeVariables("light");
  const resolved = (text: string) =>
    text.replace(/var\((--[a-z0-9-]+)\)/g, (whole, name: string) => variable(name) || whole);
  const copy = chart.cloneNode(true) as SVGSVGElement;
  // What only helps on the page: the tip under the pointer, curves faded by the legend.
  for (const tip of copy.querySelectorAll('[aria-label="tip"]')) tip.remove();
  for (const element of copy.querySelectorAll(".dimmed")) element.classList.remove("dimmed");
  for (const element of [copy, ...copy.querySelectorAll("*")]) {
    for (const attribute of Array.from(element.attributes)) {
      if (attribute.value.includes("var(")) element.setAttribute(attribute.name, resolved(attribute.value));
    }
    if (element instanceof SVGStyleElement) element.textContent = resolved(element.textContent ?? "");
  }
  const { width, height } = chart.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.setAttribute("color", variable("--ink"));
  copy.setAttribute("font-family", "system-ui, sans-serif");
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", "white");
  copy.prepend(paper);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

/** Twice as many pixels as on a plain screen. */
export async function pngOf(drawing: Drawing): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing.text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * drawing.width;
  canvas.height = 2 * drawing.height;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser cannot draw");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("this browser cannot write PNG"))),
      "image/png",
    ),
  );
}
