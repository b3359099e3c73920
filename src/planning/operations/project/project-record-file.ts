import { catchFault, Fault, ignoreFault } from "#kernel/model/fault.ts";
import { type ProjectRecord, asProjectRecord, findProjectRecordProblem } from "../../model/project/project-record.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import type { StoredRecordShape, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { listOpenChanges } from "../change/change-records.ts";
import { WORKFLOW_SPACE } from "../workflow/ledger-spaces.ts";

export const projectRecordShape: StoredRecordShape<ProjectRecord> = {
  schema: 1,
  problem: findProjectRecordProblem,
  trust: asProjectRecord,
};

export const findProjectRecord = (tree: StoreTree): ProjectRecord | undefined =>
  tree.record(paths.PROJECT_RECORD_PATH, projectRecordShape);

export function requireProjectRecord(tree: StoreTree): ProjectRecord {
  const record = findProjectRecord(tree);
  if (record) return record;
  throw new Fault("project.none", {
    what: "There is no project here.",
    why: "sdd/sdd.json is missing: no project was started.",
    fix: { operation: "project.init", input: { name: "…", description: "…" } },
  });
}

export const createProjectRecordStep = (record: ProjectRecord): StoreStep => ({
  kind: "record",
  path: paths.PROJECT_RECORD_PATH,
  record,
  shape: projectRecordShape,
});

const OPEN_CHANGE_TOOLS = ["sdd_change_reopen", "sdd_change_resize", "sdd_change_archive", "sdd_change_abandon"];

/** Tools of other sets that briefs and gates of workflows name. */
const BRIEF_TOOLS = ["sdd_query", "sdd_impact", "sdd_drift"];

/** Only what the workspace needs right now, from its open work. A damaged project record adds none. */
export function listNeededToolsets(tree: StoreTree): string[] {
  const open = listOpenChanges(tree);
  const hasDecisions = tree.names(paths.ADR_FOLDER).length > 0 || open.some(({ adrs }) => adrs.length > 0);
  const isWorking = [...tree.kept(WORKFLOW_SPACE).values()].some(({ status }) => status === "active");
  return [
    ...(isWorking ? ["workflow", "gate", "spec", "stack", ...BRIEF_TOOLS] : []),
    ...(tree.names(paths.FEATURE_FOLDER).length > 0 ? ["roadmap"] : []),
    ...(tree.names(paths.HANDOVER_FOLDER).length > 0 ? ["handover"] : []),
    ...(open.length > 0 ? OPEN_CHANGE_TOOLS : []),
    ...(hasDecisions ? ["sdd_adr_status", "sdd_adr_list"] : []),
    ...(ignoreFault(() => {
      const status = findProjectRecord(tree)?.status;
      if (status === "active") return ["project"];
      if (status !== undefined) return ["sdd_get_context", "sdd_project_reopen"];
      return tree.has(paths.REQUIREMENTS_PATH) ? ["sdd_get_context"] : ["adopt"];
    }) ?? []),
  ];
}

export function summarizeProjectRecord(tree: StoreTree) {
  const damaged: { path: string; why: string }[] = [];
  const record = catchFault(
    () => findProjectRecord(tree),
    ({ why }) => void damaged.push({ path: paths.PROJECT_RECORD_PATH, why }),
  );
  if (!record) return { damaged };
  const { name, current_stage, status, mode } = record;
  return { found: { name, stage: current_stage, status, mode }, damaged };
}
