// SPDX-License-Identifier: MIT
// The command and the parameters in force.
import { button, el, type Child } from "./dom";
import { short } from "./format";

function shown(value: unknown): string {
  if (value === null || value === undefined) return "\u2013";
  if (typeof value === "number")
    return !Number.isInteger(value) && Math.abs(value) < 1e-4
      ? short(value, 6)
      : String(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
  if (Array.isArray(value)) return value.map(shown).join(", ") || "\u2013";
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}\u00a0${shown(part)}`)
    .join(", ");
}

export function commandBlock(command: string): HTMLElement {
  const code = el(
    "pre",
    { id: "command", tabindex: 0, "aria-label": "The command" },
    el("code", {}, command),
  );
  const copy = button(
    "Copy",
    () => {
      // A page from a file may not reach the clipboard; then the text is selected for the reader to copy.
      const select = () => getSelection()?.selectAllChildren(code);
      if (navigator.clipboard)
        navigator.clipboard.writeText(command).then(() => (copy.textContent = "Copied"), select);
      else select();
    },
    { "aria-label": "Copy the command" },
  );
  return el("div", { class: "command" }, code, copy);
}

export function reproduction(command: string, version: string, run: Record<string, unknown>): HTMLElement {
  const list = el(
    "dl",
    { class: "parameters", id: "parameters" },
    ...Object.entries(run)
      .filter(([name]) => name !== "notes" && name !== "message" && name !== "version")
      .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, shown(value)))),
  );
  const parts: Child[] = [];
  if (command) parts.push(commandBlock(command));
  parts.push(
    el(
      "p",
      {},
      `anmf ${version}. All parameters in force, and the outcome; \u2013 means that it does not apply.`,
    ),
  );
  parts.push(list);
  return el("div", {}, ...parts);
}
