/** What an observation belongs to: the project, or whoever works on it. */
export const SCOPES = ["project", "personal"] as const;
export type Scope = (typeof SCOPES)[number];

/** UTF-8 bytes of one text. */
export const LONGEST_CONTENT = 65_536;
/** The session of what is saved outside any. */
export const DEFAULT_SESSION = "manual-save";
export const DEFAULT_TYPE = "manual";
/** What users asked; kept apart, because a question is no answer. */
export const PROMPT = "prompt";
export const SESSION_SUMMARY = "session_summary";
export const COMPACTION_SUMMARY = "compaction_summary";

/** Minutes in which the same text is the same observation. */
export const DUPLICATE_MINUTES = 15;
/** The most that one compaction puts away. */
export const MOST_COMPACTED = 200;

/** Relations that the documentation names; others are allowed. */
export const SUPERSEDES = "supersedes";
export const RELATES_TO = "relates_to";

/** One thing remembered. */
export interface Observation {
  readonly id: number;
  readonly project: string;
  readonly session: string;
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly scope: Scope;
  /** Parts of a project that do not see each other; empty for none. */
  readonly namespace: string;
  readonly topic_key?: string;
  /** The file, tool or page the text came from; nothing when an agent or a user wrote it. */
  readonly source?: string;
  readonly revision: number;
  /** How many times the same was saved again. */
  readonly duplicates: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at?: string;
}

/** Two texts that differ only in case and white space are the same. */
export const sameness = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim();

/** What to call a text that has no title: its first line, cut between words. */
export function titleFrom(text: string, length = 80): string {
  const line = text.trim().split(/\r?\n/, 1)[0]?.replace(/\s+/g, " ").trim() ?? "";
  if (line.length <= length) return line;
  const end = line.lastIndexOf(" ", length);
  const part = line.slice(0, end > length / 2 ? end : length);
  return `${part.replace(/[\ud800-\udbff]$/, "").toWellFormed()}…`;
}
