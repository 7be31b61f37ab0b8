// SPDX-License-Identifier: MIT
// The ranks of a survey one by one, and the tree of their components.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { download, drawn, launch, open, pageOf, parseCsv } from "./browser";
import { errorOf, silhouetteAt, survey, truth, usageAt } from "./survey_fixture";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(async () => browser.close());

const plain = (text: string) => text.replaceAll("\u202f", " ").replaceAll("\u2013", "-");
const shownRank = (page: Page) => page.locator(".rank-view").getAttribute("data-rank");
const centre = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((all) =>
    all.map((one) => {
      const box = one.getBoundingClientRect();
      return { x: box.left + box.width / 2, y: box.top + box.height / 2, width: box.width };
    }),
  );

describe("the chooser of ranks", () => {
  it("begins with the suggested rank and goes on by arrow keys", async () => {
    const { page, complaints, close } = await open(browser, pageOf(survey()));
    assert.equal(await shownRank(page), "9");
    assert.equal(await page.locator("#rank-shown").innerText(), "9 components, as suggested");
    await page.locator("#rank-chooser input:checked").focus();
    await page.keyboard.press("ArrowRight");
    await drawn(page);
    assert.equal(await shownRank(page), "10");
    assert.equal(await page.locator("#rank-shown").innerText(), "10 components");
    assert.equal(
      await page.locator("#rank-notes li").innerText(),
      "Rank 10 has components that few starts find.",
    );
    // Back to what is drawn already.
    await page.keyboard.press("ArrowLeft");
    await drawn(page);
    assert.equal(await shownRank(page), "9");
    assert.equal(await page.locator("#clustergram .chart svg").count(), 1);
    assert.deepEqual(complaints, []);
    await close();
  });

  it("follows the table and begins with an alternative where nothing is decided", async () => {
    const { page, close } = await open(browser, pageOf(survey({ suggested: null })));
    assert.equal(await shownRank(page), "8");
    await page.getByRole("button", { name: "Show rank 4" }).click();
    await drawn(page);
    assert.equal(await shownRank(page), "4");
    assert.equal(await page.locator("#rank-chooser input:checked").getAttribute("value"), "4");
    await close();
  });
});

describe("the components of a rank", () => {
  it("stand with their members, stability, usage and features", async () => {
    const { page, close } = await open(browser, pageOf(survey()));
    const tiles = page.locator("#gallery > li");
    assert.equal(await tiles.count(), truth);
    const words = plain(await tiles.nth(7).innerText());
    assert.match(words, new RegExp(`^8\\s+${(100 * usageAt(truth, 7)).toFixed(1)} %`));
    assert.match(
      words,
      new RegExp(`members 19/20, stability ${silhouetteAt(truth, 7).toPrecision(2)}\\s.*unstable`),
    );
    assert.match(words, /most like 8 of 8 \(cosine 0\.99\)/);
    assert.deepEqual((await tiles.nth(7).locator(".features .name").allInnerTexts())[0], "GENE7.0");
    assert.doesNotMatch(await tiles.nth(0).innerText(), /unstable/);
    await close();
  });

  it("are images where the features are pixels", async () => {
    const { page, close } = await open(browser, pageOf(survey({ images: true, names: false })));
    const bright = await page.locator("#gallery canvas").evaluateAll((all) =>
      all.map((one) => {
        const canvas = one as HTMLCanvasElement;
        const data = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
        return Array.from(data).filter((_, k) => k % 4 === 0);
      }),
    );
    assert.equal(bright.length, truth);
    bright.forEach((pixels, p) => assert.equal(pixels.indexOf(Math.min(...pixels)), p));
    await close();
  });

  it("are a table where nothing is known of the features", async () => {
    const { page, close } = await open(browser, pageOf(survey({ names: false })));
    const cells = await page
      .locator('#component-table tr[data-component="2"]')
      .locator("th, td")
      .allInnerTexts();
    assert.deepEqual(cells.map(plain), ["2", "19/20", "0.906", "0.0200", "18 %", "2", "0.990"]);
    await close();
  });
});

