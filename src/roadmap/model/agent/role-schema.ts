import * as z from "zod/mini";
import { parse } from "yaml";
import { REVIEW_KINDS } from "../review/review-kinds.ts";

const list = <T extends z.ZodMiniType>(item: T) => z._default(z.array(item), []);
const tokens = z._default(z.int().check(z.positive()), 0);

/** The front matter of `assets/roles/<role>.md`. `npm run generate` checks it and writes `role-facts.json`. */
const RoleFacts = z.strictObject({
  /** Position in lists of roles. Inspectors of one review report in this order. */
  order: z.int(),
  /** The agent's line in the client's list. Every session includes it, so each word counts. */
  description: z.string(),
  purpose: z.string(),
  /** 1 asks the engine and delegates, 2 plans and judges, 3 executes. */
  tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  /** `deep` for judgement, `swift` for precisely specified and checked work. */
  model: z.enum(["deep", "swift"]),
  /** Capabilities of an agent. Each client has its own tool names for them. */
  tools: z.array(z.enum(["read", "search", "write", "run", "web", "spawn"])),
  /** Engine tools the agent calls itself. Other agents get everything in their brief. */
  engine: list(z.string()),
  /** Null for agents that only read or delegate. `implementation` is code without tests, `code` is both. */
  writes: z._default(z.nullable(z.enum(["spec", "tests", "implementation", "design", "tasks", "code"])), null),
  /** Most tokens of the brief. 0 for the Lead, which has none. */
  budget: tokens,
  /** Expected tokens of the work, a guess. The ledger stores each estimate beside the reported cost. */
  work: tokens,
  /** Null for a role without a report to parse: a gate checks its result. */
  report: z._default(
    z.nullable(z.enum(["ARCHITECT_COMPLETE", "TASKGEN_COMPLETE", "BUILDER_COMPLETE", "inspection", "audit"])),
    null,
  ),
  /** The review that an inspector or auditor belongs to. */
  review: z._default(z.nullable(z.enum(REVIEW_KINDS)), null),
  /** Inspectors of one review with the same number share an agent, which reports on each of their views. */
  panel: z._default(z.int(), 0),
  stages: list(z.string()),
  /** Lessons of these types are part of the brief. */
  lessons: list(z.enum(["incident", "pattern", "reference"])),
  /** True if the brief describes how code is written in this project. */
  stack: z._default(z.boolean(), false),
});
export type RoleFacts = z.infer<typeof RoleFacts>;
export type WriteScope = NonNullable<RoleFacts["writes"]>;
export type ToolKind = RoleFacts["tools"][number];

export function parseRoleAsset(role: string, asset: string): { readonly facts: RoleFacts; readonly text: string } {
  const [, front = "", text = ""] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(asset) ?? [];
  const read = z.safeParse(RoleFacts, parse(front));
  if (read.success) return { facts: read.data, text };
  throw new Error(`assets/roles/${role}.md: ${z.prettifyError(read.error)}`);
}
