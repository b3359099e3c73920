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
 * Toolsets the workspace needs right now: project tools while a project is active, the tools that show and reopen one
 * after it completes, adopt tools while there are no specs, and the tools for active workflows, features, handovers and
 * open changes. A damaged project record adds none.
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
