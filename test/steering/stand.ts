import fs from "node:fs";
import { dirname, join } from "node:path";
import type { z } from "zod";
import type { LeadEffect } from "#roadmap/model/lead/lead-events.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import type { ManageSteeringOutputSchema } from "#roadmap/operations/steering/schema.ts";
import { draftSteeringEffects } from "#roadmap/operations/steering/steering-draft.ts";
import { openDoors } from "../bad-input/doors.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

type Answer = z.infer<typeof ManageSteeringOutputSchema>;
type Input = Readonly<Record<string, unknown>>;

export interface Stand extends Disposable {
  readonly root: string;
  /** By a tool; what it answers. */
  call(input: Input): Promise<Answer>;
  /** What both doors say to a call that is refused: the code, and whether a byte is another one. */
  refused(input: Input): Promise<readonly [tool: string, command: string | undefined]>;
  /** What the Lead's effects write. */
  lead(...effects: LeadEffect[]): Promise<void>;
  write(steps: (tree: StoreTree) => StoreStep[]): Promise<void>;
  read(path: string): string;
  put(path: string, text: string): void;
  files(): string[];
}

/** A repository with both doors open. */
export function steeringStand(): Stand {
  const repository = temporaryRepository();
  const root = repository.path;
  fs.mkdirSync(join(root, "sdd"));
  const doors = openDoors(root);
  const tenon = testHouse(root, { newId: () => crypto.randomUUID() });
  const write = async (steps: (tree: StoreTree) => StoreStep[], effects: readonly LeadEffect[] = []): Promise<void> => {
    const engine = await tenon.house.open({ argument: root });
    await commitStoreWrite(engine, (tree) => ({
      steps: steps(tree),
      keeps: draftSteeringEffects(tree, effects, "").keeps(),
      occurrences: [{ kind: "test.wrote", subject: "steering" }],
      result: undefined,
    }));
  };
  return {
    root,
    async call(input) {
      const [outcome, heard] = await doors.heard("steering.manage", input);
      if (outcome !== "ok") throw new Error(`${outcome}: ${heard}`);
      return (JSON.parse(heard) as { structuredContent: Answer }).structuredContent;
    },
    refused: async (input) => [await doors.mcp("steering.manage", input), await doors.cli("steering.manage", input)],
    lead: (...effects) => write((tree) => draftSteeringEffects(tree, effects, tenon.clock.now()).steps(), effects),
    write,
    read: (path) => fs.readFileSync(join(root, path), "utf8"),
    put(path, text) {
      fs.mkdirSync(dirname(join(root, path)), { recursive: true });
      fs.writeFileSync(join(root, path), text);
    },
    files: () =>
      fs
        .readdirSync(join(root, "sdd"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .toSorted(),
    [Symbol.dispose]() {
      tenon[Symbol.dispose]();
      doors[Symbol.dispose]();
      repository[Symbol.dispose]();
    },
  };
}

export const DECISION = {
  kind: "decision",
  type: "USER_DECISION",
  summary: "Keep state in SQLite",
  context: "Two stores drift",
  decision: "One SQLite file",
  reason: "One truth",
  impact: "store",
  source: "user instruction",
} as const satisfies LeadEffect;
