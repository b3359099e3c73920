import type { z } from "zod";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import type { Engine } from "#doors/engine.ts";
import type { FeatureRecord } from "#roadmap/model/feature/feature-record.ts";
import type { LeadEffect } from "#roadmap/model/lead/lead-state.ts";
import { loadPendingBuffer } from "#roadmap/operations/knowledge/knowledge-folder.ts";
import type { ApproveSkillOutputSchema, ManageKnowledgeOutputSchema } from "#roadmap/operations/knowledge/schema.ts";
import { commitLeadEvents } from "#roadmap/operations/lead/write-lead.ts";
import { openMemoryWorkspace } from "./memory-engine.ts";

type Answer = z.infer<typeof ManageKnowledgeOutputSchema>;
type Approved = z.infer<typeof ApproveSkillOutputSchema>;
type Input = Readonly<Record<string, unknown>>;

export const BUFFER = "sdd/handover/buffer.md";

/** What agents report and users decide about lessons, on any engine. */
export function createKnowledgeActions(engine: Engine) {
  const origin = { ...engine.origin, findAgentSign: async () => undefined };
  const person = Object.create(engine, { origin: { value: origin } }) as Engine;
  const run = async (id: "knowledge.manage" | "knowledge.approve", input: Input): Promise<unknown> => {
    const operation = await loadCatalogueOperation(id);
    const read = (await operation.input?.())?.parse(input);
    const caller = id === "knowledge.approve" ? person : engine;
    return (await operation.output()).parse(await operation.run(caller, read));
  };
  const feed = async (effects: readonly LeadEffect[], added: readonly FeatureRecord[] = []): Promise<void> => {
    await commitLeadEvents(engine, () => ({
      events: added.map((record) => ({ kind: "feature-added", record })),
      effects,
    }));
  };
  return {
    engine,
    manage: async (input: Input) => (await run("knowledge.manage", input)) as Answer,
    approve: async (input: Input) => (await run("knowledge.approve", input)) as Approved,
    /** Reports the lessons of a feature's Builder. */
    learn: (feature: string, ...tags: string[]) =>
      feed([{ kind: "tags", feature, role: "builder", tags, tasks: ["1.2"] }]),
    feed,
    finishWave: () => feed([{ kind: "wave-finished", wave: 1 }]),
    waiting: () => engine.store.read((tree) => loadPendingBuffer(tree, engine)),
  };
}

export type KnowledgeWorkspace = ReturnType<typeof openKnowledge>;

/** A workspace in memory in which agents learn. */
export function openKnowledge() {
  const { engine, files, read, list, cli } = openMemoryWorkspace();
  return {
    ...createKnowledgeActions(engine),
    read,
    cli,
    put: (path: string, text: string) => void files.set(path, text),
    /** The names in `sdd/knowledge`. */
    known: () => list("sdd/knowledge").map((path) => path.slice("sdd/knowledge/".length)),
  };
}
