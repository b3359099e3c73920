import { formatMarkdownTable } from "#kernel/model/document/markdown-table.ts";
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
type RoadmapPageSource = Pick<Lead, "features" | "waves">;

const PAGE_NOTICE = `Tenon generates this page from the records in \`sdd/features\` and \`sdd/waves\` each time one of them changes.
Tenon never reads this page, so edits by hand are lost.`;
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
  const blocks = ["# Roadmap", PAGE_NOTICE, formatRoadmapHeader(shown, planned, waves)];
  if (planned.length > 0) blocks.push("## Waves", ...waves.flatMap((wave) => formatWaveSection(shown, wave)));
  if (alone.length > 0) blocks.push("## Independent features", formatFeatureTable(alone));
  if (planned.length > 0) {
    blocks.push("## Dependencies", formatDependencyGraph(planned));
    blocks.push("## Execution Flow", formatExecutionFlow(shown, waves));
    blocks.push("## Parallelism Report", formatFencedBlock("text", formatParallelismReport(planned)));
  }
  const blocked = records.flatMap(({ feature_name: name, blocked_info: info }) =>
    info
      ? [[name, info.blocked_by.join(", "), info.reason, info.blocked_at_phase, escapeRoadmapCell(info.detail)]]
      : [],
  );
  const columns = ["Feature", "Blocked by", "Reason", "Phase reached", "What went wrong"];
  if (blocked.length > 0) blocks.push("## Blocked", formatMarkdownTable(columns, blocked));
  return `${blocks.join("\n\n")}\n`;
}

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
  const left = planned.filter((each) => each.phase !== "implementation-complete" && !each.blocked_info?.is_skipped);
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
  const rows = records.map(({ feature_name: name, description, phase, blocked_info: info, version }) => {
    return [name, escapeRoadmapCell(description), info?.is_skipped ? "skipped" : phase, version];
  });
  return formatMarkdownTable(["Feature", "Description", "Phase", "Version"], rows);
}

function formatDependencyGraph(records: readonly FeatureRecord[]): string {
  const edges = records.flatMap(({ feature_name: name, roadmap }) =>
    (roadmap?.dependencies ?? []).toSorted().map((on) => ({ name, on })),
  );
  if (edges.length > MAX_GRAPH_EDGES) {
    const lists = [...Map.groupBy(edges, ({ name }) => name)];
    return lists.map(([name, its]) => `- ${name}: ${its.map(({ on }) => on).join(", ")}`).join("\n");
  }
  // A bare name such as `end` would be a Mermaid keyword.
  const createId = (name: FeatureName): string => `f_${name.replaceAll(/[^a-zA-Z0-9]/g, "_")}`;
  const nodes = records.map(({ feature_name: name }) => `  ${createId(name)}["${name.replaceAll('"', "#quot;")}"]`);
  const arrows = edges.map(({ name, on }) => `  ${createId(on)} --> ${createId(name)}`);
  return formatFencedBlock("mermaid", ["graph TD", ...nodes, ...arrows]);
}

function formatExecutionFlow({ waves }: RoadmapPageSource, inOrder: readonly WaveParallelism[]): string {
  const isSingle = inOrder.flatMap(({ features }) => features).length === 1;
  const lines = inOrder.map(({ wave, features: names }, i) => {
    const end = isSingle ? "commit" : `gate: ${waves.get(wave)?.step ?? "not yet"}`;
    return `${i + 1}. Wave ${wave}: ${names.join(", ")} → ${end}`;
  });
  return `${isSingle ? FEATURE_FLOW : `${FEATURE_FLOW}\n${WAVE_FLOW}`}\n\n${lines.join("\n")}`;
}

const formatFencedBlock = (language: string, lines: readonly string[]): string =>
  [`\`\`\`${language}`, ...lines.map(formatPageLine), "```"].join("\n");

/** User text in a table: escapes cell separators, tags, links and code. */
const escapeRoadmapCell = (text: string): string =>
  formatPageLine(text.replaceAll(/\s+/g, " ").trim()).replaceAll(/[\\|`*<[]/g, "\\$&");

type WaveParallelism = ReturnType<typeof analyzeWaveParallelism>[number];

const MAX_LISTED_NAMES = 12;

export function analyzeWaveParallelism(records: Iterable<FeatureRecord>) {
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
  const joinNames = (names: readonly string[], mark = ", "): string => {
    const rest = names.length - MAX_LISTED_NAMES;
    return (rest > 0 ? [...names.slice(0, MAX_LISTED_NAMES), `${rest} more`] : names).join(mark);
  };
  const lines = waves.map(({ wave, isFoundation, features, waits }) => {
    const head = `Wave ${wave}${isFoundation ? " (foundation)" : ""}`;
    const body = `${formatCount(features.length, "feature")} [${joinNames(features)}]`;
    return `${head}: ${body}: ${waits.length > 0 ? joinNames(waits) : "all parallel"}`;
  });
  return [...lines, `Critical path: ${formatCount(waves.length, "wave")} (${joinNames(path, " → ")})`];
}
