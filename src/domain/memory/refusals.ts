import { Fault } from "../fault.ts";
import type { Observation } from "./observation.ts";

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
