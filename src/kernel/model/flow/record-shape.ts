import { FLOW_STATUSES, STAGE_STATUSES, type StageEntry } from "./flow-engine.ts";

const TIMESTAMP_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** Fields are checked in order, so a later check may rely on earlier ones. */
export type RecordField = readonly [name: string, holds: () => boolean];

export function findInvalidField(fields: readonly RecordField[]): string | undefined {
  const broken = fields.find(([, holds]) => !holds());
  return broken && `its field "${broken[0]}" is missing or wrong`;
}

export function listFlowFields(value: Readonly<Record<string, unknown>>, stageNames: readonly string[]): RecordField[] {
  const stages = (): readonly StageEntry[] => value["stages"] as readonly StageEntry[];
  return [
    ["status", () => isAllowedValue(FLOW_STATUSES, value["status"])],
    ["stages", () => areValidStages(value["stages"], stageNames)],
    ["current_stage", () => stages().some((stage) => stage.name === value["current_stage"])],
    ["stages", () => areStagesInOrder(stages(), value)],
  ];
}

export function isStageReopening(value: unknown): boolean {
  return isPlainObject(value) && typeof value["stage"] === "string" && isTimedReason(value);
}

export function isTimedReason(value: unknown): boolean {
  return isPlainObject(value) && typeof value["reason"] === "string" && isTimestamp(value["at"]);
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isArrayMatching(value: unknown, holds: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(holds);
}

export const isAllowedValue = (allowed: readonly string[], value: unknown): boolean =>
  typeof value === "string" && allowed.includes(value);

export const isTimestamp = (value: unknown): boolean => typeof value === "string" && TIMESTAMP_PATTERN.test(value);

/** Callers pass a generous limit, so that a crafted record cannot flood an answer. */
export const isBoundedText = (value: unknown, most: number): boolean =>
  typeof value === "string" && value.length <= most;

function areValidStages(stages: unknown, known: readonly string[]): boolean {
  if (!Array.isArray(stages)) return false;
  const names = stages.map((stage: unknown) => (isPlainObject(stage) ? stage["name"] : undefined));
  return (
    stages.length > 0 &&
    new Set(names).size === stages.length &&
    stages.every((stage: unknown) => isPlainObject(stage) && isStageEntry(stage, known))
  );
}

function areStagesInOrder(
  stages: readonly StageEntry[],
  { current_stage, status, abandoned }: Readonly<Record<string, unknown>>,
): boolean {
  const current = stages.findIndex((stage) => stage.name === current_stage);
  const isThrough = status === "completed" || (status === "archived" && abandoned === undefined);
  return stages.every((stage, i) => {
    if (i < current) return stage.status === "completed" || stage.status === "skipped";
    if (i > current) return stage.status === "pending" || stage.status === "stale";
    return stage.status === (isThrough ? "completed" : "in_progress");
  });
}

function isStageEntry(stage: Readonly<Record<string, unknown>>, known: readonly string[]): boolean {
  const { name, status, started_at, completed_at, stale_because } = stage;
  return (
    isAllowedValue(known, name) &&
    isAllowedValue(STAGE_STATUSES, status) &&
    [started_at, completed_at].every((time) => time === undefined || isTimestamp(time)) &&
    (stale_because === undefined || typeof stale_because === "string")
  );
}
