// SPDX-License-Identifier: MIT
// Bundles the page into one HTML file without its data, and that file into a C++ source.
// Usage: node build.mjs OUTPUT-FOLDER
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

async function bundle(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    legalComments: "none", // all licences are added in full below
    format: "iife",
    target: "es2020",
  });
  return { text: result.outputFiles[0].text.trim(), inputs: Object.keys(result.metafile.inputs) };
}

/** The licences of the packages that went into the bundle ask to travel with it. */
function licences(inputs) {
  const packages = new Set();
  for (const input of inputs) {
    const found = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  const namesByText = new Map();
  for (const name of [...packages].sort()) {
    const folder = join(here, "node_modules", name);
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"]
      .map((f) => join(folder, f))
      .find(existsSync);
    if (!file) throw new Error(`${name} has no licence file`);
    const text = readFileSync(file, "utf8").trim().replaceAll("--", "- -");
    namesByText.set(text, [...(namesByText.get(text) ?? []), name]);
  }
  return [...namesByText].map(([text, names]) => `${names.join(", ")}:\n${text}`).join("\n\n");
}

async function page() {
  const script = await bundle("src/main.ts");
  const style = await bundle("src/style.css");
  if (/<\/(script|style)/i.test(script.text + style.text))
    throw new Error("the bundle would end its own tag");
  const hash = createHash("sha256").update(script.text).digest("base64");
  const parts = {
    // Only this very script may run, whatever the data say, and nothing may be fetched.
    policy: `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:`,
    style: style.text,
    script: script.text,
    licences: licences(script.inputs),
  };
  const frame = readFileSync(join(here, "src/page.html"), "utf8");
  for (const name of [...Object.keys(parts), "data"]) {
    if (frame.split(`{{${name}}}`).length !== 2) throw new Error(`page.html must have one place for ${name}`);
  }
  return frame.replace(/\{\{(policy|style|script|licences)\}\}/g, (_, name) => parts[name]);
}

/** Raw string literals in pieces that every compiler takes; they compile in an instant, unlike arrays. */
function cppSource(html) {
  const piece = 8000;
  const literals = [];
  for (let at = 0; at < html.length; at += piece)
    literals.push(`R"~page~(${html.slice(at, at + piece)})~page~"`);
  // A piece must not end within a character.
  if (/[\ud800-\udfff]/.test(html)) throw new Error("the page has characters that take two UTF-16 units");
  if (html.includes(')~page~"')) throw new Error("the page contains the mark that ends a literal");
  return `// Made by web/build.mjs.
#include "report_template.h"

namespace anmf::report {

std::string_view report_template() {
  using namespace std::string_view_literals;
  return ${literals.join("\n")}sv;
}

}  // namespace anmf::report
`;
}

const folder = process.argv[2];
if (!folder) throw new Error("usage: node build.mjs OUTPUT-FOLDER");
mkdirSync(folder, { recursive: true });
const html = await page();
writeFileSync(join(folder, "report_template.html"), html);
writeFileSync(join(folder, "report_template.cpp"), cppSource(html));
