import { Fault } from "#kernel/model/fault.ts";
import type { PostgresDatabase } from "#kernel/adapters/postgres-database.ts";
import type { MemoryRecords } from "../operations/ports/memory.ts";
import type { TeamMemoryLink } from "../operations/team-memory.ts";
import { PostgresMemory } from "./postgres-memory.ts";

/** A read that takes longer is answered without the team. */
const PATIENCE_MS = 3_000;
/** After a failure, so many milliseconds pass before a read asks again. */
const RETRY_MS = 15_000;

export function createMemoryLink(database: PostgresDatabase, identify: () => Promise<string>): TeamMemoryLink {
  let name: Promise<string> | undefined;
  let awayUntil = 0;
  const repository = () =>
    (name ??= identify().catch((error: unknown) => {
      name = undefined;
      throw error;
    }));
  const open = async (): Promise<MemoryRecords> => new PostgresMemory(database, await repository());
  return {
    repository,
    open,
    async try(call) {
      if (performance.now() < awayUntil) throw createSilenceFault();
      try {
        return await withinPatience(open().then(call));
      } catch (error) {
        awayUntil = performance.now() + RETRY_MS;
        throw error;
      }
    },
  };
}

async function withinPatience<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(createSilenceFault());
    }, PATIENCE_MS);
  });
  // If the answer comes too late, its failure has no other reader.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const createSilenceFault = (): Fault =>
  new Fault("memory.team-away", {
    what: "The team's database did not answer.",
    why: `A read waits ${PATIENCE_MS / 1000} seconds for it.`,
    fix: { operation: "memory.search", input: { query: "…", scope: "project" } },
  });
