import { checkDesign, checkResearchDocument } from "../../model/feature/design-check.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { checkTaskPlan } from "../../model/feature/task-plan.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import {
  getFeatureDesignPath,
  getFeatureRecordPath,
  getFeatureResearchPath,
  getFeatureTasksPath,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import type { LocatedProblem } from "#planning/operations/change/change-inspection.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import { hasCurrentPass, isFeatureDesigned } from "../../model/feature-progress.ts";
import { findDocumentEdits } from "../lead/held-files.ts";
import { loadFeatureRecords, loadWaveRecords } from "./feature-records.ts";

/** Accepted tasks with the design they are checked against. A workspace without any never loads the YAML reader. */
export type AcceptedTaskPlan = ReturnType<typeof inspectFeatureRecords>["plans"][number];

export function inspectFeatureRecords(tree: StoreTree, digest: (text: string) => string) {
  const [features, waves] = [loadFeatureRecords(tree), loadWaveRecords(tree)];
  const records = [...features.found.values()];
  const looks = records.map((record) => inspectFeatureDocuments(tree, record));
  const damaged = [...features.damaged, ...waves.damaged];
  return {
    items: looks.reduce((total, { items }) => total + items, damaged.length + waves.found.size),
    problems: [
      ...damaged.map(({ path, why }) => ({ path, problem: why })),
      ...looks.flatMap(({ problems }) => problems),
      ...findReviewedEdits(tree, digest, records),
      ...records.flatMap(({ feature_name: name, roadmap }) => {
        const unknown = (roadmap?.dependencies ?? []).filter((on) => !features.found.has(on));
        const path = getFeatureRecordPath(name);
        return unknown.map((on) => ({ path, problem: `It depends on ${on}, which does not exist.` }));
      }),
    ],
    plans: records.flatMap(({ feature_name: name, implementation: { tasks_hash, excluded } }) => {
      const path = getFeatureTasksPath(name);
      const [text, design] = [tree.text(path), tree.text(getFeatureDesignPath(name))];
      if (tasks_hash === null || text === undefined || design === undefined) return [];
      return [{ path, text, design, excluded }];
    }),
  };
}

/** Reviewed designs that changed since. While an Architect has to change one anyway, it is not a problem. */
function findReviewedEdits(tree: StoreTree, digest: (text: string) => string, records: readonly FeatureRecord[]) {
  const held = records.filter(
    (record) => hasCurrentPass(record.reviews.design, record.design?.hash) && isFeatureDesigned(record),
  );
  return [...findDocumentEdits(tree, digest, held)].flatMap(([name, edits]): LocatedProblem[] => {
    const paths = [
      ...(edits.design ? [getFeatureDesignPath(name)] : []),
      ...(edits.research ? [getFeatureResearchPath(name)] : []),
    ];
    const problem = `It changed since its review accepted it. Review it again (tenon review design ${name}), or accept the edit: tenon roadmap accept ${name} --reason "…"`;
    return paths.map((path) => ({ path, problem }));
  });
}

export function inspectFeatureDocuments(tree: StoreTree, record: FeatureRecord) {
  const { feature_name: name, design, implementation } = record;
  const checks: (readonly [WorkspacePath, (text: string) => { readonly problems: readonly Problem[] }])[] = [];
  if (design)
    checks.push([getFeatureDesignPath(name), checkDesign], [getFeatureResearchPath(name), checkResearchDocument]);
  if (implementation.tasks_hash !== null) checks.push([getFeatureTasksPath(name), () => ({ problems: [] })]);
  const problems = checks.flatMap(([path, check]): LocatedProblem[] => {
    const text = tree.text(path);
    if (text !== undefined) return check(text).problems.map((problem) => ({ path, ...problem }));
    return [{ path, problem: "The record of its feature lists it, but it is missing." }];
  });
  return { items: 1 + checks.length, problems };
}

export function findTaskPlanProblems(yaml: YamlEditor, { path, text, design, excluded }: AcceptedTaskPlan) {
  const { tree, problems: unread } = yaml.read(text);
  const problems = tree ? checkTaskPlan(tree, checkDesign(design), excluded).problems : unread;
  return problems.map((problem) => ({ path, ...problem }));
}
