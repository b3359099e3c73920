import type { Effect } from "#operations/operation.ts";
import type { OperationId } from "#operations/catalogue.ts";

/** How an operation is offered as a tool. Its description is `assets/tools/<name>.md`; its schemas are the operation's. */
export interface Tool {
  readonly name: string;
  readonly operation: OperationId;
  readonly toolset: string;
}

/**
 * One word says it all; the protocol wants hints. Those that equal the protocol's defaults are left out: they cost
 * tokens in every session. Whether the world is open is left at its default too: what a gate runs is the repository's.
 */
export function annotationsOf(effect: Effect): Record<string, boolean> {
  if (effect === "read") return { readOnlyHint: true };
  return effect === "destroy" ? {} : { destructiveHint: false };
}
