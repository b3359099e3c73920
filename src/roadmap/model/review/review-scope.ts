import * as paths from "#kernel/model/workspace-paths.ts";
import type { FeatureRecord } from "../feature/feature-record.ts";
import type { ReviewScope } from "../lead/lead-state.ts";
import type { ReviewKind } from "./review-kinds.ts";

export function listScopeFiles(kind: ReviewKind, features: readonly FeatureRecord[], scope: ReviewScope): string[] {
  const tasks = scope.of === "feature" ? scope.tasks : undefined;
  const files = features.flatMap(({ feature_name: name, design, implementation }): string[] => {
    if (design === null) return [];
    if (kind === "design") return [paths.getFeatureDesignPath(name), paths.getFeatureResearchPath(name)];
    const { groups, files_created, tasks_hash } = implementation;
    const own = groups.filter((group) => !tasks || group.tasks.some((task) => tasks.includes(task)));
    return [
      paths.getFeatureDesignPath(name),
      ...(tasks_hash === null ? [] : [paths.getFeatureTasksPath(name)]),
      ...own.flatMap((group) => group.files),
      ...(tasks ? [] : files_created),
    ];
  });
  return [...new Set(files)];
}
