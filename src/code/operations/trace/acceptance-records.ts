import { Fault } from "#kernel/model/fault.ts";
import { isTraceId, type TraceId } from "#kernel/model/ids/trace-id.ts";
import { createAcceptanceSchema, type TraceAcceptance, sortUniqueSymbols } from "../../model/trace/trace-acceptance.ts";
import { getAcceptancePath, joinFolderPath, type WorkspacePath, TRACE_FOLDER } from "#kernel/model/workspace-paths.ts";
import { createRecordShape } from "#kernel/model/record-schema.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";

export const createAcceptanceShape = (id: TraceId) => createRecordShape(1, createAcceptanceSchema(id));

/** Unreadable records and unexpected files in their folder are listed as damaged. */
export function loadAcceptances(tree: StoreTree) {
  const found = new Map<TraceId, TraceAcceptance>();
  const damaged: { readonly path: WorkspacePath; readonly why: string; readonly id?: TraceId }[] = [];
  for (const name of tree.names(TRACE_FOLDER).filter((each) => !each.startsWith("."))) {
    const id = parseAcceptanceFileName(name);
    const path = joinFolderPath(TRACE_FOLDER, name);
    if (id === undefined) {
      damaged.push({ path, why: "Its name is not the id of a requirement: AUTH-001.json." });
      continue;
    }
    try {
      const record = tree.record(getAcceptancePath(id), createAcceptanceShape(id));
      if (record) found.set(id, record);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      damaged.push({ path, why: error.why, id });
    }
  }
  return { found, damaged };
}

export function parseAcceptanceFileName(name: string): TraceId | undefined {
  const stem = name.slice(0, -".json".length);
  return name.endsWith(".json") && isTraceId(stem) ? stem : undefined;
}

export type AcceptanceInput = Pick<TraceAcceptance, "id" | "spec_hash" | "symbols" | "commit">;

export function createAcceptanceStep(
  tree: StoreTree,
  { id, spec_hash, symbols, commit }: AcceptanceInput,
  said: Pick<TraceAcceptance, "at" | "by" | "reason">,
): StoreStep {
  const before = tree.record(getAcceptancePath(id), createAcceptanceShape(id));
  const record: TraceAcceptance = {
    id,
    ...(spec_hash === undefined ? {} : { spec_hash }),
    symbols: sortUniqueSymbols(symbols),
    ...(commit === undefined ? {} : { commit }),
    ...said,
    schema: 1,
    rev: (before?.rev ?? 0) + 1,
  };
  return { kind: "record", path: getAcceptancePath(id), record, shape: createAcceptanceShape(id) };
}
