import type { Effect } from "#operations/operation.ts";
import type { OperationId } from "#operations/catalogue.ts";

/** How an operation is offered as a tool. Its description is `assets/tools/<name>.md`; its schemas are the operation's. */
export interface Tool {
  readonly name: string;
  readonly operation: OperationId;
  readonly title: string;
  readonly toolset: string;
}

/** One word says it all; the protocol wants four. Nothing here reaches beyond the workspace. */
export function annotationsOf(effect: Effect): Record<string, boolean> {
  return {
    readOnlyHint: effect === "read",
    destructiveHint: effect === "destroy",
    idempotentHint: effect === "read",
    openWorldHint: false,
  };
}
