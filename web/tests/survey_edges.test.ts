// SPDX-License-Identifier: MIT
// Surveys of which there is little to show, or very much, on every screen and on paper.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import type { Survey } from "../src/document";
import { drawn, launch, open, pageOf } from "./browser";
import { survey } from "./survey_fixture";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(async () => browser.close());

const empty = { heldout: { number: [], relative_error: [], status: [] } };

/** Everything that may be missing is missing. */
function nothing(report: Survey): Survey {
  for (const rank of report.ranks) {
    Object.assign(rank, empty, {
      starts: { number: [0, 1], relative_error: [null, null], status: ["failed", "failed"] },
      components: [],
      pictures: null,
    });
    for (const [name, value] of Object.entries(rank.summary))
      if (typeof value === "number" && name !== "rank") Object.assign(rank.summary, { [name]: null });
    Object.assign(rank.summary, { starts: 0, converged: 0, outliers: 0, failed: 2, seconds: null });
  }
  report.suggestion = {
    rank: null,
    rule: "heldout-1",
    reasons: ["No rank could be judged."],
    alternatives: [],
    edge: false,
  };
  report.failed = { count: 2, jobs: [{ rank: 2, kind: "start", number: 0, message: "No memory." }] };
  report.stopped = true;
  return report;
}

function withoutPictures(): Survey {
  const report = survey();
  for (const rank of report.ranks) rank.pictures = null;
  return report;
}

/** Pictures whose parts are all absent. */
function withBarePictures(): Survey {
  const report = survey();
  for (const rank of report.ranks)
    rank.pictures = { notes: [], distances: null, density: null, consensus: null, parts: null };
  return report;
}

function withEqualSpectra(): Survey {
  const report = survey();
  for (const { pictures } of report.ranks) {
    if (pictures?.density) Object.assign(pictures.density, { most: 0, threshold: null, beyond: 0 });
    if (pictures?.distances) Object.assign(pictures.distances, { max: 0.01 });
  }
  return report;
}

function withLeftOutSpectra(): Survey {
  const report = survey({ ranks: [4], suggested: 4, map: 40 });
  const distances = report.ranks[0]?.pictures?.distances;
  if (distances) {
    distances.groups.forEach((group) => (group.pixels = 9));
    distances.groups.push({ component: 0, spectra: 7, pixels: 4 });
  }
  return report;
}

const noRank = survey();
noRank.ranks = [];
noRank.suggestion = {
  rank: null,
  rule: "heldout-1",
  reasons: ["No rank was looked at."],
  alternatives: [],
  edge: false,
};

const otherLoss = survey({ ranks: [3], suggested: 3 });
otherLoss.survey.key["loss"] = "kullback-leibler";

const cases: [string, Survey, RegExp][] = [
  ["without a rank", noRank, /no rank has been looked at yet/],
  ["of failed jobs only", nothing(survey()), /None|No start of this rank is done\. 2 failed\./],
  ["of one rank", survey({ ranks: [9] }), /20 starts with 9 components of/],
  ["of rank 1", survey({ ranks: [1], suggested: 1 }), /1 component is suggested\./],
  ["of one start", survey({ starts: 1 }), /1 start with 2 to 12 components each/],
  [
    "of one start of rank 1",
    survey({ ranks: [1], starts: 1, suggested: null }),
    /1 start with 1 component of/,
  ],
  ["without entries held out", survey({ heldout: false }), /No entries were held out/],
  ["of another loss", otherLoss, /explains 73 % of what a single component leaves/],
  ["without pictures", withoutPictures(), /Pictures of this rank are not there/],
  ["with pictures that are bare", withBarePictures(), /It takes several starts/],
  ["with equal spectra", withEqualSpectra(), /All 180 spectra are equal/],
  ["with spectra left out", withLeftOutSpectra(), /The last group, \u2013, was left out/],
  [
    "of ranks far apart",
    survey({ ranks: [5, 10, 20, 40], suggested: 10 }),
    /with 5, 10, 20 and 40 components each/,
  ],
];

