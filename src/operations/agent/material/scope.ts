import type { Material } from "#domain/agent/brief.ts";
import { named } from "#domain/agent/fence.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { ReviewKind } from "#domain/review/finding.ts";
import { scopeName } from "#domain/review/scope.ts";
import type { Lead, OpenReview, Scope } from "#domain/roadmap/lead/state.ts";
import type { TemplateValues } from "#domain/template.ts";
import {
  FEATURE_FOLDER,
  getFeatureDesignPath,
  getFeatureRecordPath,
  getFeatureResearchPath,
  getFeatureReviewPath,
  getFeatureTasksPath,
  type WorkspacePath,
  getReviewPath,
  ROADMAP_PATH,
} from "#domain/workspace/path.ts";
import { findings, waivedFindings } from "./findings.ts";
import { inside, list } from "./pieces.ts";

export function scopeValues({ scope, batch, of, tracked, mended }: OpenReview): TemplateValues {
  const tasks = scope.of === "feature" ? (scope.tasks ?? []) : [];
  return {
    scope: scopeName(scope),
    wave: scope.of === "wave" ? String(scope.wave) : "",
    isSingle: scope.of === "feature",
    isWave: scope.of === "wave",
    isAll: scope.of === "all",
    isBroad: scope.of !== "feature",
    isRepeated: tracked.length + mended.length > 0,
    tasks: named(tasks.join(", ")),
    batch,
    hash: sanitizeText(of, 20),
  };
}

/** A review of a wave covers all earlier waves too. */
export function featuresIn({ features }: Lead, scope: Scope): FeatureRecord[] {
  const all = [...features.values()];
  if (scope.of === "all") return all;
  if (scope.of === "feature") return all.filter(({ feature_name }) => feature_name === scope.feature);
  return all.filter(({ roadmap }) => roadmap !== null && roadmap.wave <= scope.wave);
}

export function scopeMaterial(lead: Lead, { kind, scope }: OpenReview, rank: number): Material {
  const looked = featuresIn(lead, scope);
  const later =
    scope.of === "wave" ? [...lead.features.values()].filter(({ roadmap }) => (roadmap?.wave ?? 0) > scope.wave) : [];
  return [
    ...list("Features in scope", looked.map(inALine), {
      rank: rank + 1,
      share: 0.25,
      unit: "feature",
      where: inside(FEATURE_FOLDER),
    }),
    ...list("Files to look at", filesOf(kind, looked, scope), {
      rank,
      share: 0.3,
      unit: "file",
      where: `the records (${inside(scope.of === "feature" ? getFeatureRecordPath(scope.feature) : `${FEATURE_FOLDER}/*/spec.yaml`)})`,
    }),
    ...list("Designs that it builds on", scope.of === "feature" ? basisOf(looked) : [], {
      rank: rank + 2,
      share: 0.1,
      unit: "design",
      where: inside(ROADMAP_PATH),
    }),
    ...list("Planned for later waves, and not there yet", later.map(inALine), {
      rank: rank + 2,
      share: 0.15,
      unit: "feature",
      where: inside(ROADMAP_PATH),
    }),
  ];
}

export function historyMaterial({ scope, tracked, mended }: OpenReview): Material {
  const where = `the reviews before this one (${inside(scope.of === "feature" ? getFeatureReviewPath(scope.feature, "*") : getReviewPath("*"))})`;
  const waived = tracked.filter((finding) => finding.waived !== undefined);
  const open = tracked.filter((finding) => finding.waived === undefined);
  return [
    ...findings("Open since earlier reviews", open, { rank: 1, share: 0.25, where }),
    ...waivedFindings("Waived by the user: told again in the same words, they count no more", waived, {
      rank: 2,
      share: 0.15,
      where,
    }),
    ...findings("Mended since earlier reviews: must not come back", mended, { rank: 2, share: 0.2, where }),
  ];
}

export function inALine({ feature_name, description, phase, version, roadmap }: FeatureRecord): string {
  const placed = roadmap === null ? "" : `, wave ${roadmap.wave}`;
  const needs = roadmap?.dependencies.length ? `, builds on ${roadmap.dependencies.join(" and ")}` : "";
  return `${feature_name} (${version}, ${phase}${placed}${needs}): ${sanitizeText(description, 200)}`;
}

const basisOf = (features: readonly FeatureRecord[]): WorkspacePath[] =>
  features.flatMap(({ roadmap }) => (roadmap?.dependencies ?? []).map(getFeatureDesignPath));

function filesOf(kind: ReviewKind, features: readonly FeatureRecord[], scope: Scope): string[] {
  const tasks = scope.of === "feature" ? scope.tasks : undefined;
  const files = features.flatMap(({ feature_name: name, design, implementation }): string[] => {
    if (design === null) return [];
    if (kind === "design") return [getFeatureDesignPath(name), getFeatureResearchPath(name)];
    const { groups, files_created, tasks_hash } = implementation;
    const own = groups.filter((group) => !tasks || group.tasks.some((task) => tasks.includes(task)));
    return [
      getFeatureDesignPath(name),
      ...(tasks_hash === null ? [] : [getFeatureTasksPath(name)]),
      ...own.flatMap((group) => group.files),
      ...(tasks ? [] : files_created),
    ];
  });
  return [...new Set(files)];
}
