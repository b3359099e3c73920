import { INSPECTORS } from "../agent/role.ts";
import { isReserved } from "../roadmap/lead/ids.ts";

/** What is learned: what went wrong, what works well, where something is said. */
export const KNOWLEDGE_TYPES = ["incident", "pattern", "reference"] as const;
export type KnowledgeType = (typeof KNOWLEDGE_TYPES)[number];

/** Where in the life of a feature it is of use. */
export const KNOWLEDGE_PHASES = ["specifications", "design", "tasks", "impl"] as const;
export type KnowledgePhase = (typeof KNOWLEDGE_PHASES)[number];

/** What an agent learned, as it said so in its report. */
export interface KeptTag {
  /** A feature; `wave-2` or `all` where a review of more than one says so. */
  readonly feature: string;
  readonly role: string;
  /** `[PATTERN] Retries are safe.` */
  readonly tag: string;
  readonly tasks?: readonly string[];
  readonly at: string;
}

/** A tag taken apart; what is none is nothing. */
export function saidBy(tag: string): { readonly type: KnowledgeType; readonly text: string } | undefined {
  const [, word = "", text = ""] = /^\[([A-Z]+)\]\s+(\S[\s\S]*)$/.exec(tag) ?? [];
  const type = KNOWLEDGE_TYPES.find((each) => each.toUpperCase() === word);
  return type && { type, text: text.trim() };
}

/** Whether it was said of one feature, and not of a wave or of everything. */
export const isOfFeature = (feature: string): boolean => !isReserved(feature);

/** Who designs, and who looks at designs; all others look at code. */
const OF_DESIGN: ReadonlySet<string> = new Set(["architect", ...INSPECTORS.design.map((name) => `inspector-${name}`)]);

/** In which phase a role is at work, and so has learned something. */
export function phaseOf(role: string): KnowledgePhase {
  if (role === "task-generator") return "tasks";
  return OF_DESIGN.has(role) ? "design" : "impl";
}
