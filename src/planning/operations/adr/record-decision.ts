import type { PlanningEngine } from "../engine.ts";
import type * as z from "zod";
import {
  formatDecisionFileName,
  formatDecisionId,
  MAX_DECISION_NUMBER,
  getNextDecisionNumber,
  renderDecision,
  updateDecisionStatus,
} from "../../model/adr/decision-record.ts";
import { addDecisionToChange } from "../../model/change/change-lifecycle.ts";
import { Fault } from "#kernel/model/fault.ts";
import {
  ADR_FOLDER,
  getChangeAdrFolder,
  CHANGES_FOLDER,
  joinFolderPath,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import {
  type StoredChange,
  chooseActiveChange,
  createChangeRecordStep,
  listActiveChanges,
} from "../change/change-records.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { LockedStoreTree, StorePlan, StoreStep } from "#store/operations/ports/store.ts";
import type { AdrRecord, AdrRecorded } from "./schema.ts";
import {
  type DecisionFile,
  findDecisionFile,
  requireNotSuperseded,
  readDecisionFileText,
  createDecisionView,
  formatDecisionPage,
  type DecisionViewData,
} from "./decision-files.ts";

type DecisionRecordInput = z.infer<typeof AdrRecord>;
type DecisionRecordOutput = z.infer<typeof AdrRecorded>;

export const recordDecisionOperation = defineOperation({
  id: "adr.record",
  effect: "append",
  input: async () => (await import("./schema.ts")).AdrRecord,
  output: async () => (await import("./schema.ts")).AdrRecorded,
  run: (engine: PlanningEngine, input) =>
    commitStoreWrite(engine, (tree) => planDecisionRecord(tree, input, engine.clock.now())),
  page({ adr, superseded }) {
    const page = formatDecisionPage(`${adr.ref} is recorded.`, adr);
    return superseded ? { ...page, points: [`${superseded.ref} is superseded.`] } : page;
  },
});

/** Returns a plan, so that other operations can write it in the same commit. */
export function planDecisionRecord(
  tree: LockedStoreTree,
  input: DecisionRecordInput,
  at: string,
): StorePlan<DecisionRecordOutput> {
  if (input.status === "superseded") {
    throw new Fault("adr.successor", {
      what: "The decision cannot be recorded as superseded.",
      why: "It would have no successor.",
      fix: { operation: "adr.record", input: { title: "…", status: "deprecated" } },
    });
  }
  const change = chooseDecisionChange(tree, input);
  const folder = change ? getChangeAdrFolder(CHANGES_FOLDER, change.record.id) : ADR_FOLDER;
  const counter = change ? `adr/${change.record.id}` : "adr";
  const number = getNextDecisionNumber(tree.names(folder), tree.counter(counter));
  if (number > MAX_DECISION_NUMBER) throw createDecisionLimitFault(folder);
  const id = formatDecisionId(number, change !== undefined);
  const path = joinFolderPath(folder, formatDecisionFileName(id, input.title, change !== undefined));
  const place: DecisionFile = { id, path, ref: change ? `${change.record.id}/${id}` : id };
  const old =
    input.supersedes === undefined ? undefined : supersedeDecision(tree, input.supersedes, place.ref, at, change);
  const { standalone: _, ...said } = input;
  const text = renderDecision({
    ...said,
    id,
    status: input.status ?? "accepted",
    change_id: change?.record.id,
    supersedes: old?.view.ref,
    created_at: at,
  });
  const adr = createDecisionView(place, text);
  return {
    steps: [
      { kind: "document", path, text },
      ...(old ? [old.step] : []),
      ...(change ? [createChangeRecordStep(addDecisionToChange(change.record, id, at))] : []),
    ],
    counters: { [counter]: number },
    occurrences: [
      { kind: "adr.recorded", subject: adr.ref, data: { title: adr.title, status: adr.status, path } },
      ...(old ? [{ kind: "adr.restated", subject: old.view.ref, data: { status: "superseded", by: adr.ref } }] : []),
    ],
    result: { adr, ...(old ? { superseded: old.view } : {}) },
  };
}

function createDecisionLimitFault(folder: WorkspacePath): Fault {
  return new Fault("adr.too-many", {
    what: "The decision cannot be recorded.",
    why: `The numbers in ${folder} go up to ${MAX_DECISION_NUMBER}, and a decision there has the last one.`,
    fix: `ls ${folder} | tail`,
  });
}

/** The named change, else the only active one, else none. */
function chooseDecisionChange(tree: LockedStoreTree, input: DecisionRecordInput): StoredChange | undefined {
  if (input.standalone) {
    if (input.change_id === undefined) return undefined;
    throw new Fault("input.invalid", {
      what: "The decision cannot be recorded.",
      why: "It was said to belong to a change and to stand alone.",
      fix: "Give change_id or standalone, not both.",
    });
  }
  if (input.change_id === undefined && listActiveChanges(tree).length === 0) return undefined;
  const change = chooseActiveChange(tree, input.change_id, "adr.record");
  if (change.shelf === CHANGES_FOLDER && change.record.status !== "abandoned") return change;
  throw new Fault("adr.change-closed", {
    what: `The decision cannot be recorded in ${change.record.id}.`,
    why: `That change is ${change.record.status}.`,
    fix: { operation: "adr.record", input: { title: "…", standalone: true } },
  });
}

function supersedeDecision(
  tree: LockedStoreTree,
  reference: string,
  successor: string,
  at: string,
  near: StoredChange | undefined,
): { view: DecisionViewData; step: StoreStep } {
  const place = findDecisionFile(tree, reference, near);
  const text = readDecisionFileText(tree, place);
  requireNotSuperseded(createDecisionView(place, text));
  const restated = updateDecisionStatus(place.id, text, { status: "superseded", at, superseded_by: successor });
  return { view: createDecisionView(place, restated), step: { kind: "document", path: place.path, text: restated } };
}
