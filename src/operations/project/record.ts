import { Fault } from "#domain/fault.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import { asProjectRecord, projectRecordProblem } from "#domain/project/shape.ts";
import { FEATURE_FOLDER, HANDOVER, PROJECT, REQUIREMENTS } from "#domain/workspace/path.ts";
import type { RecordShape, Step, Tree } from "../ports/store.ts";
import { openChanges } from "../change/census.ts";
import { WORKFLOWS } from "../workflow/spaces.ts";

export const projectShape: RecordShape<ProjectRecord> = {
  schema: 1,
  problem: projectRecordProblem,
  trust: asProjectRecord,
};

export const findProject = (tree: Tree): ProjectRecord | undefined => tree.record(PROJECT, projectShape);

export function theProject(tree: Tree): ProjectRecord {
  const record = findProject(tree);
  if (!record) throw noProject();
  return record;
}

export const projectStep = (record: ProjectRecord): Step => ({
  kind: "record",
  path: PROJECT,
  record,
  shape: projectShape,
});

/**
 * The tools, or sets of them, that the workspace calls for as it stands: a project's while one is under way, what shows
 * and reopens one that is through, those for existing code while there are no specs, those of workflows and gates while one
 * is under way, those of a roadmap once there is a feature and of a handover once there is one, and what else a change
 * may need while there is one. A record that cannot be trusted says nothing.
 */
export function toolsetsFor(tree: Tree): string[] {
  const isWorking = [...tree.kept(WORKFLOWS).values()].some(({ status }) => status === "active");
  return [
    ...(isWorking ? ["workflow", "gate", "spec", "stack"] : []),
    ...(tree.names(FEATURE_FOLDER).length > 0 ? ["roadmap"] : []),
    ...(tree.names(HANDOVER).length > 0 ? ["handover"] : []),
    ...(openChanges(tree).length > 0 ? ["sdd_change_reopen", "sdd_change_resize", "sdd_change_archive"] : []),
    ...projectToolsets(tree),
  ];
}

function projectToolsets(tree: Tree): string[] {
  try {
    const status = findProject(tree)?.status;
    if (status === "active") return ["project"];
    if (status !== undefined) return ["sdd_get_context", "sdd_project_reopen"];
    return tree.has(REQUIREMENTS) ? ["sdd_get_context"] : ["adopt"];
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

function noProject(): Fault {
  return new Fault("project.none", {
    what: "There is no project here.",
    why: "sdd/sdd.json is missing: the project pipeline was never begun.",
    fix: { operation: "project.init", input: { name: "…", description: "…" } },
  });
}
