import type { PlanningEngine } from "../engine.ts";
import type * as z from "zod";
import { updateDecisionStatus } from "../../model/adr/decision-record.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import { CHANGES_FOLDER } from "#kernel/model/workspace-paths.ts";
import { listActiveChanges } from "../change/change-records.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { LockedStoreTree, StorePlan } from "#store/operations/ports/store.ts";
import type { AdrRestate, AdrRestated } from "./schema.ts";
import {
  type DecisionFile,
  findDecisionFile,
  requireNotSuperseded,
  readDecisionFileText,
  createDecisionView,
  formatDecisionPage,
} from "./decision-files.ts";

type DecisionStatusInput = z.infer<typeof AdrRestate>;
type DecisionStatusOutput = z.infer<typeof AdrRestated>;

export const decisionStatusOperation = defineOperation({
  id: "adr.status",
  effect: "change",
  input: async () => (await import("./schema.ts")).AdrRestate,
  output: async () => (await import("./schema.ts")).AdrRestated,
  run: (engine: PlanningEngine, input) =>
    commitStoreWrite(engine, (tree) => planDecisionStatus(tree, input, engine.clock.now())),
  page: ({ adr }) => formatDecisionPage(`${adr.ref} is ${adr.status}.`, adr),
});

function planDecisionStatus(
  tree: LockedStoreTree,
  input: DecisionStatusInput,
  at: string,
): StorePlan<DecisionStatusOutput> {
  requireMatchingSuccessor(input);
  const [only, second] = listActiveChanges(tree);
  const near = only && !second ? { shelf: CHANGES_FOLDER, record: only } : undefined;
  const place = findDecisionFile(tree, input.adr, near);
  const before = readDecisionFileText(tree, place);
  const present = createDecisionView(place, before);
  requireNotSuperseded(present);
  const successor = input.superseded_by === undefined ? undefined : findDecisionFile(tree, input.superseded_by, near);
  if (successor) requireNoSuccessorCycle(tree, place, successor);
  if (present.status === input.status) return { steps: [], occurrences: [], result: { adr: present } };
  const text = updateDecisionStatus(place.id, before, { ...input, at, superseded_by: successor?.ref });
  const adr = createDecisionView(place, text);
  return {
    steps: [{ kind: "document", path: place.path, text }],
    occurrences: [
      { kind: "adr.restated", subject: adr.ref, data: { status: adr.status, title: adr.title, path: place.path } },
    ],
    result: { adr },
  };
}

function requireMatchingSuccessor({ adr, status, superseded_by }: DecisionStatusInput): void {
  if ((status === "superseded") === (superseded_by !== undefined)) return;
  throw new Fault("adr.successor", {
    what: `The status of ${quote(adr, 60)} cannot change to ${status}.`,
    why: "A superseded decision names its successor, and no other does.",
    fix: { operation: "adr.status", input: { adr, status: "superseded", superseded_by: "ADR-…" } },
  });
}

function requireNoSuccessorCycle(tree: LockedStoreTree, place: DecisionFile, successor: DecisionFile): void {
  const seen = new Set<string>();
  for (let next: DecisionFile | undefined = successor; next && !seen.has(next.ref);) {
    if (next.ref === place.ref) {
      throw new Fault("adr.successor", {
        what: `${place.ref} cannot be superseded by ${successor.ref}.`,
        why: "The line of decisions would lead back to it.",
        fix: { operation: "adr.list" },
      });
    }
    seen.add(next.ref);
    const further: string | undefined = createDecisionView(next, readDecisionFileText(tree, next)).superseded_by;
    next = further === undefined ? undefined : findDecisionFile(tree, further);
  }
}
