import { Fault } from "#domain/fault.ts";
import { noProject } from "#domain/project/project.ts";
import type { ProjectRecord } from "#domain/project/record.ts";
import { asProjectRecord, projectRecordProblem } from "#domain/project/shape.ts";
import { PROJECT } from "#domain/workspace/path.ts";
import type { RecordShape, Step, Tree } from "../store.ts";

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

/** Whether somebody is at work on the project; a record that cannot be trusted says nothing of it. */
export function isProjectUnderWay(tree: Tree): boolean {
  try {
    return findProject(tree)?.status === "active";
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}
