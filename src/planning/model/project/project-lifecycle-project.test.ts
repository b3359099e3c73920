import { isOpenStageStale } from "#kernel/model/flow/flow-engine.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "#kernel/model/fault.ts";
import {
  PROJECT_STAGES,
  PROJECT_STAGE_CALLS,
  PROJECT_DOCUMENT_STAGES,
  type ProjectDocumentStage,
} from "#kernel/model/stages/project-stages.ts";
import { beginProject, endProjectStage, reopenProjectStage, requireOpenProjectStage } from "./project-lifecycle.ts";
import { type ProjectRecord, findProjectRecordProblem } from "./project-record.ts";

const at = "2026-01-31T12:00:00Z";
const later = "2026-02-01T12:00:00Z";
const begun = beginProject({ name: "  Tide \n tables ", description: " Tables ", mode: "expert" }, at);
const end = (record: ProjectRecord, n = 1): ProjectRecord =>
  n === 0 ? record : end(endProjectStage(record, later)[0], n - 1);
const marks = ({ stages }: ProjectRecord) => stages.map(({ status }) => status[0]).join("");

function thrownBy(call: () => void): Fault {
  try {
    call();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

test("starts a project with its name and an open proposal", () => {
  const { stages: _, ...rest } = begun;
  expect([rest, marks(begun)]).toEqual([
    {
      name: "Tide tables",
      description: "Tables",
      mode: "expert",
      status: "active",
      current_stage: "propose",
      ids: [],
      rounds: [],
      validations: [],
      reopenings: [],
      created_at: at,
      updated_at: at,
      schema: 1,
      rev: 1,
    },
    "cipppppp",
  ]);
});

test("opens the next stage after each one, and ends the project with the last", () => {
  const [record, effects] = endProjectStage(begun, later);
  expect([record.current_stage, record.rev, record.updated_at, effects]).toEqual([
    "specify",
    2,
    later,
    [
      { kind: "stage-completed", stage: "propose" },
      { kind: "stage-opened", stage: "specify" },
    ],
  ]);
  const whole = end(begun, 7);
  expect([whole.status, whole.current_stage, marks(whole)]).toEqual(["completed", "validate", "cccccccc"]);
});

test("marks later stages stale after reopening, and keeps the reason", () => {
  const [record, effects] = reopenProjectStage(end(begun, 7), "design", "Too slow", later);
  expect([record.status, record.current_stage, marks(record), record.reopenings]).toEqual([
    "active",
    "design",
    "ccccciss",
    [{ stage: "design", reason: "Too slow", at: later }],
  ]);
  expect(effects.map(({ kind }) => kind)).toEqual(["flow-reopened", "stage-opened", "stage-stale", "stage-stale"]);
  expect([isOpenStageStale(record), isOpenStageStale(end(record)), isOpenStageStale(begun)]).toEqual([
    true,
    true,
    false,
  ]);
});

test.each(PROJECT_DOCUMENT_STAGES)("ends %s only while it is open", (stage) => {
  const open = end(begun, PROJECT_DOCUMENT_STAGES.indexOf(stage));
  expect(() => requireOpenProjectStage(open, stage)).not.toThrow();
  for (const other of PROJECT_DOCUMENT_STAGES.filter((each) => each !== stage)) {
    const fault = thrownBy(() => requireOpenProjectStage(open, other));
    const isEarlier = PROJECT_STAGES.indexOf(other) < PROJECT_STAGES.indexOf(stage);
    expect([fault.code, fault.what, fault.why, fault.fixes]).toEqual([
      "project.other-stage",
      `Stage ${other} of Tide tables is not open.`,
      `Stage ${stage} is.`,
      [
        PROJECT_STAGE_CALLS[stage],
        ...(isEarlier ? [{ operation: "project.reopen", input: { stage: other, reason: "…" } }] : []),
      ],
    ]);
  }
});

test("asks to reopen a completed project first", () => {
  const fault = thrownBy(() => requireOpenProjectStage(end(begun, 7), "validate"));
  expect([fault.why, fault.fixes]).toEqual([
    "The project is completed.",
    [{ operation: "project.reopen", input: { stage: "validate", reason: "…" } }],
  ]);
});

test("keeps the record readable and counts its revisions up, for any events", () => {
  const step = fc.oneof(fc.constant(undefined), fc.constantFrom(...PROJECT_DOCUMENT_STAGES));
  fc.assert(
    fc.property(fc.array(step), (steps: readonly (ProjectDocumentStage | undefined)[]) => {
      let record = begun;
      for (const stage of steps) {
        const before = record;
        try {
          [record] =
            stage === undefined ? endProjectStage(record, later) : reopenProjectStage(record, stage, "Why", later);
        } catch {
          continue;
        }
        expect(record.rev).toBe(before.rev + 1);
        expect(findProjectRecordProblem(record)).toBe(undefined);
        // Nothing behind the open stage counts as done.
        const open = record.stages.findIndex(({ name }) => name === record.current_stage);
        expect(record.stages.slice(open + 1).some(({ status }) => status === "completed")).toBe(false);
      }
    }),
  );
});
