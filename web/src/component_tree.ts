// SPDX-License-Identifier: MIT
// How components split as there are more of them: each hangs on the one of the next smaller rank that it is most like.
import * as Plot from "@observablehq/plot";
import { chartCard } from "./chart_card";
import type { ComponentSummary, Maybe, Survey } from "./document";
import { el, section } from "./dom";
import { csvRow, percent, short, whole } from "./format";
import { axisNames, marginsFor, plotMargins, spaced, textWidth } from "./frame";
import { componentFields, stableFrom } from "./survey_words";

export interface TreeNode {
  summary: ComponentSummary;
  /** Where it stands, from 0 (top) to 1. */
  place: number;
  parent: TreeNode | null;
  name: string;
}

/** Below this a component has nothing to do with its parent. */
const related = 0.8;

/** Components below each other in the order of their parents, so that no two lines cross. */
export function treeOf({ ranks }: Survey): TreeNode[] {
  const all: TreeNode[] = [];
  let smaller: TreeNode[] = [];
  for (const { components, pictures } of ranks) {
    const nodes = components.map((summary): TreeNode => {
      const top = pictures?.parts?.components[summary.component - 1]?.top[0]?.name ?? "";
      const parent = smaller.find((node) => node.summary.component === summary.parent) ?? null;
      return { summary, place: 0, parent, name: top };
    });
    const cosine = (node: TreeNode) => node.summary.parent_cosine ?? 0;
    nodes.sort(
      (a, b) =>
        (a.parent?.place ?? 2) - (b.parent?.place ?? 2) ||
        cosine(b) - cosine(a) ||
        a.summary.component - b.summary.component,
    );
    nodes.forEach((node, k) => (node.place = (k + 0.5) / nodes.length));
    all.push(...nodes);
    smaller = nodes;
  }
  return all;
}

const isStable = (silhouette: Maybe) => silhouette === null || silhouette >= stableFrom;

function tip({ summary, name }: TreeNode, starts: number): string {
  const { rank, component, members, silhouette, usage, parent, parent_cosine: cosine } = summary;
  const lines = [`component ${component} of ${rank}${name ? `: ${name.slice(0, 40)}` : ""}`];
  lines.push(`members ${whole(members)}/${whole(starts)}, ${percent(usage)} of a sample`);
  if (silhouette !== null) lines.push(`stability ${short(silhouette, 2, true)}`);
  if (parent > 0) lines.push(`like ${parent} of the rank before, cosine ${short(cosine, 2, true)}`);
  return lines.join("\n");
}

function tagNodes(part: string, nodes: readonly TreeNode[]): Plot.RenderFunction {
  return (index, scales, values, dimensions, context, next) => {
    const group = next?.(index, scales, values, dimensions, context) ?? null;
    if (!group) return null;
    group.setAttribute("data-part", part);
    Array.from(group.children).forEach((mark, k) => {
      const node = nodes[index[k] ?? -1];
      if (!node) return;
      mark.setAttribute("data-rank", String(node.summary.rank));
      mark.setAttribute("data-component", String(node.summary.component));
      if (part === "link") mark.setAttribute("data-parent", String(node.summary.parent));
    });
    return group;
  };
}

