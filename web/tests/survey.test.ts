// SPDX-License-Identifier: MIT
// The page of a survey: which rank, and the tables.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { download, launch, open, pageOf, parseCsv } from "./browser";
import { errorOf, heldoutAt, standardErrorAt, survey, truth } from "./survey_fixture";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(async () => browser.close());

const plain = (text: string) => text.replaceAll("\u202f", " ").replaceAll("\u2212", "-");

interface Mark {
  rank: number;
  value: number;
  x: number;
  y: number;
  height: number;
}

/** The marks of a chart with their numbers, and where they are on the screen. */
const marks = (page: Page, chart: string, part: string, label?: string): Promise<Mark[]> =>
  page
    .locator(`${chart} [data-part="${part}"]${label ? `[data-label="${label}"]` : ""} [data-rank]`)
    .evaluateAll((all) =>
      all.map((mark) => {
        const box = mark.getBoundingClientRect();
        return {
          rank: Number(mark.getAttribute("data-rank")),
          value: Number(mark.getAttribute("data-value")),
          x: box.left + box.width / 2,
          y: box.top + box.height / 2,
          height: box.height,
        };
      }),
    );

/** That places go with numbers along a straight line, within half a pixel; gives pixels for 1. */
function slope(numbers: readonly number[], places: readonly number[]): number {
  const [a = 0, b = 0] = [numbers.indexOf(Math.min(...numbers)), numbers.indexOf(Math.max(...numbers))];
  const scale = ((places[b] ?? 0) - (places[a] ?? 0)) / ((numbers[b] ?? 0) - (numbers[a] ?? 0));
  numbers.forEach((number, k) => {
    const expected = (places[a] ?? 0) + scale * (number - (numbers[a] ?? 0));
    assert.ok(Math.abs((places[k] ?? 0) - expected) < 0.5, `${number} is at ${places[k]}, not ${expected}`);
  });
  return scale;
}

describe("the suggestion", () => {
  it("is said in words with its reasons", async () => {
    const { page, complaints, close } = await open(browser, pageOf(survey()));
    assert.equal(
      plain(await page.locator("#summary").innerText()),
      "9 components are suggested. 20 starts with 2 to 12 components each of a 3 000 \u00d7 2 000 matrix (cells.h5ad) (5 min 30 s).",
    );
    assert.equal(await page.locator("#reasons li").count(), 2);
    assert.match(await page.locator("#marks").innerText(), /stripe marks rank 9.*worth a look: 8 and 10\.$/);
    assert.deepEqual(complaints, []);
    await close();
  });

  it("may be undecided, or nothing at all", async () => {
    const report = survey({ suggested: null });
    const words = async () => {
      const { page, close } = await open(browser, pageOf(report));
      const text = await page.locator("#summary strong").innerText();
      const stripes = await page.locator('#heldout [data-part="suggested"] > *').count();
      await close();
      return [text, stripes];
    };
    assert.deepEqual(await words(), ["Undecided: 8 and 10 components may be right.", 0]);
    report.suggestion.alternatives = [6, 2, 5, 3, 4, 9];
    assert.deepEqual(await words(), ["Undecided: 2 to 6 and 9 components may be right.", 0]);
    report.suggestion.alternatives = [5];
    assert.match(String((await words())[0]), /^Undecided: rank 5 is worth a look/);
    report.suggestion.alternatives = [];
    assert.deepEqual(await words(), ["No number of components is suggested.", 0]);
  });
});

describe("the charts over the ranks", () => {
  for (const width of [1400, 390]) {
    it(`have their marks where the numbers are, at ${width} pixels`, async () => {
      const { page, close } = await open(browser, pageOf(survey()), { viewport: { width, height: 900 } });
      const held = await marks(page, "#heldout", "point");
      assert.equal(held.length, 11);
      for (const { rank, value } of held) assert.equal(value, heldoutAt(rank));
      const across = slope(
        held.map(({ rank }) => rank),
        held.map(({ x }) => x),
      );
      const up = slope(
        held.map(({ value }) => value),
        held.map(({ y }) => y),
      );
      assert.ok(across > 10 && up < 0);
      // Bars of one standard error to either side.
      const bars = await marks(page, "#heldout", "spread");
      assert.equal(bars.length, 11);
      for (const { rank, height } of bars)
        assert.ok(Math.abs(height - 2 * standardErrorAt(rank) * -up) < 2, `${rank}: ${height}`);
      // Ranks stand below each other in all charts.
      for (const [chart, label] of [
        ["#stability", "worst component"],
        ["#training", undefined],
      ] as const) {
        const below = await marks(page, chart, "point", label);
        below.forEach(({ x, rank }, k) => {
          assert.equal(rank, held[k]?.rank);
          assert.ok(Math.abs(x - (held[k]?.x ?? 0)) < 0.5, `${chart} ${rank}`);
        });
      }
      const training = await marks(page, "#training", "point");
      for (const { rank, value } of training) {
        // 20 starts: the middle is between the tenth and the eleventh.
        const errors = Array.from({ length: 20 }, (_, k) => errorOf(rank, k)).sort((a, b) => a - b);
        assert.equal(value, ((errors[9] ?? 0) + (errors[10] ?? 0)) / 2);
      }
      // The stripe is where rank 9 is.
      const stripe = (await marks(page, "#heldout", "suggested"))[0];
      assert.equal(stripe?.rank, truth);
      assert.ok(Math.abs((stripe?.x ?? 0) - (held[truth - 2]?.x ?? 0)) < 0.5);
      assert.deepEqual(
        (await marks(page, "#stability", "alternative")).map(({ rank }) => rank),
        [8, 10],
      );
      await close();
    });
  }

  it("leave a gap where a number is missing", async () => {
    const report = survey();
    for (const { summary } of report.ranks.slice(3, 5)) {
      summary.heldout = null;
      summary.heldout_se = null;
    }
    report.ranks[7]!.summary.heldout_se = null;
    const { page, complaints, close } = await open(browser, pageOf(report));
    assert.equal((await marks(page, "#heldout", "point")).length, 9);
    assert.equal((await marks(page, "#heldout", "spread")).length, 8);
    const path = (await page.locator('#heldout [data-part="line"] path').getAttribute("d")) ?? "";
    assert.equal(path.split("M").length - 1, 2);
    assert.doesNotMatch(path, /NaN/);
    assert.deepEqual(complaints, []);
    await close();
  });

  it("show bi-cross-validation where it was made", async () => {
    const report = survey();
    report.ranks.forEach(({ summary }) => (summary.bcv = 0.7));
    const { page, close } = await open(browser, pageOf(report));
    assert.equal((await marks(page, "#heldout", "point", "bi-cross-validation")).length, 11);
    assert.match(await page.locator("#heldout .caption").innerText(), /for comparison only/);
    await close();
  });

  it("give their numbers as CSV", async () => {
    const { page, close } = await open(browser, pageOf(survey()));
    const { bytes } = await download(page, "#heldout", "csv");
    const rows = parseCsv(bytes.toString());
    assert.deepEqual(rows[0], ["rank", "heldout", "heldout_se", "bcv"]);
    assert.deepEqual(rows[1], ["2", String(heldoutAt(2)), String(standardErrorAt(2)), ""]);
    await close();
  });
});

