import { FLOW_STATUSES, STAGE_STATUSES, type StageEntry } from "../flow/flow.ts";
import { CHANGE_SIZES, CHANGE_STAGES, CHANGE_TYPES } from "./flows.ts";
import { isChangeId } from "./id.ts";
import type { ChangeRecord } from "./record.ts";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** Twice what a door takes, so that a crafted record cannot flood an answer. */
const LONGEST_DESCRIPTION = 4_000;

/** In order: a later one may rely on those before it. */
type Field = readonly [name: string, holds: () => boolean];

/** The first field that is not as a change record has it, or nothing. Fields it does not know are left alone. */
export function changeRecordProblem(value: unknown, folder: string): string | undefined {
  if (!isObject(value)) return "it is not an object";
  const fields: Field[] = [
    ["id", () => typeof value["id"] === "string" && isChangeId(value["id"]) && value["id"] === folder],
    ["type", () => isOneOf(CHANGE_TYPES, value["type"])],
    ["size", () => isOneOf(CHANGE_SIZES, value["size"])],
    [
      "description",
      () => typeof value["description"] === "string" && value["description"].length <= LONGEST_DESCRIPTION,
    ],
    ["status", () => isOneOf(FLOW_STATUSES, value["status"])],
    ["stages", () => areStages(value["stages"])],
    ["current_stage", () => stagesOf(value).some((stage) => stage.name === value["current_stage"])],
    ["stages", () => areInOrder(stagesOf(value), value)],
    ["adrs", () => isListOf(value["adrs"], (id) => typeof id === "string" && /^ADR-\d{3,5}$/.test(id))],
    ["created_at", () => isTime(value["created_at"])],
    ["updated_at", () => isTime(value["updated_at"])],
    ["reopenings", () => value["reopenings"] === undefined || isListOf(value["reopenings"], isReopening)],
    ["abandoned", () => value["abandoned"] === undefined || isAbandonment(value["abandoned"])],
  ];
  const broken = fields.find(([, holds]) => !holds());
  return broken && `its field "${broken[0]}" is missing or wrong`;
}

/** Call only after `changeRecordProblem` found nothing. */
export const asChangeRecord = (value: unknown): ChangeRecord => value as ChangeRecord;

const stagesOf = (value: Record<string, unknown>): readonly StageEntry[] => value["stages"] as readonly StageEntry[];

function areStages(stages: unknown): boolean {
  if (!Array.isArray(stages)) return false;
  const names = stages.map((stage: unknown) => (isObject(stage) ? stage["name"] : undefined));
  return (
    stages.length > 0 &&
    new Set(names).size === stages.length &&
    stages.every((stage: unknown) => isObject(stage) && isStage(stage))
  );
}

/** What lies before the current stage is done, what lies after it is not, and it is open unless the change is through. */
function areInOrder(
  stages: readonly StageEntry[],
  { current_stage, status, abandoned }: Record<string, unknown>,
): boolean {
  const current = stages.findIndex((stage) => stage.name === current_stage);
  const isThrough = status === "completed" || (status === "archived" && abandoned === undefined);
  return stages.every((stage, i) => {
    if (i < current) return stage.status === "completed" || stage.status === "skipped";
    if (i > current) return stage.status === "pending" || stage.status === "stale";
    return stage.status === (isThrough ? "completed" : "in_progress");
  });
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
  return (
    isObject(value) &&
    typeof value["stage"] === "string" &&
    isAbandonment(value) &&
    (value["abandoned"] === undefined || isAbandonment(value["abandoned"]))
  );
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
