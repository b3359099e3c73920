import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord } from "../feature/record.ts";
import { formatPageLine } from "../markdown.ts";
import { byPlace, byText } from "./graph.ts";
import type { Lead } from "./lead/state.ts";
import { parallelismLines, parallelismOf, type WaveParallelism } from "./parallelism.ts";

/** Built from records only, so the page is the same on every machine. */
export type Shown = Pick<Lead, "features" | "waves">;

const NOTICE = [
  "Tenon makes this page from the records in `sdd/features` and `sdd/waves`, whole, each time one of them changes.",
  "Nobody reads it back: what is written here by hand is lost.",
].join("\n");
const EACH_FEATURE = "Each feature: design → design review → tasks → implementation → implementation review.";
const EACH_WAVE = "Each wave ends with its gate: cross-check → dead code → commit.";
/** Mermaid's default limit. */
const MOST_DRAWN = 500;

/** Formats `roadmap.md`. The same records give the same bytes. */
export function roadmapPage(shown: Shown): string {
  const records = [...shown.features.values()].toSorted(byPlace);
  const planned = records.filter(({ roadmap }) => roadmap !== null);
  const alone = records.filter(({ roadmap }) => roadmap === null);
  const waves = parallelismOf(planned);
  const blocks = [
    "# Roadmap",
    NOTICE,
    headerOf(shown, planned, waves),
    ...(planned.length > 0 ? ["## Waves", ...waves.flatMap((wave) => waveSection(shown, wave))] : []),
    ...(alone.length > 0 ? ["## Features that stand alone", featureTable(alone)] : []),
    ...(planned.length > 0 ? ["## Dependencies", dependencyGraph(planned)] : []),
    ...(planned.length > 0 ? ["## Execution Flow", executionFlow(shown, waves)] : []),
    ...(planned.length > 0 ? ["## Parallelism Report", fenced("text", parallelismLines(waves, planned))] : []),
    ...blockedSection(records),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function headerOf({ waves }: Shown, planned: readonly FeatureRecord[], inOrder: readonly WaveParallelism[]): string {
  const built = planned.filter(({ phase }) => phase === "implementation-complete").length;
  const blocked = planned.filter(({ phase }) => phase === "blocked").length;
  const finished = inOrder.filter(({ wave }) => waves.get(wave)?.step === "done").length;
  return [
    `- Status: ${statusOf(planned, planned.length > 1 && finished < inOrder.length)}`,
    `- Features: ${planned.length}, implemented: ${built}, blocked: ${blocked}`,
    `- Waves: ${inOrder.length}, finished: ${finished}`,
  ].join("\n");
}

function statusOf(planned: readonly FeatureRecord[], hasOpenGates: boolean): string {
  if (planned.length === 0) return "empty";
  if (planned.every(({ phase }) => phase === "initialized")) return "planned";
  const left = planned.filter(
    ({ phase, blocked_info: info }) => phase !== "implementation-complete" && !info?.is_skipped,
  );
  if (left.length > 0 && left.every(({ phase }) => phase === "blocked")) return "blocked";
  return left.length > 0 || hasOpenGates ? "under way" : "complete";
}

function waveSection({ features, waves }: Shown, { wave, isFoundation, features: names }: WaveParallelism): string[] {
  const records = names.flatMap((name) => features.get(name) ?? []);
  const own = new Set(names);
  const needed = new Set(records.flatMap(({ roadmap }) => roadmap?.dependencies ?? []));
  const others = [...needed].filter((name) => !own.has(name)).toSorted(byText);
  const step = waves.get(wave)?.step;
  const state = step === "done" ? ": finished" : step === "aborted" ? ": aborted" : "";
  const builds = others.length > 0 ? `Builds on ${others.join(", ")}.` : "Waits for nothing.";
  return [
    `### Wave ${wave}${isFoundation ? " (foundation)" : ""}${state}`,
    isFoundation ? `${builds} Others build on it.` : builds,
    featureTable(records),
  ];
}

function featureTable(records: readonly FeatureRecord[]): string {
  return table(
    ["Feature", "Description", "Phase", "Version"],
    records.map(({ feature_name: name, description, phase, blocked_info: info, version }) => [
      name,
      cell(description),
      info?.is_skipped ? "skipped" : phase,
      version,
    ]),
  );
}

function dependencyGraph(records: readonly FeatureRecord[]): string {
  const edges = records.flatMap(({ feature_name: name, roadmap }) =>
    (roadmap?.dependencies ?? []).toSorted(byText).map((on) => `  ${nodeId(on)} --> ${nodeId(name)}`),
  );
  if (edges.length > MOST_DRAWN) return dependencyList(records);
  const nodes = records.map(({ feature_name: name }) => `  ${nodeId(name)}["${name.replaceAll('"', "#quot;")}"]`);
  return fenced("mermaid", ["graph TD", ...nodes, ...edges]);
}

function dependencyList(records: readonly FeatureRecord[]): string {
  return records
    .flatMap(({ feature_name: name, roadmap }) =>
      roadmap && roadmap.dependencies.length > 0
        ? [`- ${name}: ${roadmap.dependencies.toSorted(byText).join(", ")}`]
        : [],
    )
    .join("\n");
}

/** A bare name such as `end` would be a Mermaid keyword. */
const nodeId = (name: FeatureName): string => `f_${name.replaceAll(/[^a-zA-Z0-9]/g, "_")}`;

function executionFlow({ waves }: Shown, inOrder: readonly WaveParallelism[]): string {
  const isSingle = inOrder.flatMap(({ features }) => features).length === 1;
  const lines = inOrder.map(({ wave, features: names }, i) => {
    const end = isSingle ? "commit" : `gate: ${waves.get(wave)?.step ?? "not yet"}`;
    return `${i + 1}. Wave ${wave}: ${names.join(", ")} → ${end}`;
  });
  return [isSingle ? EACH_FEATURE : `${EACH_FEATURE}\n${EACH_WAVE}`, lines.join("\n")].join("\n\n");
}

function blockedSection(records: readonly FeatureRecord[]): string[] {
  const rows = records.flatMap(({ feature_name: name, phase, blocked_info: info }) =>
    phase === "blocked" && info
      ? [[name, info.blocked_by.join(", "), info.reason, info.blocked_at_phase, cell(info.detail)]]
      : [],
  );
  return rows.length > 0
    ? ["## Blocked", table(["Feature", "Blocked by", "Reason", "Had come to", "What went wrong"], rows)]
    : [];
}

const fenced = (language: string, lines: readonly string[]): string =>
  [`\`\`\`${language}`, ...lines.map(formatPageLine), "```"].join("\n");

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

/** User text in a table: escapes cell separators, tags, links and code. */
const cell = (text: string): string =>
  formatPageLine(text.replaceAll(/\s+/g, " ").trim()).replaceAll(/[\\|`*<[]/g, "\\$&");
