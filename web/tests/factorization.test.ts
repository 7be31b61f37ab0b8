// SPDX-License-Identifier: MIT
// The page of a factorization.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { curveData, download, launch, open, pageOf, parseCsv } from "./browser";
import { factorization, imageHeight, imageWidth, lastError } from "./fixtures";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(async () => browser.close());

describe("a factorization", () => {
  it("opens from a file without complaint and without the network", async () => {
    const { page, complaints, close } = await open(browser, pageOf(factorization()));
    assert.equal(await page.title(), "faces: 10 components");
    assert.deepEqual(complaints, []);
    await close();
  });

  it("says what came out in a sentence, and why it ended", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    const summary = (await page.locator("#summary").innerText()).replaceAll("\u202f", " ");
    assert.equal(
      summary,
      "e-a-hals approximated a dense 30 \u00d7 1 200 matrix by 10 components with a relative error of 0.125 in 40 iterations (2.5 s).",
    );
    assert.match(await page.locator(".status").innerText(), /^\u2713 Converged after 40 iterations: /);
    assert.equal(await page.locator(".notes li").innerText(), "2 rows are empty.");
    await close();
  });

  it("names another loss and its unit, and leaves out what least squares alone has", async () => {
    const report = factorization();
    Object.assign(report.run, { loss: "kullback-leibler", divergence: 321.5, relative_error: 0.5 });
    report.fit = null;
    const { page, complaints, close } = await open(browser, pageOf(report));
    assert.match(
      await page.locator("#summary").innerText(),
      /10 components with a divergence D of 321\.5 in/,
    );
    assert.match(
      await page.locator("#loss").innerText(),
      /Kullback\u2013Leibler divergence; .* nats where they are counts.* = 0\.5, D\u2081/,
    );
    assert.match(await page.locator("#error").innerText(), /\u221a\(D \/ D\u2081\)/);
    assert.equal(await page.locator("#energy-card h3").innerText(), "Divergence explained");
    assert.equal(await page.locator("#explained").getAttribute("data-share"), "0.75");
    assert.equal(await page.locator("#best").count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  });

  it("says how a matrix on disk was read", async () => {
    const report = factorization();
    const line = async () => {
      const { page, close } = await open(browser, pageOf(report));
      const lines = await page.locator("#stream").allInnerTexts();
      await close();
      return lines.map((text) => text.replaceAll("\u202f", " "));
    };
    assert.deepEqual(await line(), []);
    const stream = { passes: 12, bytes: 288e9, bytes_per_second: 2.6e9, reading_bytes_per_second: 2.7e9 };
    report.run["stream"] = { ...stream, bound_by: "disk" };
    report.run["storage"] = "dense, on disk";
    const { page, close } = await open(browser, pageOf(report));
    assert.match(await page.locator("#summary").innerText(), /approximated a dense 30/);
    await close();
    assert.deepEqual(await line(), [
      "The matrix stayed in its file: 12 passes read 288 GB at 2.6 GB/s, bound by the disk, which gave 2.7 GB/s.",
    ]);
    report.run["stream"] = { ...stream, bound_by: "compute" };
    assert.deepEqual(await line(), [
      "The matrix stayed in its file: 12 passes read 288 GB at 2.6 GB/s, bound by the computation; the disk gave 2.7 GB/s.",
    ]);
  });

  it("draws the error over iterations, seconds or flops, on logarithmic or plain axes", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    // The start, iteration 0, has no place on a logarithmic axis.
    assert.deepEqual(await curveData(page, "#error", "relative error"), { points: 40, x: 40, y: lastError });
    await page.getByRole("radio", { name: "seconds" }).check();
    assert.deepEqual(await curveData(page, "#error", "relative error"), { points: 40, x: 2.5, y: lastError });
    await page.getByRole("radio", { name: "flops" }).check();
    assert.equal((await curveData(page, "#error", "relative error")).x, 40e6);
    await page.getByRole("group", { name: "Across" }).getByRole("radio", { name: "linear" }).check();
    assert.equal((await curveData(page, "#error", "relative error")).points, 41);
    await close();
  });

  it("draws the inner iterations of both factors", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    assert.deepEqual(await curveData(page, "#inner", "W"), { points: 40, x: 40, y: 1 });
    assert.deepEqual(await curveData(page, "#inner", "H"), { points: 40, x: 40, y: 2 });
    await close();
  });

  it("shows components as images with the right pixels", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    assert.equal(await page.locator("#gallery canvas").count(), 10);
    const grey = (p: number) =>
      page
        .locator("#gallery canvas")
        .nth(p)
        .evaluate((canvas: HTMLCanvasElement) => {
          const data = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
          return {
            width: canvas.width,
            height: canvas.height,
            red: Array.from(data).filter((_, k) => k % 4 === 0),
          };
        });
    const image = await grey(3);
    assert.equal(image.width, imageWidth);
    assert.equal(image.height, imageHeight);
    // Mostly empty images are ink on paper: 255 is the darkest.
    assert.equal(image.red[3], 22);
    assert.equal(image.red[0], 255);
    assert.equal(image.red[4], Math.round(255 + (22 - 255) * (128 / 255)));
    await page.getByRole("radio", { name: "Light on black" }).check();
    assert.deepEqual((await grey(3)).red.slice(0, 5), [0, 0, 0, 255, 128]);
    await close();
  });

  it("lists the strongest features with their values", async () => {
    const names = (p: number, k: number) => `word ${p}.${k}`;
    const { page, close } = await open(browser, pageOf(factorization({ images: false, names })));
    const features = page.locator('[data-component="4"] .features li');
    assert.equal(await features.count(), 12);
    assert.equal(await features.nth(2).locator(".name").innerText(), "word 3.2");
    assert.equal(await features.nth(2).locator(".value").innerText(), "1");
    assert.equal(await page.locator("#gallery canvas").count(), 0);
    await close();
  });

  it("shows both factors as maps whose numbers can be saved", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    const rows = parseCsv((await download(page, "#map-h", "csv")).bytes.toString());
    assert.equal(rows.length, 401);
    assert.deepEqual(rows[0]?.slice(0, 2), ["column", "component 1"]);
    // 1200 columns in 400 bands: the second begins at column 4. Its bytes are 70, 77, ... of 255 for 2.55.
    assert.deepEqual(rows[2]?.slice(0, 3), ["4", "0.7", "0.77"]);
    await page.locator("#map-w .chart svg").hover({ position: { x: 60, y: 32 } });
    assert.match(await page.locator("#map-w .readout").innerText(), /^component 1, row 1: 0$/);
    await close();
  });

  it("gives the command and every parameter", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    assert.equal(
      await page.locator("#command").innerText(),
      "anmf factorize faces.npy --rank 10 --out 'my faces'",
    );
    const row = (name: string) =>
      page
        .locator("#parameters div", { has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) })
        .locator("dd")
        .innerText();
    assert.equal(await row("rank"), "10");
    assert.equal(await row("seed"), "7");
    assert.equal(await row("delta"), "\u2013");
    await close();
  });
});

