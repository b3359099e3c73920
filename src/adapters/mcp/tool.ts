import type { OperationEffect } from "#operations/operation.ts";
import type { OperationId } from "#operations/catalogue.ts";

/**
 * How an operation is offered as a tool. Its description is `assets/tools/<name>.md`; its schemas come from the
 * operation.
 */
export interface McpTool {
  readonly name: string;
  readonly operation: OperationId;
  readonly toolset: string;
}

/**
 * Maps an effect to the protocol's hints. Hints equal to the protocol's defaults are left out, because they cost tokens
 * in every session. The open-world hint keeps its default too: a gate runs code of the repository.
 */
export function createToolHints(effect: OperationEffect): Record<string, boolean> {
  if (effect === "read") return { readOnlyHint: true };
  return effect === "destroy" ? {} : { destructiveHint: false };
}
