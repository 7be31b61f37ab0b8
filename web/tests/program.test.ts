// SPDX-License-Identifier: MIT
// Reports that the program itself has written.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { curveData, download, drawn, launch, open, parseCsv } from "./browser";

const program = process.env["ANMF_PROGRAM"] ?? "";
let browser: Browser;
let folder: string;

describe("the program's own report", { skip: program ? false : "ANMF_PROGRAM names no program" }, () => {
  before(async () => {
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), "anmf-run-"));
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  it("of the demo shows the torso and every limb on its own", async () => {
    execFileSync(program, ["demo", "--out", "demo"], { cwd: folder });
    const { page, complaints, close } = await open(
      browser,
      readFileSync(join(folder, "demo/report.html"), "utf8"),
    );
    const inked = await page.locator("#gallery canvas").evaluateAll((canvases) =>
      canvases.map((element) => {
        const canvas = element as HTMLCanvasElement;
        const data = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
        return Array.from({ length: canvas.width * canvas.height }, (_, pixel) => pixel).filter(
          (pixel) => (data[4 * pixel] ?? 255) < 140,
        );
      }),
    );
    assert.equal(inked.length, 17);
    for (const pixels of inked) assert.ok(pixels.length >= 15);
    // No two parts of the swimmer share a pixel, so no two components may.
    const all = inked.flat();
    assert.equal(new Set(all).size, all.length);
    const run = JSON.parse(readFileSync(join(folder, "demo/run.json"), "utf8")) as {
      iterations: number;
      relative_error: number;
    };
    assert.deepEqual(await curveData(page, "#error", "relative error"), {
      points: run.iterations,
      x: run.iterations,
      y: run.relative_error,
    });
    assert.deepEqual(complaints, []);
    await close();
  });

  it("of a factorization keeps hostile names as text", async () => {
    const names = ["</script><script>window.harmed = 1</script>", "<b>bold</b>", "plain"];
    writeFileSync(join(folder, "m.mtx"), "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n");
    writeFileSync(join(folder, "names.txt"), `${names.join("\n")}\n`);
    execFileSync(
      program,
      ["factorize", "m.mtx", "--rank", "1", "--feature-names", "names.txt", "--out", "out"],
      { cwd: folder },
    );
    const { page, complaints, close } = await open(
      browser,
      readFileSync(join(folder, "out/report.html"), "utf8"),
    );
    // The same names stand in more than one place; every time as they are.
    const shown = (await page.locator(".features .name").allTextContents()).filter((text) => text !== "");
    assert.deepEqual(shown.slice(0, 3), ["plain", names[1], names[0]]);
    assert.deepEqual(new Set(shown), new Set(names));
    assert.equal(await page.evaluate(() => "harmed" in window), false);
    assert.deepEqual(complaints, []);
    await close();
  });

  it("of a survey has the numbers of its tables", async () => {
    // As numbers: 1e-09 and 1e-9 are the same.
    const read = (text: string) =>
      parseCsv(text).map((row) =>
        row.map((field) => (field !== "" && Number.isFinite(Number(field)) ? Number(field) : field)),
      );
    // Three blocks of different heights, so that the rank is 3.
    const rows = Array.from({ length: 24 }, (_, i) =>
      Array.from({ length: 12 }, (_unused, j) => (i % 3 === j % 3 ? 3 + ((i * 5 + j * 7) % 4) : (i * j) % 2)),
    );
    writeFileSync(join(folder, "blocks.csv"), `${rows.map((row) => row.join(",")).join("\n")}\n`);
    const names = rows[0]?.map((_, j) => `<i>gene ${j}</i>`) ?? [];
    writeFileSync(join(folder, "genes.txt"), `${names.join("\n")}\n`);
    const options = ["--ranks", "1-4", "--starts", "10", "--feature-names", "genes.txt", "--out", "survey"];
    execFileSync(program, ["survey", "blocks.csv", ...options], { cwd: folder });
    const table = read(readFileSync(join(folder, "survey/survey.csv"), "utf8"));
    const { page, complaints, close } = await open(
      browser,
      readFileSync(join(folder, "survey/report.html"), "utf8"),
    );
    assert.deepEqual(read((await download(page, "#ranks", "csv")).bytes.toString()), table);
    const column = (name: string) => {
      const at = table[0]?.indexOf(name) ?? -1;
      return table.slice(1).map((row) => Number(row[at]));
    };
    const drawnValues = await page
      .locator('#heldout [data-part="point"] [data-rank]')
      .evaluateAll((marks) => marks.map((mark) => Number(mark.getAttribute("data-value"))));
    assert.deepEqual(drawnValues, column("heldout"));
    const components = read(readFileSync(join(folder, "survey/components.csv"), "utf8"));
    assert.deepEqual(read((await download(page, "#tree-card", "csv")).bytes.toString()), components);
    for (const rank of [4, 1]) {
      await page.locator(`#rank-chooser input[value="${rank}"]`).check();
      await drawn(page);
      assert.equal(await page.locator("#gallery > li").count(), rank);
      assert.equal(await page.locator("#starts circle").count(), 10);
      const shown = await page.locator("#gallery .features .name").allInnerTexts();
      assert.ok(shown.length > 0 && shown.every((name) => names.includes(name)), shown.join());
    }
    assert.deepEqual(complaints, []);
    await close();
  });
});
