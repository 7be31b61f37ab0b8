// SPDX-License-Identifier: MIT
// Reports that the program itself has written.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { curveData, launch, open } from "./browser";

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
});