describe("the questions of a reader", () => {
  it("did it converge: the measure is drawn where it was looked at, with the tolerance as a line", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    // Iteration 0 has no place on a logarithmic axis.
    assert.deepEqual(await curveData(page, "#measure", "promised decrease"), { points: 4, x: 40, y: 1e-4 });
    assert.equal(await page.locator("#measure .level line").count(), 1);
    assert.match(await page.locator("#measure").innerText(), /tolerance 0\.0002/);
    const levels = await page.locator("#measure").evaluate((card) => {
      const top = (selector: string) => card.querySelector(selector)?.getBoundingClientRect();
      return { line: top(".level line")?.top ?? 0, curve: top('[data-part="line"] path')?.bottom ?? 0 };
    });
    assert.ok(levels.line < levels.curve, "the curve ends below the tolerance");
    assert.match(
      await page.locator("#verdict").innerText(),
      /ended at 0\.0001, below the tolerance of 0\.0002/,
    );
    await close();
  });

  it("says so where the measure is above the tolerance, or nobody has looked", async () => {
    const report = factorization();
    report.measure = { ...report.measure!, tolerance: 1e-6 };
    const above = await open(browser, pageOf(report));
    assert.match(await above.page.locator("#verdict").innerText(), /above the tolerance/);
    await above.close();
    report.trace["promised_decrease"] = report.trace.iteration.map(() => null);
    const unseen = await open(browser, pageOf(report));
    assert.match(await unseen.page.locator("#verdict").innerText(), /Nobody has looked/);
    assert.equal(await unseen.page.locator("#measure").count(), 0);
    await unseen.close();
  });

  it("is the fit good: the energy explained beside the best of this rank", async () => {
    const report = factorization();
    const { page, close } = await open(browser, pageOf(report));
    const share = async (id: string) => Number(await page.locator(id).getAttribute("data-share"));
    assert.equal(await share("#explained"), 1 - lastError ** 2);
    assert.equal(await share("#best"), 1 - 0.1 ** 2);
    assert.match((await page.locator("#explained").innerText()).replaceAll("\u202f", " "), /98\.44 %/);
    assert.match(await page.locator("#residual-rows").innerText(), /row 7/);
    assert.equal(await page.locator("#example-2 canvas").count(), 2);
    await close();
    report.run["best_rank_error"] = null;
    report.run["best_rank_note"] = "It was not asked for.";
    report.fit = null;
    const without = await open(browser, pageOf(report));
    assert.match(await without.page.locator("#bound").innerText(), /It was not asked for\./);
    assert.equal(await without.page.locator("#best, #residual-rows").count(), 0);
    await without.close();
  });

  it("what are the components: by weight, with features by strength or particularity, labels and samples", async () => {
    const report = factorization({ names: (p, k) => `word ${p}.${k}` });
    report.components.reverse();
    const { page, close } = await open(browser, pageOf(report));
    const order = await page
      .locator("#gallery > li")
      .evaluateAll((items) => items.map((item) => item.getAttribute("data-component")));
    assert.deepEqual(order, ["10", "9", "8", "7", "6", "5", "4", "3", "2", "1"]);
    const first = page.locator('[data-component="10"]');
    assert.equal(await first.locator(".features .name").first().innerText(), "word 0.0");
    await page.getByRole("radio", { name: "most particular" }).check();
    assert.deepEqual(await first.locator(".features .name").allInnerTexts(), ["word 0.5"]);
    assert.equal((await first.locator(".groups").innerText()).replaceAll("\u202f", " "), "sports 75 %");
    assert.equal(await first.locator(".typical").innerText(), "document 0 (sports)");
    await close();
  });

  it("names the labels where there are several, and says how many were left out", async () => {
    const report = factorization({ components: 2, names: (p, k) => `word ${p}.${k}` });
    report.groupings = 5;
    for (const component of report.components) {
      component.groups = ["type", "batch"].map((name) => ({ name, top: [{ name: "B", share: 0.5 }] }));
      component.groups[1]!.top = [];
    }
    const { page, close } = await open(browser, pageOf(report));
    const lines = await page.locator('[data-component="1"] .groups').allInnerTexts();
    assert.deepEqual(
      lines.map((line) => line.replaceAll("\u202f", " ")),
      ["type: B 50 %", "batch: \u2013"],
    );
    assert.match(
      await page.locator("#components > p").innerText(),
      /\(those 2 of 5 that tell most of the components: type, batch\), as shares of its weight/,
    );
    await close();
  });

  it("draws ordered features as curves over their places", async () => {
    const report = factorization({ components: 3, images: false });
    const places = [400, 410, 420, 430];
    report.curves = { name: "nm", side: "columns", places, values: [0, 1, 2].map((p) => [p, 1, 2, 3 + p]) };
    const { page, close } = await open(browser, pageOf(report));
    assert.deepEqual(await curveData(page, "#component-2", "component 2"), { points: 4, x: 430, y: 4 });
    assert.match(await page.locator("#component-2").innerText(), /nm/);
    await close();
  });

  it("leaves the inner iterations to the end", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    const ids = await page.locator("main > section").evaluateAll((sections) => sections.map(({ id }) => id));
    assert.deepEqual(ids, ["convergence", "fit", "components", "factors", "reproduce", "work"]);
    await close();
  });
});

