export const SCOPES = ["project", "personal"] as const;
export type Scope = (typeof SCOPES)[number];

/** In UTF-8 bytes. */
export const LONGEST_CONTENT = 65_536;
export const DEFAULT_SESSION = "manual-save";
export const DEFAULT_TYPE = "manual";
/** User prompts, kept separate because a question is not an answer. */
export const PROMPT = "prompt";
export const SESSION_SUMMARY = "session_summary";
export const COMPACTION_SUMMARY = "compaction_summary";

/** The same text within this time is a duplicate. */
export const DUPLICATE_MINUTES = 15;
export const MOST_COMPACTED = 200;

/** The documented relations. Others are allowed. */
export const SUPERSEDES = "supersedes";
export const RELATES_TO = "relates_to";

export interface Observation {
  readonly id: number;
  readonly project: string;
  readonly session: string;
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly scope: Scope;
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

export const sameness = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim();

export function titleFrom(text: string, length = 80): string {
  const line = text.trim().split(/\r?\n/, 1)[0]?.replace(/\s+/g, " ").trim() ?? "";
  if (line.length <= length) return line;
  const end = line.lastIndexOf(" ", length);
  const part = line.slice(0, end > length / 2 ? end : length);
  return `${part.replace(/[\ud800-\udbff]$/, "").toWellFormed()}…`;
}
