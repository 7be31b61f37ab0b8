// SPDX-License-Identifier: MIT
// What a run minimised, in words. Shares of energy, bounds and residuals are notions of the squared distance alone.

export interface Loss {
  /** Least squares, of which pages speak without naming it. */
  squared: boolean;
  /** "the Kullback\u2013Leibler divergence". */
  name: string;
  /** "in the unit of the entries". */
  unit: string;
}

/** `name` is the loss as run.json has it: a name, or the number beta. */
export function lossOf(name: unknown): Loss {
  if (typeof name !== "string" || name === "frobenius")
    return { squared: true, name: "the squared distance", unit: "in the unit of the entries, squared" };
  if (name === "kullback-leibler")
    return {
      squared: false,
      name: "the Kullback\u2013Leibler divergence",
      unit: "in the unit of the entries (nats where they are counts)",
    };
  if (name === "itakura-saito")
    return { squared: false, name: "the Itakura\u2013Saito divergence", unit: "without a unit" };
  return {
    squared: false,
    name: `the \u03b2-divergence with \u03b2 = ${name}`,
    unit: `in the unit of the entries to the power ${name}`,
  };
}
