import * as z from "zod/mini";
import { type FeatureName, isFeatureName } from "./ids/feature-name.ts";
import { FLOW_STATUSES, type FlowState, STAGE_STATUSES } from "./flow/flow-engine.ts";
import { findFlowDisorder } from "./flow/flow-order.ts";

/**
 * The value itself is trusted, not the parsed copy, so that fields of a later version stay. Write optional fields as
 * `z.exactOptional(…)`, and wrap them in `z.readonly(…)` where the type must be readonly.
 */
export const createRecordShape = <Version extends number, Value>(version: Version, schema: z.core.$ZodType<Value>) => ({
  schema: version,
  problem: (value: unknown): string | undefined => findRecordProblem(schema, value),
  trust: (value: unknown): Value => value as Value,
});

/** The first invalid field, in the order of the schema: `its field "title" is missing or wrong`. */
export function findRecordProblem(schema: z.core.$ZodType, value: unknown): string | undefined {
  // Compiling a schema pays off only after thousands of uses.
  const [issue] = z.safeParse(schema, value, { jitless: true }).error?.issues ?? [];
  if (issue === undefined) return undefined;
  const [field] = issue.path;
  return field === undefined ? "it is not an object" : `its field "${String(field)}" is missing or wrong`;
}

/** Whether a value fits a schema. It costs no error text. */
export const matchesSchema = <Value>(schema: z.core.$ZodType<Value>, value: unknown): value is Value =>
  z.safeParse(schema, value, { jitless: true }).success;

/** Records are replaced, never changed in place. */
export type Immutable<T> = T extends string | number | boolean | null | undefined
  ? T
  : { readonly [K in keyof T]: Immutable<T[K]> };

export const TIMESTAMP_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;
export const Timestamp = z.string().check(z.regex(TIMESTAMP_PATTERN));

/** Callers pass a generous limit, so that a crafted record cannot flood an answer. */
export const boundedText = (most: number) => z.string().check(z.maxLength(most));

export const filledText = (most: number) => z.string().check(z.minLength(1), z.maxLength(most));
export const countNumber = z.int().check(z.nonnegative());
export const positiveNumber = z.int().check(z.positive());
export const featureName = z.custom<FeatureName>((value) => typeof value === "string" && isFeatureName(value));

export const TimedReason = z.object({ reason: z.string(), at: Timestamp });
export const StageReopening = z.object({ stage: z.string(), reason: z.string(), at: Timestamp });

export const StageView = z.object({
  name: z.string(),
  status: z.enum(STAGE_STATUSES),
  stale_because: z.exactOptional(z.string()),
});

/** The fields of a record that goes through stages. Add `checkFlowOrder` to the record's schema. */
export const createFlowFields = <Name extends string>(names: readonly Name[]) => ({
  status: z.enum(FLOW_STATUSES),
  stages: z
    .array(
      z.extend(StageView, {
        name: z.enum(names),
        started_at: z.exactOptional(Timestamp),
        completed_at: z.exactOptional(Timestamp),
      }),
    )
    .check(
      z.minLength(1),
      z.refine((stages) => new Set(stages.map(({ name }) => name)).size === stages.length),
    ),
  current_stage: z.enum(names),
});

export function checkFlowOrder({
  value,
  issues,
}: z.core.ParsePayload<FlowState & { readonly abandoned?: unknown }>): void {
  const field = findFlowDisorder(value);
  if (field !== undefined) issues.push({ code: "custom", path: [field], input: value });
}