describe("figures of a survey that are saved", () => {
  it("stand alone in light colours, also from a dark page", async () => {
    const { page, close } = await open(browser, pageOf(survey()), { colorScheme: "dark" });
    const alone = await browser.newPage();
    for (const chart of ["#heldout", "#clustergram", "#consensus", "#density", "#starts", "#tree-card"]) {
      const svg = (await download(page, chart, "svg")).bytes.toString();
      assert.match(svg, /^<svg /, chart);
      assert.doesNotMatch(svg, /var\(--(?!plot)/, chart);
      await alone.setContent(svg);
      const [drawing] = await alone.locator("svg").evaluateAll((all) =>
        all.map((one) => ({
          width: one.getBoundingClientRect().width,
          marks: one.querySelectorAll("circle, path, line, rect, image").length,
          // Ends of bars are markers by name.
          lost: [...one.querySelectorAll("[marker-end]")].filter((mark) => {
            const name = /#([^)"]+)/.exec(mark.getAttribute("marker-end") ?? "")?.[1] ?? "";
            return document.getElementById(name) === null;
          }).length,
        })),
      );
      assert.ok((drawing?.width ?? 0) > 300 && (drawing?.marks ?? 0) > 0 && drawing?.lost === 0, chart);
    }
    // Pictures, too: samples that never go together are as light as the paper.
    const corner = async () => {
      const svg = (await download(page, "#consensus", "svg")).bytes.toString();
      return alone.evaluate(
        async (source) => {
          const picture = new Image();
          picture.src = source;
          await picture.decode();
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [picture.width, picture.height];
          const context = canvas.getContext("2d");
          context?.drawImage(picture, 0, 0);
          return context?.getImageData(picture.width - 1, 0, 1, 1).data[0] ?? -1;
        },
        /href="(data:image\/png[^"]+)"/.exec(svg)?.[1] ?? "",
      );
    };
    assert.ok((await corner()) > 200);
    await alone.close();
    await close();
  });
});

describe("the table of all ranks", () => {
  it("has the numbers, and marks the suggested rank", async () => {
    const { page, close } = await open(browser, pageOf(survey()));
    const row = page.locator(`#rank-table tr[data-rank="${truth}"]`);
    const value = async (column: string) => plain(await row.locator(`[data-column="${column}"]`).innerText());
    assert.equal(await value("heldout"), "0.400");
    assert.equal(await value("heldout_se"), "0.014");
    assert.equal(await value("explained"), "91 %");
    assert.equal(await value("error_median"), "31");
    assert.match(await row.locator("th").innerText(), /9\s*suggested/);
    assert.equal(await page.locator("#rank-table tr.suggested").count(), 1);
    // Nothing is known of it at any rank.
    assert.equal(await page.locator('#rank-table [data-column="bcv"]').count(), 0);
    await close();
  });

  it("is saved with the columns of survey.csv", async () => {
    const { page, close } = await open(browser, pageOf(survey()));
    const rows = parseCsv((await download(page, "#ranks", "csv")).bytes.toString());
    assert.equal(
      rows[0]?.join(","),
      "rank,starts,failed,converged,error_best,error_median,error_worst,explained,silhouette,silhouette_min,silhouette_cosine,instability,cophenetic,dispersion,sparseness_w,sparseness_h,consensus_error,heldout,heldout_se,bcv,outliers,seconds,suggested",
    );
    assert.equal(rows.length, 12);
    assert.deepEqual(rows[8]?.slice(-6), ["0.4", String(standardErrorAt(truth)), "", "0", "112.5", "true"]);
    await close();
  });

  it("is followed by the jobs that failed", async () => {
    const report = survey();
    report.failed = {
      count: 30,
      jobs: [{ rank: 7, kind: "heldout", number: 3, message: "<b>no memory</b>" }],
    };
    const { page, close } = await open(browser, pageOf(report));
    assert.match(await page.locator("#some-failed").innerText(), /^30 jobs failed/);
    const cells = await page.locator("#failed-table tbody tr").first().locator("th, td").allInnerTexts();
    assert.deepEqual(cells, ["7", "held-out repeat 3", "<b>no memory</b>"]);
    assert.match(await page.locator("#failed").innerText(), /the first 1, jobs\.csv has all/);
    await close();
  });
});
