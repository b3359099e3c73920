import { catchFault, Fault, ignoreFault } from "#kernel/model/fault.ts";
import { type ProjectRecord, asProjectRecord, findProjectRecordProblem } from "../../model/project/project-record.ts";
import {
  FEATURE_FOLDER,
  HANDOVER_FOLDER,
  PROJECT_RECORD_PATH,
  REQUIREMENTS_PATH,
} from "#kernel/model/workspace-paths.ts";
import type { StoredRecordShape, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { listOpenChanges } from "../change/change-records.ts";
import { WORKFLOW_SPACE } from "../workflow/ledger-spaces.ts";

export const projectRecordShape: StoredRecordShape<ProjectRecord> = {
  schema: 1,
  problem: findProjectRecordProblem,
  trust: asProjectRecord,
};

export const findProjectRecord = (tree: StoreTree): ProjectRecord | undefined =>
  tree.record(PROJECT_RECORD_PATH, projectRecordShape);

export function requireProjectRecord(tree: StoreTree): ProjectRecord {
  const record = findProjectRecord(tree);
  if (record) return record;
  throw new Fault("project.none", {
    what: "There is no project here.",
    why: "sdd/sdd.json is missing: the project pipeline was never begun.",
    fix: { operation: "project.init", input: { name: "…", description: "…" } },
  });
}

export const createProjectRecordStep = (record: ProjectRecord): StoreStep => ({
  kind: "record",
  path: PROJECT_RECORD_PATH,
  record,
  shape: projectRecordShape,
});

/**
 * Toolsets the workspace needs right now: project tools while a project is active, the tools that show and reopen one
 * after it completes, adopt tools while there are no specs, and the tools for active workflows, features, handovers and
 * open changes. A damaged project record adds none.
 */
export function listNeededToolsets(tree: StoreTree): string[] {
  const isWorking = [...tree.kept(WORKFLOW_SPACE).values()].some(({ status }) => status === "active");
  return [
    ...(isWorking ? ["workflow", "gate", "spec", "stack"] : []),
    ...(tree.names(FEATURE_FOLDER).length > 0 ? ["roadmap"] : []),
    ...(tree.names(HANDOVER_FOLDER).length > 0 ? ["handover"] : []),
    ...(listOpenChanges(tree).length > 0 ? ["sdd_change_reopen", "sdd_change_resize", "sdd_change_archive"] : []),
    ...(ignoreFault(() => listProjectToolsets(tree)) ?? []),
  ];
}

function listProjectToolsets(tree: StoreTree): string[] {
  const status = findProjectRecord(tree)?.status;
  if (status === "active") return ["project"];
  if (status !== undefined) return ["sdd_get_context", "sdd_project_reopen"];
  return tree.has(REQUIREMENTS_PATH) ? ["sdd_get_context"] : ["adopt"];
}

export function summarizeProjectRecord(tree: StoreTree) {
  const damaged: { path: string; why: string }[] = [];
  const record = catchFault(
    () => findProjectRecord(tree),
    ({ why }) => void damaged.push({ path: PROJECT_RECORD_PATH, why }),
  );
  if (!record) return { damaged };
  const { name, current_stage, status, mode } = record;
  return { found: { name, stage: current_stage, status, mode }, damaged };
}
