import { Fault } from "#kernel/model/fault.ts";
import type { Observation } from "./memory-records.ts";

export const OBSERVATION_SCOPES = ["project", "personal"] as const;

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

export function extractLearnings(text: string): string[] {
  let found: string[] = [];
  let section: string[] | undefined;
  const close = (): void => {
    const items = section ? readLearningItems(section) : [];
    if (items.length > 0) found = items;
  };
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    if (!/^#{1,6}\s/.test(line)) {
      section?.push(line);
      continue;
    }
    close();
    section = LEARNINGS_HEADING.test(line.trim()) ? [] : undefined;
  }
  close();
  return found;
}

function readLearningItems(lines: readonly string[]): string[] {
  const under = (mark: RegExp): string[] => lines.flatMap((line) => mark.exec(line)?.[1] ?? []);
  const numbered = under(NUMBERED_LEARNING);
  return (numbered.length > 0 ? numbered : under(BULLET_LEARNING))
    .map(removeInlineMarks)
    .filter((item) => item.length >= MIN_LEARNING_LENGTH);
}

const removeInlineMarks = (text: string): string =>
  text
    .replace(/\*\*([^*]+)\*\*/g, "$1")
    .replace(/`([^`]+)`/g, "$1")
    .replace(/(?<![\w*])[*_]([^*_]+)[*_](?![\w*])/g, "$1")
    .trim();

export function createUnknownObservationFault(id: number): Fault {
  return new Fault("memory.unknown", {
    what: `Observation #${id} cannot be found.`,
    why: "Nothing is remembered under that number.",
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

export function createTakenTopicFault(topic_key: string, holder: number): Fault {
  return new Fault("memory.topic-taken", {
    what: `The topic key ${topic_key} cannot be given to a second observation.`,
    why: `Observation #${holder} has it.`,
    fix: { operation: "memory.get", input: { id: holder } },
  });
}

export function createUnknownRelationFault(id: number): Fault {
  return new Fault("memory.unknown-relation", {
    what: `Relation ${id} cannot be removed.`,
    why: "There is none of that number.",
    fix: { operation: "memory.get", input: { id: 1 } },
  });
}

export function createBadRelationFault(why: string): Fault {
  return new Fault("memory.bad-relation", {
    what: "The relation was not made.",
    why,
    fix: { operation: "memory.relate", input: { from_id: 1, to_id: 2, relation_type: "depends_on" } },
  });
}

export function createUnknownSessionFault(id: string): Fault {
  return new Fault("memory.unknown-session", {
    what: "The session was not ended.",
    why: `No session "${id}" was started in this project.`,
    fix: { operation: "memory.session", input: { action: "start", id } },
  });
}

export function createNotStaleFault(ids: readonly number[], before: string): Fault {
  return new Fault("memory.not-stale", {
    what: "Nothing was compacted.",
    why: `${ids.map((id) => `#${id}`).join(", ")} ${ids.length === 1 ? "is" : "are"} not among those last changed before ${before} that were meant.`,
    fix: { operation: "memory.compact", input: { older_than_days: 90 } },
  });
}
