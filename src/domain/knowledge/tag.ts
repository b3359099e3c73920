import { REVIEW_INSPECTORS } from "../agent/role.ts";
import { isReservedActionHead } from "../roadmap/lead/ids.ts";

/** Incident: a failure. Pattern: a good solution. Reference: a source. */
export const KNOWLEDGE_TYPES = ["incident", "pattern", "reference"] as const;
export type KnowledgeType = (typeof KNOWLEDGE_TYPES)[number];

export const KNOWLEDGE_PHASES = ["specifications", "design", "tasks", "impl"] as const;
export type KnowledgePhase = (typeof KNOWLEDGE_PHASES)[number];

export interface KnowledgeTag {
  /** A feature; `wave-2` or `all` for a review of several features. */
  readonly feature: string;
  readonly role: string;
  /** `[PATTERN] Retries are safe.` */
  readonly tag: string;
  readonly tasks?: readonly string[];
  readonly at: string;
}

export function parseKnowledgeTag(tag: string): { readonly type: KnowledgeType; readonly text: string } | undefined {
  const [, word = "", text = ""] = /^\[([A-Z]+)\]\s+(\S[\s\S]*)$/.exec(tag) ?? [];
  const type = KNOWLEDGE_TYPES.find((each) => each.toUpperCase() === word);
  return type && { type, text: text.trim() };
}

/** False for a wave or for `all`. */
export const isFeatureSource = (feature: string): boolean => !isReservedActionHead(feature);

const DESIGN_ROLES: ReadonlySet<string> = new Set([
  "architect",
  ...REVIEW_INSPECTORS.design.map((name) => `inspector-${name}`),
]);

export function deriveRolePhase(role: string): KnowledgePhase {
  if (role === "task-generator") return "tasks";
  return DESIGN_ROLES.has(role) ? "design" : "impl";
}
