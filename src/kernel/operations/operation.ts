import type { ZodType, ZodError } from "zod";
import type { Page } from "../model/page.ts";
import { Fault } from "../model/fault.ts";
import { sanitizeText, quote } from "../model/text-format.ts";

export type OperationEffect = "read" | "append" | "change" | "destroy";

/**
 * One capability for every door. Schemas load on first use, because building them is the most expensive part of
 * starting. An operation without arguments has no input schema.
 */
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
  /** True if a gate did not pass. This is an answer, not an error. */
  isRefusal?(output: Output): boolean;
}

export const defineOperation = <Input, Output, Engine>(
  definition: Operation<Input, Output, Engine>,
): Operation<Input, Output, Engine> => definition;

export async function validateOperationInput(
  operation: Pick<Operation<unknown, unknown, never>, "id" | "input" | "mayBePlain">,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (!operation.input) {
    const unknown = Object.keys(input);
    if (unknown.length === 0) return {};
    throw createInvalidInputFault(
      operation.id,
      unknown.map((key) => `${quote(key, 40)} is not an argument: it takes none`),
    );
  }
  if (operation.mayBePlain && Object.keys(input).length === 0) return {};
  const schema = await operation.input();
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw createInvalidInputFault(
    operation.id,
    result.error.issues.flatMap((issue) => describeInputIssue(issue, input)),
  );
}

function describeInputIssue(issue: ZodError["issues"][number], input: Readonly<Record<string, unknown>>): string[] {
  const name = sanitizeText(issue.path.join("."), 60);
  // A problem of several arguments belongs to none of them.
  if (issue.path.length === 0 && issue.code === "custom") return [issue.message];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => `${quote(key, 40)} is not an argument`);
  if (issue.code === "too_big") {
    const given = input[String(issue.path[0])];
    // A string instead of a list is reported as a wrong type, not as a list that is too long.
    if (typeof given === "string" && issue.origin !== "string") return [];
    if (typeof given !== "string") return [`${name} is too large: at most ${issue.maximum}`];
    return [`${name} is too long: it has ${given.length} characters, and at most ${issue.maximum} fit`];
  }
  if (issue.code === "too_small") return [`${name} is too small: at least ${issue.minimum}`];
  if (input[String(issue.path[0])] === undefined) return [`${name} is missing`];
  if (issue.code === "invalid_value") return [`${name} must be one of ${issue.values.join(", ")}`];
  if (issue.code === "invalid_type") return [`${name} must be ${formatExpectedType(issue.expected)}`];
  return [`${name} ${issue.message}`];
}

function formatExpectedType(kind: string): string {
  return kind === "int" ? "a whole number" : `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}

function createInvalidInputFault(operation: string, problems: readonly string[]): Fault {
  return new Fault("input.invalid", {
    what: "Nothing was done.",
    why: `${problems.join("; ")}.`,
    fix: { operation },
  });
}

/** A field that the action ignores would be lost silently. */
export function rejectUnusedFields(
  operation: string,
  allowed: readonly string[],
  { action, ...fields }: Readonly<Record<string, unknown>> & { readonly action: string },
): void {
  const strange = Object.keys(fields).filter((name) => fields[name] !== undefined && !allowed.includes(name));
  if (strange.length === 0) return;
  throw new Fault("input.invalid", {
    what: "Nothing was done.",
    why: `${action} takes no ${strange.join(", ")}; it takes ${allowed.join(", ") || "nothing"}.`,
    fix: { operation, input: { action } },
  });
}
