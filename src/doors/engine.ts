import type { Operation } from "#kernel/operations/operation.ts";
import type { OnboardingEngine } from "#onboarding/operations/engine.ts";

export type Engine = OnboardingEngine;

/** An operation whose input and output are known only to its own schemas. */
export type AnyOperation = Operation<unknown, unknown, Engine>;
