import { FLOW_STATUSES, STAGE_STATUSES, type StageEntry } from "./flow.ts";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** Fields are checked in order, so a later check may rely on earlier ones. */
export type Field = readonly [name: string, holds: () => boolean];

export function brokenField(fields: readonly Field[]): string | undefined {
  const broken = fields.find(([, holds]) => !holds());
  return broken && `its field "${broken[0]}" is missing or wrong`;
}

export function flowFields(value: Readonly<Record<string, unknown>>, stageNames: readonly string[]): Field[] {
  const stages = (): readonly StageEntry[] => value["stages"] as readonly StageEntry[];
  return [
    ["status", () => isOneOf(FLOW_STATUSES, value["status"])],
    ["stages", () => areStages(value["stages"], stageNames)],
    ["current_stage", () => stages().some((stage) => stage.name === value["current_stage"])],
    ["stages", () => areInOrder(stages(), value)],
  ];
}

export function isReopening(value: unknown): boolean {
  return isObject(value) && typeof value["stage"] === "string" && isReason(value);
}

export function isReason(value: unknown): boolean {
  return isObject(value) && typeof value["reason"] === "string" && isTime(value["at"]);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isListOf(value: unknown, holds: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(holds);
}

export const isOneOf = (allowed: readonly string[], value: unknown): boolean =>
  typeof value === "string" && allowed.includes(value);

export const isTime = (value: unknown): boolean => typeof value === "string" && TIME.test(value);

/** Callers pass a generous limit, so that a crafted record cannot flood an answer. */
export const isText = (value: unknown, most: number): boolean => typeof value === "string" && value.length <= most;

function areStages(stages: unknown, known: readonly string[]): boolean {
  if (!Array.isArray(stages)) return false;
  const names = stages.map((stage: unknown) => (isObject(stage) ? stage["name"] : undefined));
  return (
    stages.length > 0 &&
    new Set(names).size === stages.length &&
    stages.every((stage: unknown) => isObject(stage) && isStage(stage, known))
  );
}

function areInOrder(
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

function isStage(stage: Readonly<Record<string, unknown>>, known: readonly string[]): boolean {
  const { name, status, started_at, completed_at, stale_because } = stage;
  return (
    isOneOf(known, name) &&
    isOneOf(STAGE_STATUSES, status) &&
    [started_at, completed_at].every((time) => time === undefined || isTime(time)) &&
    (stale_because === undefined || typeof stale_because === "string")
  );
}