describe("the maps of a rank", () => {
  it("have every distance at its place on both sides of the diagonal", async () => {
    const { page, close } = await open(browser, pageOf(survey({ map: 90 })));
    const image = page.locator("#clustergram .chart svg image");
    await image.scrollIntoViewIfNeeded();
    const box = await image.boundingBox();
    assert.ok(box);
    assert.ok(Math.abs(box.width - box.height) < 1);
    const read = async (a: number, b: number) => {
      await page.mouse.move(box.x + ((b + 0.5) * box.width) / 90, box.y + ((a + 0.5) * box.height) / 90);
      return page.locator("#clustergram .readout").innerText();
    };
    // Byte 200 + (75 * 12) % 30 of 255 steps to 0.8, and 0 on the diagonal.
    const between = `component 8 and component 2: ${((200 / 255) * 0.8).toPrecision(2)}`;
    assert.equal(await read(75, 12), between);
    assert.equal(
      await read(12, 75),
      between.replace("component 8 and component 2", "component 2 and component 8"),
    );
    assert.equal(await read(40, 40), "component 5 and component 5: 0");
    const rows = parseCsv((await download(page, "#clustergram", "csv")).bytes.toString());
    assert.equal(rows.length, 90);
    assert.equal(Number(rows[12]?.[75]), Number(((200 / 255) * 0.8).toPrecision(4)));
    assert.equal(rows[12]?.[75], rows[75]?.[12]);
    // Nine components, with a line between every two and a name on both sides.
    const names = await page.locator("#clustergram .chart svg text").allTextContents();
    assert.deepEqual(
      names,
      [...Array(2).keys()].flatMap(() => ["1", "2", "3", "4", "5", "6", "7", "8", "9"]),
    );
    await close();
  });

  it("name the samples by their places, and are dark where they go together", async () => {
    const { page, close } = await open(browser, pageOf(survey({ map: 90 })));
    const image = page.locator("#consensus .chart svg image");
    await image.scrollIntoViewIfNeeded();
    const box = await image.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 0.5, box.y + 0.5);
    assert.equal(plain(await page.locator("#consensus .readout").innerText()), "places 1-22 and 1-22: 1");
    const darkness = await image.evaluate(async (element) => {
      const picture = new Image();
      picture.src = element.getAttribute("href") ?? "";
      await picture.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [picture.width, picture.height];
      const context = canvas.getContext("2d");
      context?.drawImage(picture, 0, 0);
      const at = (x: number, y: number) => context?.getImageData(x, y, 1, 1).data[0] ?? -1;
      return [canvas.width, at(3, 3), at(80, 3)];
    });
    assert.equal(darkness[0], 90);
    assert.ok((darkness[1] ?? 0) < 60 && (darkness[2] ?? 0) > 200, String(darkness));
    await close();
  });
});

describe("the density and the errors of a rank", () => {
  it("are bars and points at their numbers", async () => {
    const { page, close } = await open(browser, pageOf(survey()));
    const bars = await page.locator("#density .chart svg [aria-label='rect'] rect").evaluateAll((all) =>
      all.map((one) => ({
        x: Number(one.getAttribute("x")),
        width: Number(one.getAttribute("width")),
        height: Number(one.getAttribute("height")),
      })),
    );
    assert.equal(bars.length, 40);
    // 9 x 20 - 89 spectra, 51, and one in each other bin.
    assert.ok(Math.abs((bars[0]?.height ?? 0) / (bars[1]?.height ?? 1) - 91 / 51) < 0.01);
    assert.ok(bars.every(({ height }) => height > 1.4));
    const [threshold] = await centre(page, "#density .threshold line");
    const svg = await page.locator("#density .chart svg").boundingBox();
    // 0.9 of 1.2 is the edge between bins 30 and 31.
    assert.ok(Math.abs((threshold?.x ?? 0) - (svg?.x ?? 0) - (bars[30]?.x ?? 0)) < 1.5);
    assert.match(
      await page.locator("#density .caption").innerText(),
      /3 of 180 lie beyond the threshold of 0\.9/,
    );
    const points = await centre(page, "#starts .converged circle");
    assert.equal(points.length, 20);
    const errors = Array.from({ length: 20 }, (_, k) => errorOf(truth, k)).sort((a, b) => a - b);
    const [first, last] = [points[0], points[19]];
    points.forEach(({ y }, k) => {
      const share = ((errors[k] ?? 0) - (errors[0] ?? 0)) / ((errors[19] ?? 0) - (errors[0] ?? 0));
      const expected = (first?.y ?? 0) + share * ((last?.y ?? 0) - (first?.y ?? 0));
      assert.ok(Math.abs(y - expected) < 0.5, `${k}: ${y} for ${expected}`);
    });
    await close();
  });

  it("tell starts that did not converge, and that failed", async () => {
    const report = survey({ starts: 60 });
    const { starts } = report.ranks.find(({ summary }) => summary.rank === truth)!;
    starts.status[3] = "failed";
    starts.relative_error[3] = null;
    const { page, close } = await open(browser, pageOf(report));
    assert.equal(await page.locator("#starts .converged circle").count(), 58);
    assert.equal(await page.locator("#starts .unfinished path").count(), 1);
    assert.match(
      await page.locator("#starts .caption").innerText(),
      /the 1 that ended before.* 1 failed\.$/s,
    );
    await close();
  });
});

