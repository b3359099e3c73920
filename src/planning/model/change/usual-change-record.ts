import { findFlowDisorder } from "#kernel/model/flow/flow-order.ts";
import { type JsonShape, matchesJsonShape } from "#kernel/model/json-shape.ts";
import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import type { ChangeRecord } from "./change-record.ts";
import shape from "./change-record-shape.json" with { type: "json" };

/** Without the schema library, which starts slowly. False proves nothing: only `findChangeRecordProblem` decides. */
export function isUsualChangeRecord(value: unknown, folder: string): boolean {
  if (!matchesJsonShape(value, shape satisfies JsonShape)) return false;
  const record = value as ChangeRecord;
  if (record.id !== folder || !isChangeId(folder) || findFlowDisorder(record)) return false;
  return new Set(record.stages.map(({ name }) => name)).size === record.stages.length;
}
