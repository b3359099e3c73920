import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import { formatPageLine } from "#kernel/model/page.ts";
import {
  compareRoadmapPosition,
  findFoundationFeatures,
  computeDependencyLevels,
  type PlannedFeature,
  listPlannedFeatures,
} from "./dependency-graph.ts";
import type { Lead } from "./lead/lead-state.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { findFileOverlaps } from "./file-ownership.ts";

/** Built from records only, so the page is the same on every machine. */
export type RoadmapPageSource = Pick<Lead, "features" | "waves">;

const PAGE_NOTICE = [
  "Tenon makes this page from the records in `sdd/features` and `sdd/waves`, whole, each time one of them changes.",
  "Nobody reads it back: what is written here by hand is lost.",
].join("\n");
const FEATURE_FLOW = "Each feature: design → design review → tasks → implementation → implementation review.";
const WAVE_FLOW = "Each wave ends with its gate: cross-check → dead code → commit.";
/** Mermaid's default limit. */
const MAX_GRAPH_EDGES = 500;

/** Formats `roadmap.md`. The same records give the same bytes. */
export function formatRoadmapPage(shown: RoadmapPageSource): string {
  const records = [...shown.features.values()].toSorted(compareRoadmapPosition);
  const planned = records.filter(({ roadmap }) => roadmap !== null);
  const alone = records.filter(({ roadmap }) => roadmap === null);
  const waves = analyzeWaveParallelism(planned);
  const blocks = [
    "# Roadmap",
    PAGE_NOTICE,
    formatRoadmapHeader(shown, planned, waves),
    ...(planned.length > 0 ? ["## Waves", ...waves.flatMap((wave) => formatWaveSection(shown, wave))] : []),
    ...(alone.length > 0 ? ["## Features that stand alone", formatFeatureTable(alone)] : []),
    ...(planned.length > 0 ? formatPlanSections(shown, waves, planned) : []),
    ...formatBlockedSection(records),
  ];
  return `${blocks.join("\n\n")}\n`;
}

const formatPlanSections = (
  shown: RoadmapPageSource,
  waves: readonly WaveParallelism[],
  planned: readonly FeatureRecord[],
): string[] => [
  "## Dependencies",
  formatDependencyGraph(planned),
  "## Execution Flow",
  formatExecutionFlow(shown, waves),
  "## Parallelism Report",
  formatFencedBlock("text", formatParallelismReport(planned)),
];

function formatRoadmapHeader(
  { waves }: RoadmapPageSource,
  planned: readonly FeatureRecord[],
  inOrder: readonly WaveParallelism[],
): string {
  const built = planned.filter(({ phase }) => phase === "implementation-complete").length;
  const blocked = planned.filter(({ phase }) => phase === "blocked").length;
  const finished = inOrder.filter(({ wave }) => waves.get(wave)?.step === "done").length;
  return [
    `- Status: ${getRoadmapStatus(planned, planned.length > 1 && finished < inOrder.length)}`,
    `- Features: ${planned.length}, implemented: ${built}, blocked: ${blocked}`,
    `- Waves: ${inOrder.length}, finished: ${finished}`,
  ].join("\n");
}

function getRoadmapStatus(planned: readonly FeatureRecord[], hasOpenGates: boolean): string {
  if (planned.length === 0) return "empty";
  if (planned.every(({ phase }) => phase === "initialized")) return "planned";
  const left = planned.filter(
    ({ phase, blocked_info: info }) => phase !== "implementation-complete" && !info?.is_skipped,
  );
  if (left.length > 0 && left.every(({ phase }) => phase === "blocked")) return "blocked";
  return left.length > 0 || hasOpenGates ? "under way" : "complete";
}

function formatWaveSection(
  { features, waves }: RoadmapPageSource,
  { wave, isFoundation, features: names }: WaveParallelism,
): string[] {
  const records = names.flatMap((name) => features.get(name) ?? []);
  const needed = new Set(records.flatMap(({ roadmap }) => roadmap?.dependencies ?? []));
  const others = [...needed].filter((name) => !names.includes(name)).toSorted();
  const step = waves.get(wave)?.step;
  const state = step === "done" ? ": finished" : step === "aborted" ? ": aborted" : "";
  const builds = others.length > 0 ? `Builds on ${others.join(", ")}.` : "Waits for nothing.";
  return [
    `### Wave ${wave}${isFoundation ? " (foundation)" : ""}${state}`,
    isFoundation ? `${builds} Others build on it.` : builds,
    formatFeatureTable(records),
  ];
}

function formatFeatureTable(records: readonly FeatureRecord[]): string {
  return formatPageTable(
    ["Feature", "Description", "Phase", "Version"],
    records.map(({ feature_name: name, description, phase, blocked_info: info, version }) => [
      name,
      escapeRoadmapCell(description),
      info?.is_skipped ? "skipped" : phase,
      version,
    ]),
  );
}

