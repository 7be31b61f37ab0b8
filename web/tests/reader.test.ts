// SPDX-License-Identifier: MIT
// What holds for every reader: odd names, keyboards, small screens, dark rooms, paper, many components.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { download, drawn, launch, open, pageOf } from "./browser";
import { comparison, curve, factorization } from "./fixtures";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(async () => browser.close());

const hostile = [
  "</script><script>window.harmed = true</script>",
  '"><img src=x onerror="window.harmed = true">',
  "<!-- <script>",
  "{{data}} $& $1",
  "\u202e right to left",
  "x".repeat(10_000),
  "",
];

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe("names from a user's files", () => {
  it("stay text in a factorization", async () => {
    const report = factorization({ names: (_, k) => hostile[k % hostile.length] ?? "" });
    report.title = hostile[0] ?? "";
    report.command = hostile[1] ?? "";
    report.run["input"] = hostile[1];
    const { page, complaints, close } = await open(browser, pageOf(report));
    assert.deepEqual(complaints, []);
    assert.equal(await page.evaluate(() => "harmed" in window), false);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator("h1").textContent(), hostile[0]);
    const names = page.locator('[data-component="1"] .features .name');
    assert.deepEqual((await names.allTextContents()).slice(0, 6), hostile.slice(0, 6));
    assert.equal(await overflow(page), 0);
    const svg = (await download(page, "#components-card", "svg")).bytes.toString();
    assert.doesNotMatch(svg, /<script|<img/);
    await close();
  });

  it("stay text in a comparison", async () => {
    const report = comparison();
    const panel = report.figures[0]?.panels[0];
    assert.ok(panel);
    panel.title = hostile[1] ?? "";
    panel.curves = hostile.slice(0, 6).map((label, k) => curve(label, k + 1));
    report.skipped = [{ data: hostile[0] ?? "", reason: hostile[1] ?? "" }];
    const { page, complaints, close } = await open(browser, pageOf(report));
    assert.deepEqual(complaints, []);
    assert.equal(await page.evaluate(() => "harmed" in window), false);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator('#figure-10-1 .curve[data-part="line"]').count(), 6);
    assert.equal(await page.locator(".skipped dt").textContent(), hostile[0]);
    assert.equal(await overflow(page), 0);
    await close();
  });
});

describe("many components", () => {
  for (const components of [10, 200]) {
    it(`${components} take few elements of the page each`, async () => {
      const report = factorization({ components, names: (p, k) => `word ${p}.${k}`, iterations: 2000 });
      // Real images are larger than the fixture's.
      const bytes = Buffer.alloc(112 * 92, 200).toString("base64");
      report.images = {
        height: 112,
        width: 92,
        side: "rows",
        pixels: Array.from({ length: components }, () => bytes),
      };
      const html = pageOf(report);
      const { page, close } = await open(browser, html);
      // What makes a page slow, counted: seconds would hang on the machine.
      const elements = await page.evaluate(() => document.querySelectorAll("*").length);
      assert.equal(await page.locator("#gallery canvas").count(), components);
      assert.ok(elements < 800 + 60 * components, `${elements} elements`);
      await close();
    });
  }
});

describe("the keyboard", () => {
  it("reaches every control in the order of the page", async () => {
    const { page, close } = await open(browser, pageOf(comparison()));
    const wanted = await page.evaluate(() => {
      const seen = new Set<string>();
      const controls = [
        ...document.querySelectorAll<HTMLElement>("a, button, input, summary, [tabindex='0']"),
      ].filter((element) => {
        // Tab enters a group of radio buttons at the chosen one.
        if (element instanceof HTMLInputElement)
          return element.checked && !seen.has(element.name) && seen.add(element.name);
        return element.checkVisibility();
      });
      controls.forEach((element, k) => (element.dataset["walk"] = String(k)));
      return controls.length;
    });
    assert.ok(wanted > 30);
    for (let k = 0; k < wanted; ++k) {
      await page.keyboard.press("Tab");
      assert.equal(
        await page.evaluate(() => (document.activeElement as HTMLElement).dataset["walk"]),
        String(k),
      );
    }
    await close();
  });

  it("moves through a choice with the arrows", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    await page.getByRole("radio", { name: "iterations" }).focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator('#error .curve[data-part="line"]').getAttribute("data-last-x"), "2.5");
    await close();
  });
});

describe("every screen", () => {
  for (const [kind, report] of [
    ["factorization", factorization({ names: (p, k) => `word ${p}.${k}` })],
    ["comparison", comparison()],
  ] as const) {
    it(`of 360 pixels holds the page of a ${kind} without scrolling sideways`, async () => {
      const { page, close } = await open(browser, pageOf(report), { viewport: { width: 360, height: 740 } });
      assert.equal(await overflow(page), 0);
      const wide = await page
        .locator(".chart svg")
        .evaluateAll((charts) => charts.filter((chart) => chart.getBoundingClientRect().right > 360).length);
      assert.equal(wide, 0);
      await close();
    });
  }

  it("is dark or light as the system says, until the reader chooses", async () => {
    const { page, close } = await open(browser, pageOf(factorization()), { colorScheme: "dark" });
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await paper();
    await page.locator("#theme").click();
    const light = await paper();
    assert.equal(dark, "rgb(20, 23, 26)");
    assert.equal(light, "rgb(250, 249, 246)");
    await page.locator("#theme").click();
    assert.equal(await paper(), dark);
    await close();
  });

  it("draws charts anew at another width", async () => {
    const { page, close } = await open(browser, pageOf(factorization()));
    const width = () =>
      page.locator("#error .chart svg").evaluate((svg: SVGSVGElement) => svg.viewBox.baseVal.width);
    const before = await width();
    await page.setViewportSize({ width: 500, height: 800 });
    await page.waitForFunction(
      (old) => (document.querySelector("#error .chart svg") as SVGSVGElement).viewBox.baseVal.width !== old,
      before,
    );
    assert.ok((await width()) < 500);
    await close();
  });

  it("prints in light colours, also from a page that is dark", async () => {
    const { page, close } = await open(browser, pageOf(factorization()), { colorScheme: "dark" });
    await page.locator("#theme").click(); // light, and
    await page.locator("#theme").click(); // dark by the reader's choice
    const look = () =>
      page.evaluate(() => ({
        ink: getComputedStyle(document.body).color,
        map: document.querySelector("#map-w image")?.getAttribute("href"),
      }));
    const dark = await look();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    // The page hears of it a moment later.
    await page.waitForFunction(
      (map) => document.querySelector("#map-w image")?.getAttribute("href") !== map,
      dark.map,
    );
    assert.equal((await look()).ink, "rgb(29, 33, 38)");
    await close();
  });

  it("leaves the buttons off the paper", async () => {
    const { page, close } = await open(browser, pageOf(comparison()));
    await page.emulateMedia({ media: "print" });
    await drawn(page);
    assert.equal(await page.locator("nav").isVisible(), false);
    assert.equal(await page.locator('#figure-10-1 [data-save="svg"]').isVisible(), false);
    assert.equal(await page.locator("#figure-10 .legend button").first().isVisible(), true);
    assert.ok((await page.pdf()).length > 10_000);
    await close();
  });
});
