// SPDX-License-Identifier: MIT
// The page of a comparison.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { curveData, download, launch, open, pageOf, parseCsv } from "./browser";
import { comparison } from "./fixtures";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(async () => browser.close());

const lines = (chart: string) => `${chart} .curve[data-part="line"]`;

describe("a comparison", () => {
  it("opens from a file without complaint and without the network", async () => {
    const { page, complaints, close } = await open(browser, pageOf(comparison()));
    assert.match(
      await page.locator("#summary").innerText(),
      /^Of 3 claims, 1 holds, 1 does not, 1 is undecided\. 7 methods from the same starts\. E-A-HALS is ahead at the end in 2 of 3 comparisons, A-HALS in 1\.$/,
    );
    assert.deepEqual(complaints, []);
    await close();
  });

  it("says its title once, and who was ahead", async () => {
    const report = comparison();
    report.claims = [];
    report.figures = report.figures.slice(0, 1).map((figure) => ({ ...figure, title: report.title }));
    const { page, close } = await open(browser, pageOf(report));
    assert.equal(await page.getByText(report.title, { exact: true }).count(), 1);
    assert.equal(
      await page.locator("#summary").innerText(),
      "5 methods from the same starts. E-A-HALS is ahead at the end in both comparisons.",
    );
    await close();
  });

  it("draws one line and one band per curve in every panel, ending where the data end", async () => {
    const { page, close } = await open(browser, pageOf(comparison()));
    assert.equal(await page.locator("#figure-10 figure").count(), 2);
    assert.equal(await page.locator(lines("#figure-10-1")).count(), 5);
    assert.equal(await page.locator(lines("#figure-10-2")).count(), 5);
    assert.equal(await page.locator(lines("#figure-11-1")).count(), 3);
    assert.equal(await page.locator('#figure-11-1 .curve[data-part="band"]').count(), 3);
    assert.deepEqual(await curveData(page, "#figure-10-1", "A-HALS"), { points: 50, x: 20, y: 1e-4 });
    await close();
  });

  it("changes all charts between seconds and flops, logarithmic and plain", async () => {
    const { page, close } = await open(browser, pageOf(comparison()));
    const height = () =>
      page
        .locator(`${lines("#figure-11-1")} path`)
        .last()
        .getAttribute("d");
    const before = await height();
    await page.getByRole("radio", { name: "flops" }).check();
    assert.equal((await curveData(page, "#figure-10-2", "MU")).x, 3e10);
    assert.equal((await curveData(page, "#figure-11-1", "PG")).x, 3e10);
    await page.getByRole("radio", { name: "linear" }).check();
    assert.notEqual(await height(), before);
    assert.equal((await curveData(page, "#figure-11-1", "PG")).y, 0.1);
    await close();
  });

  it("draws what is beyond the paper dashed, and nothing else", async () => {
    const { page, close } = await open(browser, pageOf(comparison()));
    const dashed = await page
      .locator(`${lines("#figure-10-1")} path`)
      .evaluateAll((paths) =>
        paths
          .filter((path) => getComputedStyle(path).strokeDasharray !== "none")
          .map((path) => path.closest(".curve")?.getAttribute("data-label")),
      );
    assert.deepEqual(dashed, ["E-A-HALS"]);
    await close();
  });

  it("gives a curve the same colour in all figures, and different ones within a figure", async () => {
    const { page, close } = await open(browser, pageOf(comparison()));
    const strokes = (chart: string) =>
      page
        .locator(`${lines(chart)} path`)
        .evaluateAll((paths) =>
          Object.fromEntries(
            paths.map((path) => [
              path.closest(".curve")?.getAttribute("data-label") ?? "",
              getComputedStyle(path).stroke,
            ]),
          ),
        );
    const [ten, eleven] = [await strokes("#figure-10-1"), await strokes("#figure-11-1")];
    assert.equal(ten["A-HALS"], eleven["A-HALS"]);
    assert.equal(new Set(Object.values(ten)).size, 5);
    assert.equal(new Set(Object.values(eleven)).size, 3);
    await close();
  });

  it("brings a curve forward by pointing, by keyboard and by click", async () => {
    const { page, close } = await open(browser, pageOf(comparison()));
    const bright = async () =>
      page
        .locator(`${lines("#figure-10-1")}:not(.dimmed)`)
        .evaluateAll((groups) => groups.map((group) => group.getAttribute("data-label")));
    const all = ["MU", "A-MU", "HALS", "A-HALS", "E-A-HALS"];
    const hals = page.locator('#figure-10 .legend button[data-label="HALS"]');
    assert.deepEqual(await bright(), all);
    await hals.hover();
    assert.deepEqual(await bright(), ["HALS"]);
    await page.mouse.move(5, 5);
    assert.deepEqual(await bright(), all);
    await hals.focus();
    assert.deepEqual(await bright(), ["HALS"]);
    await hals.press("Enter");
    await hals.blur();
    assert.deepEqual(await bright(), ["HALS"]);
    assert.equal(await hals.getAttribute("aria-pressed"), "true");
    // It stays when the charts are drawn anew, and leaves other figures alone.
    await page.getByRole("radio", { name: "flops" }).check();
    assert.deepEqual(await bright(), ["HALS"]);
    assert.equal(await page.locator("#figure-11 .curve.dimmed").count(), 0);
    await hals.press("Enter");
    await hals.blur();
    assert.deepEqual(await bright(), all);
    await close();
  });

  it("gives verdicts in a symbol and in words", async () => {
    const { page, close } = await open(browser, pageOf(comparison()));
    assert.deepEqual(await page.locator(".verdict").allInnerTexts(), [
      "\u2713 holds",
      "\u2717 does not hold",
      "? undecided",
    ]);
    assert.match(
      await page.locator("#claim-b").innerText(),
      /E is 0\.01 against 0\.1\.\s+The data set is smaller\.\s+On orl r = 30\./,
    );
    await close();
  });

  it("links claims to the figures that are there, and only names the others", async () => {
    const report = comparison();
    report.claims[2] = { ...report.claims[2]!, figure: "section-3.1" };
    const { page, close } = await open(browser, pageOf(report));
    assert.equal(await page.locator("#claim-a a").getAttribute("href"), "#figure-10");
    assert.match(await page.locator("#claim-c").innerText(), /section 3\.1/);
    assert.equal(await page.locator("#claim-c a").count(), 0);
    await close();
  });

  it("gives the verdict by time below, where there is one", async () => {
    const report = comparison();
    report.claims[1] = {
      ...report.claims[1]!,
      seconds: { verdict: "holds", numbers: "orl r = 30: 2 times.\ncbcl r = 30: 3 times." },
    };
    const { page, close } = await open(browser, pageOf(report));
    assert.match(
      await page.locator("#claim-b").innerText(),
      /By time: \u2713 holds\s+orl r = 30: 2 times\.\ncbcl r = 30: 3 times\./,
    );
    await close();
  });

  it("names the data sets of an average instead of a size, and what it counts", async () => {
    const report = comparison();
    const panel = report.figures[0]!.panels[0]!;
    Object.assign(panel, { rank: null, rows: null, cols: null, nonzeros: null, e_min: null, norm: null });
    panel.sets = ["orl r = 30", "cbcl r = 30"];
    panel.flops_label = "work";
    report.seconds = { jobs: 2, note: "Two runs were made side by side." };
    const { page, close } = await open(browser, pageOf(report));
    const card = page.locator("#figure-10-1");
    assert.match(await card.innerText(), /orl r = 30, cbcl r = 30; 10 starts each/);
    assert.match(await page.locator("#figures").innerText(), /Two runs were made side by side\./);
    await page.getByRole("radio", { name: "flops" }).check();
    assert.match(await card.innerText(), /work/);
    await close();
  });

  it("draws a count where there is no time", async () => {
    const report = comparison();
    const panel = report.figures[1]!.panels[0]!;
    panel.curves = panel.curves.map((curve) => ({
      ...curve,
      seconds: { x: [], mean: [], low: [], high: [] },
    }));
    panel.flops_label = "inner iterations";
    const { page, close } = await open(browser, pageOf(report));
    assert.deepEqual(await curveData(page, "#figure-11-1", "A-HALS"), { points: 50, x: 3e10, y: 1e-4 });
    assert.match(await page.locator("#figure-11-1").innerText(), /inner iterations/);
    assert.match(await page.locator("#figure-11-1").innerText(), /20 G/);
    await close();
  });

  it("shows tables and what was left out", async () => {
    const { page, close } = await open(browser, pageOf(comparison()));
    assert.deepEqual(await page.locator("#table-1 tbody tr").nth(1).locator("th, td").allInnerTexts(), [
      "cbcl",
      "0.3",
      "0.15",
    ]);
    assert.equal(await page.locator(".skipped dt").innerText(), "sports");
    const csv = (await download(page, "#table-1", "csv")).bytes.toString();
    assert.equal(csv, "data,MU,A-MU\norl,0.2,0.1\ncbcl,0.3,0.15\n");
    await close();
  });

  it("saves the numbers of a panel", async () => {
    const { page, close } = await open(browser, pageOf(comparison()));
    const rows = parseCsv((await download(page, "#figure-10-1", "csv")).bytes.toString());
    assert.equal(rows.length, 1 + 5 * 2 * 50);
    assert.deepEqual(rows[50], ["orl", "30", "MU", "alpha 1", "seconds", "20", "0.1", "0.05", "0.2"]);
    await close();
  });

  it("draws what it can where numbers are missing or zero", async () => {
    const report = comparison();
    const gap = report.figures[1]?.panels[0]?.curves[0];
    assert.ok(gap);
    gap.seconds.mean = gap.seconds.mean.map((value, k) => (k === 10 ? null : k === 49 ? 0 : value));
    gap.seconds.low = gap.seconds.low.map(() => 0);
    const { page, complaints, close } = await open(browser, pageOf(report));
    assert.equal((await curveData(page, "#figure-11-1", "PG")).points, 48);
    const path = await page
      .locator('#figure-11-1 .curve[data-part="band"][data-label="PG"] path')
      .getAttribute("d");
    assert.doesNotMatch(path ?? "", /NaN|Infinity/);
    assert.deepEqual(complaints, []);
    await close();
  });
});
