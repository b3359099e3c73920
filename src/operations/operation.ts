import type { ZodType } from "zod";
import type { Page } from "#domain/page.ts";
import type { Engine } from "./engine.ts";

export type OperationEffect = "read" | "append" | "change" | "destroy";

/**
 * One capability for every door. Schemas load on first use, because building them is the most expensive part of
 * starting. An operation without arguments has no input schema.
 */
export interface Operation<Input, Output> {
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
  run(engine: Engine, input: Input): Promise<Output>;
  page(output: Output): Page;
  /** True if a gate did not pass. This is an answer, not an error. */
  isRefusal?(output: Output): boolean;
}

export type AnyOperation = Operation<unknown, unknown>;

export const defineOperation = <Input, Output>(definition: Operation<Input, Output>): Operation<Input, Output> =>
  definition;