describe("a survey", () => {
  for (const [name, report, words] of cases) {
    it(`${name} is drawn without complaint, and fits a telephone`, async () => {
      const { page, complaints, close } = await open(browser, pageOf(report), {
        viewport: { width: 390, height: 844 },
      });
      assert.match((await page.locator("#page").innerText()).replaceAll("\u202f", " "), words);
      const html = await page.locator("#page").innerHTML();
      assert.doesNotMatch(html, /NaN|undefined|Infinity|\bnull\b/);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
      assert.deepEqual(complaints, []);
      await close();
    });
  }
});

describe("a survey of 20 ranks x 200 starts", () => {
  const large = () =>
    survey({ ranks: Array.from({ length: 20 }, (_, k) => k + 2), starts: 200, map: 387, images: true });

  it("is a page of a few megabytes that draws one rank only, and each when it is asked for", async () => {
    const html = pageOf(large());
    assert.ok(html.length < 6e6, `${html.length} bytes`);
    const { page, complaints, close } = await open(browser, html);
    // The charts of all ranks, the tree, and one rank with its maps.
    assert.equal(await page.locator(".chart").count(), 3 + 4 + 1);
    assert.equal(await page.locator("#gallery canvas").count(), 9);
    assert.equal(await page.locator("#tree-card [data-part='link'] path").count(), 228);
    await page.locator("#rank-chooser input[value='21']").check();
    await drawn(page);
    assert.equal(await page.locator("#gallery canvas").count(), 21);
    assert.equal(await page.locator("#starts :is(circle, .unfinished path)").count(), 200);
    assert.deepEqual(complaints, []);
    await close();
  });

  it("fits a telephone, dark, with all ranks within reach", async () => {
    const { page, close } = await open(browser, pageOf(large()), {
      viewport: { width: 390, height: 844 },
      colorScheme: "dark",
    });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    const outside = await page
      .locator("#rank-chooser label")
      .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right > 390).length);
    assert.equal(outside, 0);
    await close();
  });
});

describe("the maps of a survey", () => {
  it("are drawn anew in the colours of the theme", async () => {
    const { page, close } = await open(browser, pageOf(survey()), { colorScheme: "light" });
    const href = () => page.locator("#clustergram .chart image").getAttribute("href");
    const light = await href();
    await page.locator("#theme").click();
    const dark = await href();
    assert.notEqual(dark, light);
    await page.locator("#theme").click();
    assert.equal(await href(), light);
    await close();
  });
});

describe("a survey on paper", () => {
  it("has the reasons, the charts, the table and the rank that is open, and nothing to press", async () => {
    const { page, close } = await open(browser, pageOf(survey()), { colorScheme: "dark" });
    const screen = await page.locator("#consensus .chart image").getAttribute("href");
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 718, height: 1000 }); // A4 less its margins
    await drawn(page);
    for (const part of [
      "#summary",
      "#reasons",
      "#heldout svg",
      "#stability svg",
      "#training svg",
      "#gallery",
    ])
      assert.ok(await page.locator(part).first().isVisible(), part);
    for (const part of [
      "#clustergram svg",
      "#consensus svg",
      "#density svg",
      "#starts svg",
      "#tree-card svg",
    ])
      assert.ok(await page.locator(part).first().isVisible(), part);
    assert.equal(await page.locator("#page :is(button, input, select):visible").count(), 0);
    // The first column has its numbers all the same, and the table is as wide as the paper.
    const row = await page.locator('#rank-table tr[data-rank="9"]').innerText();
    assert.match(row, /^9\s+suggested\s+0\.400/);
    const table = await page.locator("#rank-table").boundingBox();
    assert.ok((table?.x ?? 0) + (table?.width ?? 0) <= 718, JSON.stringify(table));
    // Paper is light.
    assert.notEqual(await page.locator("#consensus .chart image").getAttribute("href"), screen);
    await close();
  });
});
