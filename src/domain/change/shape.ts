import { CHANGE_SIZES, CHANGE_STAGES, CHANGE_TYPES } from "./flows.ts";
import { isChangeId } from "./id.ts";
import type { ChangeRecord } from "./record.ts";

const STATUSES = ["active", "completed", "abandoned", "archived"];
const STAGE_STATUSES = ["pending", "in_progress", "completed", "stale", "skipped"];
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

type Field = readonly [name: string, holds: boolean];

/** The first field that is not as a change record has it, or nothing. Fields it does not know are left alone. */
export function changeRecordProblem(value: unknown, folder: string): string | undefined {
  if (!isObject(value)) return "it is not an object";
  const stages: unknown = value["stages"];
  const fields: Field[] = [
    ["id", typeof value["id"] === "string" && isChangeId(value["id"]) && value["id"] === folder],
    ["type", isOneOf(CHANGE_TYPES, value["type"])],
    ["size", isOneOf(CHANGE_SIZES, value["size"])],
    ["description", typeof value["description"] === "string"],
    ["stages", Array.isArray(stages) && areStages(stages)],
    [
      "current_stage",
      Array.isArray(stages) && stages.some((stage) => isObject(stage) && stage["name"] === value["current_stage"]),
    ],
    ["adrs", isListOf(value["adrs"], (id) => typeof id === "string" && /^ADR-\d{3,5}$/.test(id))],
    ["status", isOneOf(STATUSES, value["status"])],
    ["created_at", isTime(value["created_at"])],
    ["updated_at", isTime(value["updated_at"])],
    ["reopenings", value["reopenings"] === undefined || isListOf(value["reopenings"], isReopening)],
    ["abandoned", value["abandoned"] === undefined || isAbandonment(value["abandoned"])],
  ];
  const broken = fields.find(([, holds]) => !holds);
  return broken && `its field "${broken[0]}" is missing or wrong`;
}

/** Call only after `changeRecordProblem` found nothing. */
export const asChangeRecord = (value: unknown): ChangeRecord => value as ChangeRecord;

function areStages(stages: readonly unknown[]): boolean {
  const names = stages.map((stage) => (isObject(stage) ? stage["name"] : undefined));
  return (
    stages.length > 0 &&
    new Set(names).size === stages.length &&
    stages.every((stage) => isObject(stage) && isStage(stage))
  );
}

function isStage(stage: Readonly<Record<string, unknown>>): boolean {
  const { name, status, started_at, completed_at, stale_because } = stage;
  return (
    isOneOf(CHANGE_STAGES, name) &&
    isOneOf(STAGE_STATUSES, status) &&
    [started_at, completed_at].every((time) => time === undefined || isTime(time)) &&
    (stale_because === undefined || typeof stale_because === "string")
  );
}

function isReopening(value: unknown): boolean {
  return isObject(value) && typeof value["stage"] === "string" && isAbandonment(value);
}

function isAbandonment(value: unknown): boolean {
  return isObject(value) && typeof value["reason"] === "string" && isTime(value["at"]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListOf(value: unknown, holds: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(holds);
}

const isOneOf = (allowed: readonly string[], value: unknown): boolean =>
  typeof value === "string" && allowed.includes(value);

const isTime = (value: unknown): boolean => typeof value === "string" && TIME.test(value);
