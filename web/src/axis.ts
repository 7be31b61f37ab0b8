// SPDX-License-Identifier: MIT
// Where an axis has its ticks, and what they say.
import { short } from "./format";

export interface Axis {
  ticks: number[];
  format: (value: number) => string;
}

/** Multiples of 1, 2 or 5 times a power of ten within [low, high], about `count` of them. */
export function plainTicks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const ticks: number[] = [];
  // Whole multiples, rounded to the digits of the step, so that 0.30000000000000004 cannot appear.
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-12); ++k)
    ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

/** Powers of ten, with 2 and 5 between them where there are few; plain ticks within less than that. */
export function logTicks(low: number, high: number, count: number): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const within = (ticks: number[]) =>
    ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
  const exponents = Array.from({ length: last - first + 1 }, (_, k) => first + k);
  const power = (exponent: number) => Number(`1e${exponent}`);
  const powers = within(exponents.map(power));
  if (powers.length >= 3) {
    const stride = Math.ceil(powers.length / count);
    return powers.filter((_, k) => k % stride === 0);
  }
  const finer = within(exponents.flatMap((e) => [power(e), 2 * power(e), 5 * power(e)]));
  return finer.length >= 3 ? finer : plainTicks(low, high, count);
}

const units: readonly (readonly [number, string])[] = [
  [1e15, " P"],
  [1e12, " T"],
  [1e9, " G"],
  [1e6, " M"],
];

export function axis(log: boolean, [low, high]: readonly [number, number], count: number): Axis {
  const ticks = log ? logTicks(low, high, count) : plainTicks(low, high, count);
  const spacing = ticks.length > 1 ? Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0)) : 0;
  // As many digits as it takes to tell neighbours apart.
  const digits = spacing > 0 ? Math.ceil(Math.log10(Math.abs(high) / spacing)) + 1 : 3;
  // Large numbers, flops that is, share one unit on a plain axis.
  const [scale, unit] = (!log && units.find(([size]) => high >= size)) || [1, ""];
  return {
    ticks,
    format: (value) => (value === 0 ? "0" : short(value / scale, Math.min(12, Math.max(3, digits))) + unit),
  };
}
