// SPDX-License-Identifier: MIT
// That what is drawn can be read: labels whole and apart, pictures as large as there is room, print of a size.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { drawn, launch, open, pageOf } from "./browser";
import { comparison, curve, factorization, spectra } from "./fixtures";
import { survey } from "./survey_fixture";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(async () => browser.close());

/** A run whose labels are long: errors that differ in the fifth digit, thousands of iterations. */
function longLabels() {
  const report = factorization({ names: (p, k) => `word ${p}.${k}`, iterations: 1000 });
  report.trace.relative_error = report.trace.iteration.map((k) => 0.03795 + 0.0001 / (1 + k));
  return report;
}

/** Labels of charts that reach beyond their drawing, and pairs of labels of a chart that touch. */
const faults = (page: Page) =>
  page.locator(".chart svg").evaluateAll((charts) =>
    charts.flatMap((chart) => {
      const frame = chart.getBoundingClientRect();
      const id = chart.closest(".card")?.id ?? "";
      const labels = [...chart.querySelectorAll("text")]
        .filter((text) => text.textContent && !text.closest('[aria-label="tip"]'))
        .map((text) => ({ text: text.textContent ?? "", box: text.getBoundingClientRect() }));
      const cut = labels
        .filter(
          ({ box }) =>
            box.left < frame.left - 0.5 ||
            box.right > frame.right + 0.5 ||
            box.top < frame.top - 0.5 ||
            box.bottom > frame.bottom + 0.5,
        )
        .map(({ text }) => `${id}: '${text}' is cut`);
      const touching = labels.flatMap((a, i) =>
        labels
          .slice(i + 1)
          .filter(
            (b) =>
              Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left) > 0 &&
              Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top) > 2,
          )
          .map((b) => `${id}: '${a.text}' meets '${b.text}'`),
      );
      return [...cut, ...touching];
    }),
  );

describe("labels of charts", () => {
  for (const width of [1400, 390]) {
    it(`are whole and apart at ${width} pixels`, async () => {
      for (const report of [longLabels(), spectra(), comparison(), survey({ starts: 200 })]) {
        const { page, close } = await open(browser, pageOf(report), { viewport: { width, height: 900 } });
        assert.deepEqual(await faults(page), []);
        await close();
      }
    });
  }

  it("are whole, apart and of more than 7 points on paper", async () => {
    for (const report of [longLabels(), spectra(), comparison(), survey({ starts: 200 })]) {
      const { page, close } = await open(browser, pageOf(report), { viewport: { width: 1400, height: 900 } });
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: 718, height: 1000 }); // A4 less its margins
      await drawn(page);
      assert.deepEqual(await faults(page), []);
      const sizes = await page.locator(".chart svg").evaluateAll((charts) =>
        charts.map((chart) => {
          const svg = chart as SVGSVGElement;
          const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
          return scale * Number.parseFloat(getComputedStyle(svg.querySelector("text") ?? svg).fontSize);
        }),
      );
      assert.ok(Math.min(...sizes) > (7 * 96) / 72, `smallest ${Math.min(...sizes)} px`);
      await close();
    }
  });
});

describe("a chart that is alone", () => {
  it("is as wide as the paper", async () => {
    const report = comparison();
    for (const figure of report.figures) figure.panels = figure.panels.slice(0, 1);
    const { page, close } = await open(browser, pageOf(report));
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 718, height: 1000 });
    await drawn(page);
    const width = await page
      .locator(".chart svg")
      .first()
      .evaluate((svg) => svg.getBoundingClientRect().width);
    assert.ok(width > 600, `${width} px`);
    await close();
  });
});

describe("an example and its reconstruction", () => {
  it("are of one size on paper", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 642, height: 1000 }); // A4 less 2 cm on either side
    await drawn(page);
    const widths = await page
      .locator(".twins canvas")
      .evaluateAll((canvases) => canvases.map((canvas) => canvas.getBoundingClientRect().width));
    assert.equal(widths.length, 6);
    assert.ok(Math.max(...widths) - Math.min(...widths) < 1, widths.join(" "));
    await close();
  });
});

describe("images of components", () => {
  for (const [width, components, typical] of [
    [1400, 4, false],
    [1400, 40, false],
    [390, 4, false],
    [390, 40, false],
    [1400, 3, true],
  ] as const) {
    it(`${components} fill the card at ${width} pixels${typical ? ", with typical columns" : ""}`, async () => {
      const report = factorization({ components });
      if (typical)
        for (const component of report.components) component.typical = [{ name: "column 1", value: 2 }];
      const { page, close } = await open(browser, pageOf(report), {
        viewport: { width, height: 900 },
      });
      const row = await page.locator("#gallery").evaluate((gallery) => {
        const boxes = [...gallery.querySelectorAll("canvas")].map((canvas) => canvas.getBoundingClientRect());
        const first = boxes.filter((box) => box.top === boxes[0]?.top);
        return {
          images: first.length,
          covered: first.reduce((sum, box) => sum + box.width, 0),
          room: gallery.getBoundingClientRect().width,
          gap: Number.parseFloat(getComputedStyle(gallery).columnGap),
        };
      });
      const gaps = row.gap * (row.images - 1);
      assert.ok(row.covered + gaps > 0.98 * row.room, JSON.stringify(row));
      await close();
    });
  }
});

describe("lists of features", () => {
  for (const colorScheme of ["light", "dark"] as const) {
    it(`can be read on their bars, ${colorScheme}`, async () => {
      const { page, close } = await open(browser, pageOf(longLabels()), { colorScheme });
      const [text, bar] = await page.evaluate(() => {
        const style = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name);
        return [style("--muted").trim(), style("--bar").trim()] as const;
      });
      // The relative luminance and the contrast of WCAG 2.
      const luminance = (colour: string) =>
        [1, 3, 5]
          .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
          .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
          .reduce((sum, c, k) => sum + c * ([0.2126, 0.7152, 0.0722][k] ?? 0), 0);
      const [light = 0, dark = 0] = [luminance(text), luminance(bar)].sort((a, b) => b - a);
      assert.ok((light + 0.05) / (dark + 0.05) > 4.5, `${text} on ${bar}`);
      await close();
    });
  }
});

describe("the legend", () => {
  it("keeps names and parameters whole", async () => {
    const report = comparison();
    const long = { ...curve("e-a-hals", 3, true), parameters: "alpha 0.5, epsilon 0.1 by blocks of rows" };
    for (const panel of report.figures[0]?.panels ?? []) panel.curves = [...panel.curves, long];
    for (const width of [1400, 390]) {
      const { page, close } = await open(browser, pageOf(report), { viewport: { width, height: 900 } });
      const cut = await page
        .locator(".legend .name, .legend small")
        .evaluateAll((names) =>
          names.filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent),
        );
      assert.deepEqual(cut, []);
      await close();
    }
  });
});
