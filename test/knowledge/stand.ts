import fs from "node:fs";
import { dirname, join } from "node:path";
import type { z } from "zod";
import type { FeatureRecord } from "#roadmap/model/feature/feature-record.ts";
import type { LeadEffect } from "#roadmap/model/lead/lead-events.ts";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import type { Engine } from "#doors/engine.ts";
import { loadPendingBuffer } from "#roadmap/operations/knowledge/knowledge-folder.ts";
import type { ApproveSkillOutputSchema, ManageKnowledgeOutputSchema } from "#roadmap/operations/knowledge/schema.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse, type TestHouse } from "../kit/house.ts";
import { commitLeadEvents } from "#roadmap/operations/lead/write-lead.ts";

type Answer = z.infer<typeof ManageKnowledgeOutputSchema>;
type Input = Readonly<Record<string, unknown>>;

export const BUFFER = "sdd/handover/buffer.md";

export interface KnowledgeStand extends Disposable {
  readonly root: string;
  readonly tenon: TestHouse;
  readonly engine: Engine;
  manage(input: Input): Promise<Answer>;
  approve(input: Input): Promise<z.infer<typeof ApproveSkillOutputSchema>>;
  /** What a Builder of a feature says that it learned. */
  learn(feature: string, ...tags: string[]): Promise<void>;
  feed(effects: readonly LeadEffect[], added?: readonly FeatureRecord[]): Promise<void>;
  finishWave(): Promise<void>;
  /** What waits, as `bufferIn` tells others. */
  waiting(): Promise<ReturnType<typeof loadPendingBuffer>>;
  read(path: string): string;
  put(path: string, text: string): void;
  has(path: string): boolean;
  /** The names in `sdd/knowledge`. */
  known(): string[];
}

/** A repository in which agents learn something. */
export async function knowledgeStand(): Promise<KnowledgeStand> {
  const repository = temporaryRepository();
  const root = repository.path;
  fs.mkdirSync(join(root, "sdd"));
  const tenon = testHouse(root, { newId: () => crypto.randomUUID() });
  const engine = await tenon.house.open({ argument: root });
  const run = async (id: "knowledge.manage" | "knowledge.approve", input: Input): Promise<unknown> => {
    const operation = await loadCatalogueOperation(id);
    const read = (await operation.input?.())?.parse(input);
    return (await operation.output()).parse(await operation.run(engine, read));
  };
  const feed: KnowledgeStand["feed"] = async (effects, added = []) => {
    await commitLeadEvents(engine, () => ({
      events: added.map((record) => ({ kind: "feature-added", record })),
      effects,
    }));
  };
  return {
    root,
    tenon,
    engine,
    manage: async (input) => (await run("knowledge.manage", input)) as Answer,
    approve: async (input) => (await run("knowledge.approve", input)) as z.infer<typeof ApproveSkillOutputSchema>,
    learn: (feature, ...tags) => feed([{ kind: "tags", feature, role: "builder", tags, tasks: ["1.2"] }]),
    feed,
    finishWave: () => feed([{ kind: "wave-finished", wave: 1 }]),
    waiting: () => engine.store.read((tree) => loadPendingBuffer(tree, engine)),
    read: (path) => fs.readFileSync(join(root, path), "utf8"),
    put(path, text) {
      fs.mkdirSync(dirname(join(root, path)), { recursive: true });
      fs.writeFileSync(join(root, path), text);
    },
    has: (path) => fs.existsSync(join(root, path)),
    known: () =>
      fs.existsSync(join(root, "sdd/knowledge")) ? fs.readdirSync(join(root, "sdd/knowledge")).toSorted() : [],
    [Symbol.dispose]() {
      tenon[Symbol.dispose]();
      repository[Symbol.dispose]();
    },
  };
}
