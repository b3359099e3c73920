import * as z from "zod";
import { ChangeRecord } from "#planning/model/change/change-record.ts";

/**
 * The schema of change records as data, for `status`. Fields with a rule that JSON Schema cannot express are left out,
 * so that a record with them is judged by the schema itself.
 */
export function createRecordShapes(): Record<string, string> {
  const { properties = {}, required } = z.toJSONSchema(ChangeRecord, { io: "input", unrepresentable: "any" });
  const { deltas: _, ...plain } = properties;
  const shape = { type: "object", properties: { ...plain, checksum: {} }, required };
  return { "src/planning/model/change/change-record-shape.json": `${JSON.stringify(shape)}\n` };
}
