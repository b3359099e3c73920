import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { TextCleaner } from "../clean.ts";
import type { Engine } from "../engine.ts";
import { type MemoryStore, openEnabledMemory, resolveMemoryProject } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { Delete, Deleted } from "./schema.ts";
import { quoteView, view } from "./view.ts";

type Input = z.infer<typeof Delete>;
type Output = z.infer<typeof Deleted>;

export const remove = defineOperation<Input, Output>({
  id: "memory.delete",
  effect: "destroy",
  isUsers: true,
  input: async () => (await import("./schema.ts")).Delete,
  output: async () => (await import("./schema.ts")).Deleted,
  async run(engine, input) {
    refuseMixture(input);
    const memory = await openEnabledMemory(engine);
    const { id, source, hard_delete = false, undelete = false } = input;
    if (source !== undefined) return purge(engine, memory, { ...input, source });
    if (id === undefined) throw nothingNamed();
    const at = engine.clock.now();
    const observation = undelete ? await memory.restore(id, at) : await memory.remove(id, hard_delete, at);
    const action = undelete ? "undeleted" : hard_delete ? "destroyed" : "deleted";
    return { action, count: 1, observation: view(observation, "summary") };
  },
  page({ action, count: n, observation }) {
    const isSoft = action === "deleted";
    return {
      title: observation ? `#${observation.id} is ${action}.` : `${formatCount(n, "observation")} ${action}.`,
      quotes: observation ? [quoteView(observation)] : [],
      next:
        isSoft && observation ? [{ operation: "memory.delete", input: { id: observation.id, undelete: true } }] : [],
    };
  },
});

/** Deletes everything from one source, such as a poisoned one. */
async function purge(engine: Engine, memory: MemoryStore, said: Input & { source: string }): Promise<Output> {
  // Secrets were removed from the stored source, so the input is cleaned too.
  const input = await new TextCleaner(engine).all(said);
  const project = input.project === undefined ? undefined : await resolveMemoryProject(engine, input.project);
  const isHard = input.hard_delete ?? false;
  const purged = await memory.purge(input.source, project, isHard, engine.clock.now());
  return { action: isHard ? "destroyed" : "deleted", count: purged };
}

function refuseMixture({ id, source, hard_delete, undelete }: Input): void {
  if (id === undefined && source === undefined) throw nothingNamed();
  if (id !== undefined && source !== undefined) throw unclear("An id and a source were both given.");
  if (undelete && (hard_delete || source !== undefined))
    throw unclear("Only one observation, by its id, is undeleted.");
}

const nothingNamed = (): Fault =>
  new Fault("input.missing", {
    what: "Nothing was deleted.",
    why: "Neither an id nor a source was given.",
    fix: { operation: "memory.delete", input: { id: 1 } },
  });

const unclear = (why: string): Fault =>
  new Fault("input.invalid", {
    what: "Nothing was deleted.",
    why,
    fix: { operation: "memory.delete", input: { id: 1 } },
  });
