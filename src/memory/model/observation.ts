import { Fault } from "#kernel/model/fault.ts";
import type { Observation } from "./memory-records.ts";

export const OWN_SCOPES = ["project", "personal"] as const;
/** `team`: in the team's database, for everybody who works on the repository. */
export const OBSERVATION_SCOPES = [...OWN_SCOPES, "team"] as const;

/** Observations and relations of a team have greater numbers, so that a number alone tells where it is. */
export const LAST_OWN_NUMBER = 10_000_000;
export const isTeamNumber = (id: number): boolean => id > LAST_OWN_NUMBER;

/** In UTF-8 bytes. */
export const MAX_CONTENT_BYTES = 65_536;
export const DEFAULT_MEMORY_SESSION = "manual-save";
/** User prompts, kept separate because a question is not an answer. */
export const PROMPT_TYPE = "prompt";
export const SESSION_SUMMARY_TYPE = "session_summary";
export const COMPACTION_SUMMARY_TYPE = "compaction_summary";

/** Decision records are saved under a type of their own, and are decisions too. */
export const DECISION_TYPE = "decision";
export const DECISION_RECORD_TYPE = "adr";

export const hasWantedType = (type: string, wanted: string | undefined): boolean =>
  wanted === undefined || type === wanted || (wanted === DECISION_TYPE && type === DECISION_RECORD_TYPE);

export const MAX_COMPACTED = 200;

/** Relations may have any type. */
export const SUPERSEDES_RELATION = "supersedes";

export const normalizeComparedText = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim();

export function deriveTextTitle(text: string, length = 80): string {
  const line = text.trim().split(/\r?\n/, 1)[0]?.replace(/\s+/g, " ").trim() ?? "";
  if (line.length <= length) return line;
  const end = line.lastIndexOf(" ", length);
  const part = line.slice(0, end > length / 2 ? end : length);
  return `${part.replace(/[\ud800-\udbff]$/, "").toWellFormed()}…`;
}

const LEARNINGS_HEADING = /^#{2,3}\s+(?:key\s+)?(?:learnings?|aprendizajes(?:\s+clave)?)\s*:?\s*$/i;
const NUMBERED_LEARNING = /^\s*\d+[.)]\s+(.+)$/;
const BULLET_LEARNING = /^\s*[-*+]\s+(.+)$/;
/** In characters. Shorter items are remarks. */
const MIN_LEARNING_LENGTH = 20;

/** The items of the last section on learnings that has any. */
export function extractLearnings(text: string): string[] {
  const sections: string[][] = [];
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    if (/^#{1,6}\s/.test(line)) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return (
    sections
      .filter(([heading = ""]) => LEARNINGS_HEADING.test(heading.trim()))
      .map(readLearningItems)
      .findLast((items) => items.length > 0) ?? []
  );
}

function readLearningItems(lines: readonly string[]): string[] {
  const under = (mark: RegExp): string[] => lines.flatMap((line) => mark.exec(line)?.[1] ?? []);
  const numbered = under(NUMBERED_LEARNING);
  return (numbered.length > 0 ? numbered : under(BULLET_LEARNING))
    .map((item) => item.replace(/\*\*([^*]+)\*\*/g, "$1").replace(/`([^`]+)`/g, "$1"))
    .map((item) => item.replace(/(?<![\w*])[*_]([^*_]+)[*_](?![\w*])/g, "$1").trim())
    .filter((item) => item.length >= MIN_LEARNING_LENGTH);
}

export function createUnknownObservationFault(id: number): Fault {
  return new Fault("memory.unknown", {
    what: `Observation #${id} cannot be found.`,
    why: "No observation has that number.",
    fix: { operation: "memory.search", input: { query: "…" } },
  });
}

export function createDeletedObservationFault({ id, deleted_at }: Pick<Observation, "id" | "deleted_at">): Fault {
  return new Fault("memory.deleted", {
    what: `Observation #${id} cannot be used.`,
    why: `It was deleted at ${deleted_at}.`,
    fix: { operation: "memory.delete", input: { id, undelete: true } },
  });
}
