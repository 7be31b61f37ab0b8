// SPDX-License-Identifier: MIT
// Numbers for people.

const thinSpace = "\u202f";
const minus = "\u2212";

/** 10304 -> "10 304". */
export function whole(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, thinSpace);
}

/** About four digits: 0.1234, 1.235e-7, 12 345; 0.5 may keep its zeros, 0.5000, where it stands below others. */
export function short(value: number | null | undefined, digits = 4, zeros = false): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "\u2013";
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (Number.isInteger(value) && size < 1e9) return whole(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa = "", exponent = ""] = value.toExponential(digits - 1).split("e");
    const trimmed = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return `${trimmed}e${exponent.replace("+", "").replace("-", minus)}`;
  }
  if (size >= 1000) return whole(value);
  const fixed = value.toPrecision(digits);
  return fixed.includes(".") && !zeros ? fixed.replace(/\.?0+$/, "") : fixed;
}

/** Two digits at least, so that small shares below each other can be told apart. */
export function percent(share: number | null): string {
  if (share === null) return "\u2013";
  if (share === 0) return `0${thinSpace}%`;
  if (share < 0.00995) return `${short(100 * share, 2, true)}${thinSpace}%`;
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}${thinSpace}%`;
}

/** Shares with the digits that tell them from 1, and from each other. */
export function shares(values: readonly number[]): string[] {
  const from = (gap: number) => (gap === 0 ? 1 : 2 - Math.floor(Math.log10(100 * gap)));
  const apart = Math.abs((values[0] ?? 0) - (values[1] ?? values[0] ?? 0));
  const wanted = [...values.map((value) => (value >= 1 ? 1 : from(1 - value))), from(apart) - 1];
  const digits = Math.min(6, Math.max(1, ...wanted));
  return values.map((value) => `${(100 * value).toFixed(digits)}${thinSpace}%`);
}

export function duration(seconds: number): string {
  if (seconds < 1) return `${short(seconds * 1000, 3)}${thinSpace}ms`;
  if (seconds < 120) return `${short(seconds, 3)}${thinSpace}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}${thinSpace}min ${Math.round(seconds - 60 * minutes)}${thinSpace}s`;
  return `${Math.floor(minutes / 60)}${thinSpace}h ${minutes % 60}${thinSpace}min`;
}

/** 24e9 -> "24 GB". */
export function bytes(count: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB", "PB"];
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit + 1 < units.length) {
    value /= 1000;
    ++unit;
  }
  return `${short(value, 3)}${thinSpace}${units[unit]}`;
}

/** 7094 x 41681 with the sign for "times". */
export function size(rows: number, cols: number): string {
  return `${whole(rows)}${thinSpace}\u00d7${thinSpace}${whole(cols)}`;
}

/** One row of a CSV file; numbers keep all their digits. */
export function csvRow(fields: readonly (string | number | null | undefined)[]): string {
  const texts = fields.map((field) => {
    if (field === null || field === undefined) return "";
    if (typeof field === "number") return String(field);
    // A spreadsheet would run a text that begins like a formula.
    const text = /^[=+\-@\t\r]/.test(field) ? `'${field}` : field;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${texts.join(",")}\n`;
}

/** A name that every file system takes. */
export function fileName(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 60) || "chart"
  );
}