function drawTree(
  report: Survey,
  nodes: readonly TreeNode[],
  show: (rank: number) => void,
  width: number,
): SVGSVGElement {
  const ranks = report.ranks.map(({ summary }) => summary.rank);
  const starts = new Map(report.ranks.map(({ summary }) => [summary.rank, summary.starts]));
  const [first = 1, last = 1] = [ranks[0], ranks[ranks.length - 1]];
  const most = Math.max(1, ...report.ranks.map(({ components }) => components.length));
  const height = Math.min(900, Math.max(220, 18 * most + 80));
  // The names of the last ones, where there is room.
  const end = nodes.filter((node) => node.summary.rank === last && node.name !== "");
  const cut = (name: string) => (name.length > 18 ? `${name.slice(0, 17)}\u2026` : name);
  const named = width >= 560 && end.length > 0 && (height - 70) / end.length >= 11;
  const margins = marginsFor(ranks.map(String), []);
  margins.left = Math.max(18, Math.ceil(textWidth(String(first))));
  if (named) margins.right = Math.ceil(Math.max(...end.map(({ name }) => textWidth(cut(name))))) + 24;
  const inner = width - margins.left - margins.right;
  const places = new Map(ranks.map((rank, k) => [rank, k]));
  const x = ({ summary }: TreeNode) => places.get(summary.rank) ?? 0;
  const gap = inner / Math.max(1, ranks.length - 1);
  const step = (height - margins.top - margins.bottom) / most;
  const largest = Math.max(1e-300, ...nodes.map(({ summary }) => summary.usage ?? 0));
  const widest = Math.min(9, Math.max(2.5, Math.min(0.3 * gap, 0.5 * step)));
  const r = ({ summary }: TreeNode) => Math.max(1.6, widest * Math.sqrt((summary.usage ?? 0) / largest));
  const links = nodes.filter(({ parent }) => parent !== null);
  const ticks = spaced(
    ranks.map((_, k) => k),
    (k) => String(ranks[k]),
    inner,
  );
  const stable = nodes.filter(({ summary }) => isStable(summary.silhouette));
  const unstable = nodes.filter(({ summary }) => !isStable(summary.silhouette));
  const suggested = places.get(report.suggestion.rank ?? -1);
  const look = { tickSize: 0, label: null };
  const text = (k: number) => String(ranks[k]);
  const svg = Plot.plot({
    width,
    height,
    ...plotMargins(margins),
    className: "plot",
    x: { domain: [0, Math.max(1, ranks.length - 1)], label: null },
    y: { domain: [1, 0], axis: null },
    marks: [
      ...(suggested === undefined
        ? []
        : [
            Plot.ruleX([suggested], { stroke: "var(--accent)", strokeWidth: 9, strokeOpacity: 0.22 }),
            Plot.axisX([suggested], { ...look, text, fontWeight: 700, fill: "var(--accent)" }),
          ]),
      Plot.axisX(
        ticks.filter((k) => k !== suggested),
        { ...look, text },
      ),
      ...axisNames("number of components", "", margins),
      Plot.link(links, {
        x1: (node: TreeNode) => x(node.parent ?? node),
        y1: (node: TreeNode) => node.parent?.place ?? 0,
        x2: x,
        y2: "place",
        stroke: "var(--muted)",
        strokeOpacity: 0.75,
        strokeWidth: (node: TreeNode) => 0.5 + 2.5 * Math.max(0, node.summary.parent_cosine ?? 0) ** 2,
        render: tagNodes("link", links),
      }),
      Plot.dot(stable, {
        x,
        y: "place",
        r: { value: r, scale: null },
        fill: "var(--curve-1)",
        stroke: "var(--card)",
        strokeWidth: 0.8,
        render: tagNodes("stable", stable),
      }),
      Plot.dot(unstable, {
        x,
        y: "place",
        r: { value: r, scale: null },
        fill: "var(--card)",
        stroke: "var(--curve-2)",
        strokeWidth: 1.6,
        render: tagNodes("unstable", unstable),
      }),
      ...(named
        ? [
            Plot.text(end, {
              x,
              y: "place",
              text: (node: TreeNode) => cut(node.name),
              textAnchor: "start",
              dx: 14,
              className: "tree-name",
            }),
          ]
        : []),
      Plot.tip(
        nodes,
        Plot.pointer({
          x,
          y: "place",
          maxRadius: 24,
          title: (node: TreeNode) => tip(node, starts.get(node.summary.rank) ?? 0),
        }),
      ),
    ],
  }) as SVGSVGElement & { value?: TreeNode | null };
  // The node whose tip is seen, which may lie below it.
  svg.addEventListener("click", () => {
    if (svg.value) show(svg.value.summary.rank);
  });
  return svg;
}

/** Null where there is but one rank, and so no tree. */
export function treeSection(report: Survey, show: (rank: number) => void): HTMLElement | null {
  const nodes = treeOf(report);
  if (nodes.every(({ parent }) => parent === null)) return null;
  const fresh = nodes.filter(
    ({ parent, summary }) => parent !== null && (summary.parent_cosine ?? 0) < related,
  ).length;
  const names = nodes.some(({ name }) => name !== "");
  return section(
    "tree",
    "How components split",
    chartCard({
      id: "tree-card",
      title: "The tree of components",
      subtitle: "Each component hangs on the one of the next smaller rank that it is most like",
      description: `Tree of ${nodes.length} components of ${report.ranks.length} ranks.`,
      draw: (width) => drawTree(report, nodes, show, width),
      csv: () =>
        csvRow(componentFields) +
        report.ranks
          .flatMap(({ components }) => components)
          .map((one) => csvRow(componentFields.map((field) => one[field])))
          .join(""),
      after: [
        el(
          "p",
          { class: "caption" },
          `Thick lines join components that are nearly the same (cosine 1), thin ones those that have little in common. The larger a point, the more a component is used; hollow ones are unstable (below ${stableFrom}). A component that goes straight through is found whatever their number; where a line forks, one was split in two. ${
            fresh > 0
              ? `${whole(fresh)} component${fresh === 1 ? " is" : "s are"} like none of the rank before (cosine below ${related}). `
              : ""
          }${names ? "Names are those of the strongest feature. " : ""}A click on a point shows its rank above.`,
        ),
      ],
    }).element,
  );
}
