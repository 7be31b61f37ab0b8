// SPDX-License-Identifier: MIT
// A real browser with a report in it, opened from a file as a reader would.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import type { Report } from "../src/document";

const template = join(process.cwd(), ".tests", "report_template.html");

export async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** The same that report_page() does in C++. */
export function pageOf(report: Report): string {
  const json = JSON.stringify(report).replaceAll("<", "\\u003c");
  return readFileSync(template, "utf8").replace("{{data}}", () => json);
}

export interface OpenedPage {
  page: Page;
  /** Errors on the console, exceptions, and requests for anything but the file itself. */
  complaints: string[];
  close: () => Promise<void>;
}

export async function open(
  browser: Browser,
  html: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const folder = mkdtempSync(join(tmpdir(), "anmf-page-"));
  const file = join(folder, "report.html");
  writeFileSync(file, html);
  const url = pathToFileURL(file).href;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
    acceptDownloads: true,
    ...options,
  });
  context.setDefaultTimeout(120_000); // a busy machine is no failure
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:") && !request.url().startsWith("blob:"))
      complaints.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  await drawn(page);
  const close = async () => {
    await context.close();
    rmSync(folder, { recursive: true });
  };
  return { page, complaints, close };
}

/** Waits until every chart is there. */
export async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const charts = [...document.querySelectorAll(".chart")];
    return (
      document.querySelector("#page[data-drawn]") !== null &&
      charts.every((chart) => chart.querySelector("svg") !== null)
    );
  });
}

/** What a save button gives. */
export async function download(
  page: Page,
  chart: string,
  kind: "svg" | "png" | "csv",
): Promise<{ name: string; bytes: Buffer }> {
  const waiting = page.waitForEvent("download");
  await page.locator(`${chart} [data-save="${kind}"]`).first().click();
  const file = await waiting;
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

export function parseCsv(text: string): string[][] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(","));
}

/** The attributes that a curve of a chart carries. */
export async function curveData(
  page: Page,
  chart: string,
  label: string,
): Promise<{ points: number; x: number; y: number }> {
  const line = page.locator(`${chart} .curve[data-part="line"][data-label="${label}"]`);
  const read = async (name: string) => Number(await line.getAttribute(name));
  return { points: await read("data-points"), x: await read("data-last-x"), y: await read("data-last-y") };
}
