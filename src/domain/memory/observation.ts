export const OBSERVATION_SCOPES = ["project", "personal"] as const;
export type ObservationScope = (typeof OBSERVATION_SCOPES)[number];

/** In UTF-8 bytes. */
export const MAX_CONTENT_BYTES = 65_536;
export const DEFAULT_MEMORY_SESSION = "manual-save";
export const DEFAULT_OBSERVATION_TYPE = "manual";
/** User prompts, kept separate because a question is not an answer. */
export const PROMPT_TYPE = "prompt";
export const SESSION_SUMMARY_TYPE = "session_summary";
export const COMPACTION_SUMMARY_TYPE = "compaction_summary";

/** The same text within this time is a duplicate. */
export const DUPLICATE_MINUTES = 15;
export const MAX_COMPACTED = 200;

/** The documented relations. Others are allowed. */
export const SUPERSEDES_RELATION = "supersedes";
export const RELATES_TO_RELATION = "relates_to";

export interface Observation {
  readonly id: number;
  readonly project: string;
  readonly session: string;
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly scope: ObservationScope;
  /** Observations of different namespaces do not see each other. Empty for none. */
  readonly namespace: string;
  readonly topic_key?: string;
  /** The file, tool or page of origin. Absent for text by an agent or a user. */
  readonly source?: string;
  readonly revision: number;
  readonly duplicates: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at?: string;
}

export const normalizeComparedText = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim();

export function deriveTextTitle(text: string, length = 80): string {
  const line = text.trim().split(/\r?\n/, 1)[0]?.replace(/\s+/g, " ").trim() ?? "";
  if (line.length <= length) return line;
  const end = line.lastIndexOf(" ", length);
  const part = line.slice(0, end > length / 2 ? end : length);
  return `${part.replace(/[\ud800-\udbff]$/, "").toWellFormed()}…`;
}
