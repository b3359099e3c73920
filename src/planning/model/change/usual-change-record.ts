import { findFlowDisorder } from "#kernel/model/flow/flow-order.ts";
import { type JsonShape, matchesJsonShape } from "#kernel/model/json-shape.ts";
import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import type { ChangeRecord } from "./change-record.ts";
import shape from "./change-record-shape.json" with { type: "json" };

/**
 * Whether a record certainly fits the schema of change records. It needs no schema library, whose start takes a third
 * as long as Node's own. A record that is not usual may still be sound: only `findChangeRecordProblem` decides that.
 */
export function isUsualChangeRecord(value: unknown, folder: string): boolean {
  if (!matchesJsonShape(value, shape satisfies JsonShape)) return false;
  const record = value as ChangeRecord;
  if (record.id !== folder || !isChangeId(folder) || findFlowDisorder(record)) return false;
  return new Set(record.stages.map(({ name }) => name)).size === record.stages.length;
}
