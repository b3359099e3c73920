import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import type { ManageKnowledgeInputSchema, ManageKnowledgeOutputSchema } from "./schema.ts";

export type ManageKnowledgeCall = z.infer<typeof ManageKnowledgeInputSchema>;
export type ManageKnowledgeOutput = z.infer<typeof ManageKnowledgeOutputSchema>;
export type ManageKnowledgeInput = ManageKnowledgeCall & Pick<ManageKnowledgeOutput, "action">;

export type KnowledgeResult = Pick<ManageKnowledgeOutput, "written" | "notes"> &
  Pick<ManageKnowledgeOutput, "done" | "text">;

export const EMPTY_KNOWLEDGE_RESULT: KnowledgeResult = { written: [], notes: [] };

export function requireKnowledgeFields<K extends keyof ManageKnowledgeInput>(
  input: ManageKnowledgeInput,
  names: readonly K[],
): void {
  const missing = names.filter((name) => input[name] === undefined);
  if (missing.length === 0) return;
  const given = Object.fromEntries(
    (["action", "name", "answer", "type"] as const).flatMap((name) =>
      input[name] === undefined ? [] : [[name, input[name]]],
    ),
  );
  throw new Fault("input.missing", {
    what: "Nothing was done.",
    why: `${[input.action, input.answer].filter((word) => word !== undefined).join(" ")} needs ${missing.join(" and ")}.`,
    fix: {
      operation: "knowledge.manage",
      input: { ...given, ...Object.fromEntries(missing.map((name) => [name, "…"])) },
    },
  });
}

export function createUnknownKnowledgeFault(
  what: string,
  name: string,
  known: readonly string[],
  action: ManageKnowledgeInput["action"],
): Fault {
  return new Fault("knowledge.unknown", {
    what: "Nothing was done.",
    why: `No ${what} is called ${quote(name, 100)}; ${
      known.length === 0 ? "there is none" : `there are ${known.slice(0, 20).join(", ")}`
    }.`,
    fix: { operation: "knowledge.manage", input: { action } },
  });
}