function formatDependencyGraph(records: readonly FeatureRecord[]): string {
  const edges = records.flatMap(({ feature_name: name, roadmap }) =>
    (roadmap?.dependencies ?? []).toSorted().map((on) => ({ name, on })),
  );
  if (edges.length > MAX_GRAPH_EDGES) {
    const lists = [...Map.groupBy(edges, ({ name }) => name)];
    return lists.map(([name, its]) => `- ${name}: ${its.map(({ on }) => on).join(", ")}`).join("\n");
  }
  const nodes = records.map(
    ({ feature_name: name }) => `  ${createGraphNodeId(name)}["${name.replaceAll('"', "#quot;")}"]`,
  );
  const arrows = edges.map(({ name, on }) => `  ${createGraphNodeId(on)} --> ${createGraphNodeId(name)}`);
  return formatFencedBlock("mermaid", ["graph TD", ...nodes, ...arrows]);
}

/** A bare name such as `end` would be a Mermaid keyword. */
const createGraphNodeId = (name: FeatureName): string => `f_${name.replaceAll(/[^a-zA-Z0-9]/g, "_")}`;

function formatExecutionFlow({ waves }: RoadmapPageSource, inOrder: readonly WaveParallelism[]): string {
  const isSingle = inOrder.flatMap(({ features }) => features).length === 1;
  const lines = inOrder.map(({ wave, features: names }, i) => {
    const end = isSingle ? "commit" : `gate: ${waves.get(wave)?.step ?? "not yet"}`;
    return `${i + 1}. Wave ${wave}: ${names.join(", ")} → ${end}`;
  });
  return [isSingle ? FEATURE_FLOW : `${FEATURE_FLOW}\n${WAVE_FLOW}`, lines.join("\n")].join("\n\n");
}

function formatBlockedSection(records: readonly FeatureRecord[]): string[] {
  const rows = records.flatMap(({ feature_name: name, phase, blocked_info: info }) =>
    phase === "blocked" && info
      ? [[name, info.blocked_by.join(", "), info.reason, info.blocked_at_phase, escapeRoadmapCell(info.detail)]]
      : [],
  );
  return rows.length > 0
    ? ["## Blocked", formatPageTable(["Feature", "Blocked by", "Reason", "Had come to", "What went wrong"], rows)]
    : [];
}

const formatFencedBlock = (language: string, lines: readonly string[]): string =>
  [`\`\`\`${language}`, ...lines.map(formatPageLine), "```"].join("\n");

function formatPageTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

/** User text in a table: escapes cell separators, tags, links and code. */
const escapeRoadmapCell = (text: string): string =>
  formatPageLine(text.replaceAll(/\s+/g, " ").trim()).replaceAll(/[\\|`*<[]/g, "\\$&");

export interface WaveParallelism {
  readonly wave: number;
  readonly isFoundation: boolean;
  readonly features: readonly FeatureName[];
  /** `login waits for store (src/store.ts)`. */
  readonly waits: readonly string[];
}

const MAX_LISTED_NAMES = 12;

export function analyzeWaveParallelism(records: Iterable<FeatureRecord>): WaveParallelism[] {
  const all = [...records];
  const foundations = findFoundationFeatures(listPlannedFeatures(all));
  const planned = all.filter(({ roadmap }) => roadmap !== null);
  const shared = Map.groupBy(
    findFileOverlaps(planned, () => false),
    ({ wave }) => wave,
  );
  return [...Map.groupBy(planned, ({ roadmap }) => roadmap?.wave ?? 0)]
    .toSorted(([a], [b]) => a - b)
    .map(([wave, inWave]) => {
      const features = inWave.map((record) => record.feature_name).toSorted();
      const isFoundation = features.some((name) => foundations.has(name));
      const waits = (shared.get(wave) ?? []).flatMap(({ file, features: names }) =>
        names.slice(1).map((feature, i) => `${feature} waits for ${names[i]} (${file})`),
      );
      return { wave, isFoundation, features, waits };
    });
}

export function findCriticalPath(features: readonly PlannedFeature[]): FeatureName[] {
  const levels = computeDependencyLevels(features);
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const at = (names: Iterable<FeatureName>, level: number): FeatureName | undefined =>
    [...names].filter((name) => levels.get(name) === level).toSorted()[0];
  const path: FeatureName[] = [];
  let level = Math.max(0, ...new Set(levels.values()));
  let name = at(levels.keys(), level);
  while (name !== undefined) {
    path.unshift(name);
    name = at(byName.get(name)?.dependencies ?? [], --level);
  }
  return path;
}

export function formatParallelismReport(records: Iterable<FeatureRecord>): string[] {
  const all = [...records];
  const waves = analyzeWaveParallelism(all);
  if (waves.length === 0) return [];
  const path = findCriticalPath(listPlannedFeatures(all));
  return [
    ...waves.map(formatWaveLine),
    `Critical path: ${formatCount(waves.length, "wave")} (${truncateNameList(path).join(" → ")})`,
  ];
}

function formatWaveLine({ wave, isFoundation, features, waits }: WaveParallelism): string {
  const head = `Wave ${wave}${isFoundation ? " (foundation)" : ""}`;
  const body = `${formatCount(features.length, "feature")} [${truncateNameList(features).join(", ")}]`;
  return `${head}: ${body}: ${waits.length > 0 ? truncateNameList(waits).join(", ") : "all parallel"}`;
}

function truncateNameList(names: readonly string[]): readonly string[] {
  const rest = names.length - MAX_LISTED_NAMES;
  return rest > 0 ? [...names.slice(0, MAX_LISTED_NAMES), `${rest} more`] : names;
}
