import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import { TextCleaner } from "./text-cleaner.ts";
import type { MemoryEngine } from "./engine.ts";
import { type MemoryStore, openEnabledMemory, resolveMemoryProject } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { DeleteObservationInputSchema, DeleteObservationOutputSchema } from "./schema.ts";
import { quoteObservation, createObservationView } from "./observation-view.ts";

type DeleteObservationInput = z.infer<typeof DeleteObservationInputSchema>;
type DeleteObservationOutput = z.infer<typeof DeleteObservationOutputSchema>;

export const deleteObservation = defineOperation<DeleteObservationInput, DeleteObservationOutput, MemoryEngine>({
  id: "memory.delete",
  effect: "destroy",
  isUsers: true,
  input: async () => (await import("./schema.ts")).DeleteObservationInputSchema,
  output: async () => (await import("./schema.ts")).DeleteObservationOutputSchema,
  async run(engine: MemoryEngine, input) {
    rejectMixedTargets(input);
    const memory = await openEnabledMemory(engine);
    const { id, source, hard_delete = false, undelete = false } = input;
    if (source !== undefined) return purgeObservationSource(engine, memory, { ...input, source });
    if (id === undefined) throw createNoTargetFault();
    const at = engine.clock.now();
    const observation = undelete ? await memory.restore(id, at) : await memory.remove(id, hard_delete, at);
    const action = undelete ? "undeleted" : hard_delete ? "destroyed" : "deleted";
    return { action, count: 1, observation: createObservationView(observation, "summary") };
  },
  page({ action, count: n, observation }) {
    const isSoft = action === "deleted";
    return {
      title: observation ? `#${observation.id} is ${action}.` : `${formatCount(n, "observation")} ${action}.`,
      quotes: observation ? [quoteObservation(observation)] : [],
      next:
        isSoft && observation ? [{ operation: "memory.delete", input: { id: observation.id, undelete: true } }] : [],
    };
  },
});

/** Deletes everything from one source, such as a poisoned one. */
async function purgeObservationSource(
  engine: MemoryEngine,
  memory: MemoryStore,
  said: DeleteObservationInput & { source: string },
): Promise<DeleteObservationOutput> {
  // Secrets were removed from the stored source, so the input is cleaned too.
  const input = await new TextCleaner(engine).all(said);
  const project = input.project === undefined ? undefined : await resolveMemoryProject(engine, input.project);
  const isHard = input.hard_delete ?? false;
  const purged = await memory.purge(input.source, project, isHard, engine.clock.now());
  return { action: isHard ? "destroyed" : "deleted", count: purged };
}

function rejectMixedTargets({ id, source, hard_delete, undelete }: DeleteObservationInput): void {
  if (id === undefined && source === undefined) throw createNoTargetFault();
  if (id !== undefined && source !== undefined) throw createMixedTargetFault("An id and a source were both given.");
  if (undelete && (hard_delete || source !== undefined))
    throw createMixedTargetFault("Only one observation, by its id, is undeleted.");
}

const createNoTargetFault = (): Fault =>
  new Fault("input.missing", {
    what: "Nothing was deleted.",
    why: "Neither an id nor a source was given.",
    fix: { operation: "memory.delete", input: { id: 1 } },
  });

const createMixedTargetFault = (why: string): Fault =>
  new Fault("input.invalid", {
    what: "Nothing was deleted.",
    why,
    fix: { operation: "memory.delete", input: { id: 1 } },
  });
