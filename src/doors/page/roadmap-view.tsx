import { graphlib, layout } from "@dagrejs/dagre";
import { useMemo } from "preact/hooks";
import type { PageAnswers } from "./page-answers.ts";
import { linkTo, useAnswer } from "./page-state.ts";
import { Answer, Badge, Empty, formatTokens, Table, type Tone, View } from "./page-elements.tsx";

type Feature = PageAnswers["roadmap.graph"]["features"][number];

/** A larger graph is a wall of lines; the table below shows all features. */
const MAX_DRAWN_FEATURES = 150;
const [NODE_WIDTH, NODE_HEIGHT] = [190, 52];

const PHASE_TONES: Readonly<Record<string, Tone>> = {
  blocked: "bad",
  "implementation-complete": "good",
  "design-generated": "warn",
};
/** In the words of people who do not know the records. */
const PHASE_NAMES: Readonly<Record<string, string>> = {
  initialized: "planned",
  "design-generated": "designed",
  "implementation-complete": "built",
};
const formatPhase = (phase: string): string => PHASE_NAMES[phase] ?? phase;
const getPhaseTone = (phase: string): Tone => PHASE_TONES[phase] ?? "plain";

export function RoadmapView() {
  const graph = useAnswer("roadmap.graph");
  return (
    <View
      title="Roadmap"
      about="Features in waves, and what each depends on. The bold path is the critical one: a delay there delays the end."
    >
      <Answer of={graph}>
        {({ features, forecast, spending, run, spent, cap }) =>
          features.length === 0 ? (
            <Empty command="tenon roadmap create">There is no roadmap yet.</Empty>
          ) : (
            <>
              <p>
                Run: <Badge tone={run === "on" ? "good" : "plain"}>{run}</Badge> Tokens: {formatTokens(spent)} spent
                {cap === null ? "" : ` of ${formatTokens(cap)}`}.
              </p>
              {features.length <= MAX_DRAWN_FEATURES ? (
                <FeatureGraph features={features} />
              ) : (
                <p class="quiet">
                  The graph of {features.length} features is too large to draw. The table has them all.
                </p>
              )}
              <Table
                caption="Forecast of the remaining work, by wave"
                columns={[
                  { name: "Wave", cell: ({ wave }) => wave },
                  { name: "Features left", cell: (row) => row.features },
                  {
                    name: "Features done",
                    cell: ({ wave }) =>
                      features.filter((each) => each.wave === wave && each.phase === "implementation-complete").length,
                  },
                  { name: "Agent runs", cell: ({ runs }) => `${runs.best} to ${runs.worst}` },
                  {
                    name: "Tokens",
                    cell: ({ tokens }) => `${formatTokens(tokens.best)} to ${formatTokens(tokens.worst)}`,
                  },
                ]}
                rows={forecast}
                keyOf={({ wave }) => String(wave)}
              />
              {spending.length > 0 && (
                <Table
                  caption="Forecast and actual tokens, by role"
                  columns={[
                    { name: "Role", cell: ({ role }) => role },
                    { name: "Agent runs", cell: ({ runs }) => runs },
                    { name: "Estimated", cell: ({ expected }) => formatTokens(expected) },
                    { name: "Used", cell: ({ actual }) => formatTokens(actual) },
                  ]}
                  rows={spending}
                  keyOf={({ role }) => role}
                />
              )}
              <Table
                caption="Features"
                columns={[
                  {
                    name: "Feature",
                    cell: ({ name }) => <a href={linkTo("documents", `sdd/features/${name}/design.md`)}>{name}</a>,
                  },
                  { name: "Wave", cell: ({ wave }) => wave ?? "alone" },
                  {
                    name: "Phase",
                    cell: ({ phase }) => <Badge tone={getPhaseTone(phase)}>{formatPhase(phase)}</Badge>,
                  },
                  { name: "Depends on", cell: ({ dependencies }) => dependencies.join(", ") },
                  { name: "Repeated steps", cell: ({ fixes }) => fixes },
                ]}
                rows={features.toSorted((a, b) => (a.wave ?? 0) - (b.wave ?? 0) || a.name.localeCompare(b.name))}
                keyOf={({ name }) => name}
              />
            </>
          )
        }
      </Answer>
    </View>
  );
}

function FeatureGraph({ features }: { features: readonly Feature[] }) {
  const drawn = useMemo(() => layOutFeatures(features), [features]);
  return (
    <div
      class="graph"
      tabIndex={0}
      role="region"
      aria-label="Dependencies of the features; the table below has the same facts"
    >
      <svg width={drawn.width} height={drawn.height} viewBox={`0 0 ${drawn.width} ${drawn.height}`} aria-hidden="true">
        {drawn.edges.map(({ id, path, isCritical }) => (
          <path key={id} d={path} class={isCritical ? "edge critical" : "edge"} />
        ))}
        {drawn.nodes.map(({ feature, x, y }) => (
          <g
            key={feature.name}
            transform={`translate(${x - NODE_WIDTH / 2} ${y - NODE_HEIGHT / 2})`}
            class={`node ${getPhaseTone(feature.phase)}`}
          >
            <rect width={NODE_WIDTH} height={NODE_HEIGHT} rx="6" class={feature.critical ? "critical" : ""} />
            <text x="10" y="22">
              {shortenLabel(feature.name)}
            </text>
            <text x="10" y="40" class="small">
              {shortenLabel(`${feature.wave === null ? "" : `wave ${feature.wave}, `}${formatPhase(feature.phase)}`)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}

const shortenLabel = (text: string): string => (text.length > 26 ? `${text.slice(0, 25)}…` : text);

interface Point {
  readonly x: number;
  readonly y: number;
}

/** What this view uses of a graph. The package's types name another package that has none. */
interface FeatureDrawing {
  setGraph(label: Readonly<Record<string, string | number>>): void;
  setNode(name: string, label: { width: number; height: number }): void;
  setEdge(from: string, to: string, label: object): void;
  graph(): { readonly width?: number; readonly height?: number };
  node(name: string): Point;
  edges(): readonly { readonly v: string; readonly w: string }[];
  edge(from: string, to: string): { readonly points: readonly Point[] };
}

function layOutFeatures(features: readonly Feature[]) {
  const graph = new graphlib.Graph() as FeatureDrawing;
  graph.setGraph({ rankdir: "LR", nodesep: 16, ranksep: 60, marginx: 8, marginy: 8 });
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  for (const { name } of features) graph.setNode(name, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { name, dependencies } of features)
    for (const other of dependencies) if (byName.has(other)) graph.setEdge(other, name, {});
  layout(graph as Parameters<typeof layout>[0]);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: features.map((feature) => ({ feature, ...graph.node(feature.name) })),
    edges: graph.edges().map(({ v, w }) => ({
      id: `${v} ${w}`,
      path: graph
        .edge(v, w)
        .points.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${x} ${y}`)
        .join(" "),
      isCritical: Boolean(byName.get(v)?.critical && byName.get(w)?.critical),
    })),
  };
}
