import type { BriefMaterial } from "#domain/agent/brief.ts";
import { quoteForeignName } from "#domain/agent/fence.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { ReviewKind } from "#domain/review/finding.ts";
import { formatReviewScope } from "#domain/review/scope.ts";
import type { Lead, OpenReview, ReviewScope } from "#domain/roadmap/lead/state.ts";
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
import { createFindingsPiece, createWaivedPiece } from "./findings.ts";
import { formatInlinePath, createListPiece } from "./pieces.ts";

export function createScopeValues({ scope, batch, of, tracked, mended }: OpenReview): TemplateValues {
  const tasks = scope.of === "feature" ? (scope.tasks ?? []) : [];
  return {
    scope: formatReviewScope(scope),
    wave: scope.of === "wave" ? String(scope.wave) : "",
    isSingle: scope.of === "feature",
    isWave: scope.of === "wave",
    isAll: scope.of === "all",
    isBroad: scope.of !== "feature",
    isRepeated: tracked.length + mended.length > 0,
    tasks: quoteForeignName(tasks.join(", ")),
    batch,
    hash: sanitizeText(of, 20),
  };
}

/** A review of a wave covers all earlier waves too. */
export function listScopeFeatures({ features }: Lead, scope: ReviewScope): FeatureRecord[] {
  const all = [...features.values()];
  if (scope.of === "all") return all;
  if (scope.of === "feature") return all.filter(({ feature_name }) => feature_name === scope.feature);
  return all.filter(({ roadmap }) => roadmap !== null && roadmap.wave <= scope.wave);
}

export function createScopeMaterial(lead: Lead, { kind, scope }: OpenReview, rank: number): BriefMaterial {
  const looked = listScopeFeatures(lead, scope);
  const later =
    scope.of === "wave" ? [...lead.features.values()].filter(({ roadmap }) => (roadmap?.wave ?? 0) > scope.wave) : [];
  return [
    ...createListPiece("Features in scope", looked.map(formatFeatureOverview), {
      rank: rank + 1,
      share: 0.25,
      unit: "feature",
      where: formatInlinePath(FEATURE_FOLDER),
    }),
    ...createListPiece("Files to look at", listScopeFiles(kind, looked, scope), {
      rank,
      share: 0.3,
      unit: "file",
      where: `the records (${formatInlinePath(scope.of === "feature" ? getFeatureRecordPath(scope.feature) : `${FEATURE_FOLDER}/*/spec.yaml`)})`,
    }),
    ...createListPiece("Designs that it builds on", scope.of === "feature" ? listBasisDesigns(looked) : [], {
      rank: rank + 2,
      share: 0.1,
      unit: "design",
      where: formatInlinePath(ROADMAP_PATH),
    }),
    ...createListPiece("Planned for later waves, and not there yet", later.map(formatFeatureOverview), {
      rank: rank + 2,
      share: 0.15,
      unit: "feature",
      where: formatInlinePath(ROADMAP_PATH),
    }),
  ];
}

export function createHistoryMaterial({ scope, tracked, mended }: OpenReview): BriefMaterial {
  const where = `the reviews before this one (${formatInlinePath(scope.of === "feature" ? getFeatureReviewPath(scope.feature, "*") : getReviewPath("*"))})`;
  const waived = tracked.filter((finding) => finding.waived !== undefined);
  const open = tracked.filter((finding) => finding.waived === undefined);
  return [
    ...createFindingsPiece("Open since earlier reviews", open, { rank: 1, share: 0.25, where }),
    ...createWaivedPiece("Waived by the user: told again in the same words, they count no more", waived, {
      rank: 2,
      share: 0.15,
      where,
    }),
    ...createFindingsPiece("Mended since earlier reviews: must not come back", mended, { rank: 2, share: 0.2, where }),
  ];
}

export function formatFeatureOverview({ feature_name, description, phase, version, roadmap }: FeatureRecord): string {
  const placed = roadmap === null ? "" : `, wave ${roadmap.wave}`;
  const needs = roadmap?.dependencies.length ? `, builds on ${roadmap.dependencies.join(" and ")}` : "";
  return `${feature_name} (${version}, ${phase}${placed}${needs}): ${sanitizeText(description, 200)}`;
}

const listBasisDesigns = (features: readonly FeatureRecord[]): WorkspacePath[] =>
  features.flatMap(({ roadmap }) => (roadmap?.dependencies ?? []).map(getFeatureDesignPath));

function listScopeFiles(kind: ReviewKind, features: readonly FeatureRecord[], scope: ReviewScope): string[] {
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
