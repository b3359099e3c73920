import type { ZodType } from "zod";
import type { Page } from "#domain/page.ts";
import type { Engine } from "./engine.ts";

/** What an operation does to the world; the doors derive their annotations from it. */
export type Effect = "read" | "append" | "change" | "destroy";

/**
 * One capability, whichever door asks for it. The schemas load on first use, because building them is the dearest part
 * of starting; an operation that takes nothing has no input schema at all.
 */
export interface Operation<Input, Output> {
  readonly id: string;
  readonly effect: Effect;
  /** Whether it is about what belongs to the user, and so works outside any workspace too. */
  readonly isUsers?: boolean;
  /** Whether it may make a workspace of a folder that is none. */
  readonly mayBegin?: boolean;
  /** Whether somebody may have to wait: then it tells of its progress and ends when it is cancelled. */
  readonly isLong?: boolean;
  readonly input?: () => Promise<ZodType<Input>>;
  /** Whether nothing has to be given: then nobody waits for the schema only to say so. */
  readonly mayBePlain?: boolean;
  readonly output: () => Promise<ZodType<Output>>;
  run(engine: Engine, input: Input): Promise<Output>;
  page(output: Output): Page;
  /** Whether a gate said no. A refusal is an answer, not an error. */
  isRefusal?(output: Output): boolean;
}

/** An operation whose types only its own schemas know, as the doors hold it. */
export type AnyOperation = Operation<unknown, unknown>;

/** Keeps the types while the literal is checked. */
export const operation = <Input, Output>(definition: Operation<Input, Output>): Operation<Input, Output> => definition;
