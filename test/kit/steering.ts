import type { z } from "zod";
import { toFlagName } from "#doors/cli/command-arguments.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { LeadEffect } from "#roadmap/model/lead/lead-state.ts";
import type { ManageSteeringOutputSchema } from "#roadmap/operations/steering/schema.ts";
import { draftSteeringEffects } from "#roadmap/operations/steering/steering-draft.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { openMemoryWorkspace } from "./memory-engine.ts";

type Answer = z.infer<typeof ManageSteeringOutputSchema>;
type Input = Readonly<Record<string, unknown>>;

/** A workspace in memory with steering files. */
export function openSteering() {
  const { engine, files, read, run, cli, clock } = openMemoryWorkspace();
  const call = async (input: Input): Promise<Answer> => (await run("steering.manage", input)) as Answer;
  const write = async (steps: (tree: StoreTree) => StoreStep[], effects: readonly LeadEffect[] = []): Promise<void> => {
    await commitStoreWrite(engine, (tree) => ({
      steps: steps(tree),
      keeps: draftSteeringEffects(tree, effects, "").keeps(),
      occurrences: [{ kind: "test.wrote", subject: "steering" }],
      result: undefined,
    }));
  };
  return {
    call,
    run,
    write,
    read,
    files,
    put: (path: string, text: string) => void files.set(path, text),
    /** The code of a rejected call, by the operation and by the command. */
    async refused(input: Input): Promise<readonly [operation: string, command: string]> {
      const tool = await call(input).catch((error: unknown) => {
        if (error instanceof Fault) return error.code;
        throw error;
      });
      const flags = Object.entries(input).map(([field, value]) => `--${toFlagName(field)}=${String(value)}`);
      const { out, err } = await cli("steering", ...flags, "--json");
      const { error } = JSON.parse(out || err) as { error?: { code: string } };
      return [typeof tool === "string" ? tool : "ok", error?.code ?? "ok"];
    },
    /** Writes the effects of the Lead. */
    lead: (...effects: LeadEffect[]) =>
      write((tree) => draftSteeringEffects(tree, effects, clock.now()).steps(), effects),
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