describe("the tree of components", () => {
  it("joins every component with its parent, and no two lines cross", async () => {
    const report = survey();
    // Parents in disorder, too.
    report.ranks[5]!.components.forEach((one, p) => (one.parent = ((p * 5) % 6) + 1));
    const { page, complaints, close } = await open(browser, pageOf(report));
    const nodes = await page
      .locator("#tree-card :is([data-part='stable'], [data-part='unstable']) [data-rank]")
      .evaluateAll((all) =>
        all.map((one) => {
          const box = one.getBoundingClientRect();
          return {
            rank: Number(one.getAttribute("data-rank")),
            component: Number(one.getAttribute("data-component")),
            y: box.top + box.height / 2,
          };
        }),
      );
    assert.equal(nodes.length, 77); // 2 + 3 + ... + 12
    const yOf = (rank: number, component: number) =>
      nodes.find((node) => node.rank === rank && node.component === component)?.y ?? NaN;
    const links = await page.locator("#tree-card [data-part='link'] path").evaluateAll((all) =>
      all.map((one) => ({
        rank: Number(one.getAttribute("data-rank")),
        component: Number(one.getAttribute("data-component")),
        parent: Number(one.getAttribute("data-parent")),
      })),
    );
    assert.equal(links.length, 75);
    for (const { summary, components } of report.ranks.slice(1)) {
      for (const one of components) {
        const link = links.find((l) => l.rank === summary.rank && l.component === one.component);
        assert.equal(link?.parent, one.parent);
      }
      const order = [...components].sort(
        (a, b) => yOf(summary.rank, a.component) - yOf(summary.rank, b.component),
      );
      const parents = order.map(({ parent }) => yOf(summary.rank - 1, parent));
      assert.deepEqual(
        parents,
        [...parents].sort((a, b) => a - b),
      );
    }
    const unstable = report.ranks
      .flatMap(({ components }) => components)
      .filter((c) => (c.silhouette ?? 1) < 0.8);
    assert.equal(
      await page.locator("#tree-card [data-part='unstable'] [data-rank]").count(),
      unstable.length,
    );
    await page.locator("#tree-card [data-part='stable'] [data-rank='5']").first().click();
    await drawn(page);
    assert.equal(await shownRank(page), "5");
    assert.deepEqual(complaints, []);
    await close();
  });

  it("is saved with the columns of components.csv", async () => {
    const { page, close } = await open(browser, pageOf(survey()));
    const rows = parseCsv((await download(page, "#tree-card", "csv")).bytes.toString());
    assert.deepEqual(
      rows[0]?.join(","),
      "rank,component,members,silhouette,spread,usage,parent,parent_cosine",
    );
    assert.equal(rows.length, 78);
    assert.deepEqual(rows[5]?.slice(0, 3), ["3", "3", "18"]);
    assert.deepEqual(rows[5]?.slice(6), ["1", "0.6"]);
    await close();
  });
});
