import type { ZodType } from "zod";
import type { Page } from "../model/page.ts";
import { Fault } from "../model/fault.ts";

export type OperationEffect = "read" | "append" | "change" | "destroy";

export interface UserQuestion {
  readonly id: string;
  readonly key: string;
  readonly question: string;
  readonly path?: string | undefined;
  readonly choices: readonly string[];
}

/** One capability for every door. Schemas load on first use: building them is the most expensive part of a start. */
export interface Operation<Input, Output, Engine> {
  readonly id: string;
  readonly effect: OperationEffect;
  readonly isUsers?: boolean;
  readonly mayBegin?: boolean;
  /** True if it may take long: it reports progress and can be cancelled. */
  readonly isLong?: boolean;
  readonly input?: () => Promise<ZodType<Input>>;
  /** True if it can run without arguments. Then the schema is not loaded for an empty input. */
  readonly mayBePlain?: boolean;
  readonly output: () => Promise<ZodType<Output>>;
  run(engine: Engine, input: Input): Promise<NoInfer<Output>>;
  page(output: Output): Page;
  /** The question that only the user can answer. A client that can ask shows it, and the call is made again. */
  asks?(output: Output): UserQuestion | undefined;
  /** True if a gate did not pass. This is an answer, not an error. */
  isRefusal?(output: Output): boolean;
}

export const defineOperation = <Input, Output, Engine>(
  definition: Operation<Input, Output, Engine>,
): Operation<Input, Output, Engine> => definition;

export async function validateOperationInput(
  operation: Pick<Operation<unknown, unknown, never>, "id" | "effect" | "input" | "mayBePlain">,
  input: Readonly<Record<string, unknown>>,
  nameArgument?: (field: string) => string,
): Promise<unknown> {
  if (!operation.input) {
    const unknown = Object.keys(input);
    if (unknown.length === 0) return {};
    throw (await import("./input-problems.ts")).createUnknownInputFault(operation.id, unknown);
  }
  if (operation.mayBePlain && Object.keys(input).length === 0) return {};
  const schema = await operation.input();
  const result = schema.safeParse(input);
  if (result.success) return mayKeepText(operation) ? maskSecrets(result.data) : result.data;
  const known = Object.keys(Object(Reflect.get(schema, "shape")) as object);
  const { createInvalidInputFault } = await import("./input-problems.ts");
  throw createInvalidInputFault(operation.id, { input, known, issues: result.error.issues, nameArgument });
}

/** Its patterns are compiled when a text may be kept, not at each start. */
const maskSecrets = async (input: unknown): Promise<unknown> =>
  (await import("../model/secret-detection.ts")).maskInputSecrets(input);

/** Operations that clean their texts with more rules, and report what they masked. */
const CLEANING_OPERATIONS = /^(?:memory|explore|stack|steering|handover|knowledge|indexing)\./;

const mayKeepText = ({ id, effect }: Pick<Operation<unknown, unknown, never>, "id" | "effect">): boolean =>
  effect !== "read" && !CLEANING_OPERATIONS.test(id);

/** A field that the action ignores would be lost silently. */
export function rejectUnusedFields(
  operation: string,
  allowed: readonly string[],
  { action, ...fields }: Readonly<Record<string, unknown>> & { readonly action: string },
): void {
  const strange = Object.keys(fields).filter((name) => fields[name] !== undefined && !allowed.includes(name));
  if (strange.length === 0) return;
  throw new Fault("input.invalid", {
    what: `${action} does not take ${strange.join(", ")}.`,
    why: `It takes ${allowed.join(", ") || "no arguments"}.`,
    fix: { operation, input: { action } },
  });
}