describe("saving a chart", () => {
  it("as CSV gives the numbers of the trace", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    const { name, bytes } = await download(page, "#error", "csv");
    assert.equal(name, "error.csv");
    const rows = parseCsv(bytes.toString());
    assert.equal(rows.length, 42);
    // Also the columns that no chart shows.
    const names = ["iteration", "seconds", "flops", "relative_error", "inner_w", "inner_h", "penalty"];
    assert.deepEqual(rows[0], [...names, "promised_decrease"]);
    assert.equal(rows[1]?.[6], "");
    assert.deepEqual(rows[41]?.map(Number), [40, 2.5, 40e6, lastError, 1, 2, 0.5, 1e-4]);
    await close();
  });

  it("as SVG gives a file that stands alone, in light colours also from a dark page", async () => {
    const { page, close } = await open(browser, pageOf(factorization()), { colorScheme: "dark" });
    const svg = (await download(page, "#error", "svg")).bytes.toString();
    assert.match(svg, /^<svg /);
    assert.doesNotMatch(svg, /var\(--(?!plot)/);
    assert.match(svg, /data-last-y="0\.125"/);
    assert.match(svg, /stroke="#0072b2"/);
    const alone = await browser.newPage();
    await alone.setContent(svg);
    const path = alone.locator('[data-part="line"] path');
    // 40 points: one move and 39 lines.
    assert.equal(((await path.getAttribute("d")) ?? "").split("L").length, 40);
    await alone.close();
    await close();
  });

  it("as PNG gives twice the pixels of the chart", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    const width = await page
      .locator("#error .chart svg")
      .evaluate((svg: SVGSVGElement) => svg.viewBox.baseVal.width);
    const png = (await download(page, "#error", "png")).bytes;
    assert.equal(png.subarray(1, 4).toString(), "PNG");
    assert.equal(png.readUInt32BE(16), 2 * width);
    await close();
  });

  it("covers the components", async () => {
    const { page, close } = await open(
      browser,
      pageOf(factorization({ names: (p, k) => `=cmd, "${p}" ${k}` })),
    );
    const svg = (await download(page, "#components-card", "svg")).bytes.toString();
    assert.equal(svg.split("<image").length - 1, 10);
    const csv = (await download(page, "#components-card", "csv")).bytes.toString();
    // A spreadsheet must not take a name for a formula.
    assert.equal(csv.split("\n")[1], `1,${20 / 110},1,"'=cmd, ""0"" 0",1.2`);
    assert.equal((await download(page, "#components-card", "png")).bytes.subarray(1, 4).toString(), "PNG");
    await close();
  });
});
