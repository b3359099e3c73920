import { Fault } from "#kernel/model/fault.ts";
import { isTraceId, type TraceId } from "#kernel/model/ids/trace-id.ts";
import {
  type TraceAcceptance,
  findAcceptanceProblem,
  castAcceptance,
  sortUniqueSymbols,
  type TracedSymbol,
} from "../../model/trace/trace-acceptance.ts";
import { getAcceptancePath, joinFolderPath, type WorkspacePath, TRACE_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { StoredRecordShape, StoreStep, StoreTree } from "#store/operations/ports/store.ts";

export const createAcceptanceShape = (id: TraceId): StoredRecordShape<TraceAcceptance> => ({
  schema: 1,
  problem: (value) => findAcceptanceProblem(value, id),
  trust: castAcceptance,
});

export interface AcceptanceRecords {
  readonly found: ReadonlyMap<TraceId, TraceAcceptance>;
  /** Unreadable records, and unexpected files in their folder. */
  readonly damaged: readonly { readonly path: WorkspacePath; readonly why: string; readonly id?: TraceId }[];
}

/** Lists damaged records separately instead of skipping them. */
export function loadAcceptances(tree: StoreTree): AcceptanceRecords {
  const found = new Map<TraceId, TraceAcceptance>();
  const damaged: { path: WorkspacePath; why: string; id?: TraceId }[] = [];
  for (const name of tree.names(TRACE_FOLDER).filter((each) => !each.startsWith("."))) {
    const id = parseAcceptanceFileName(name);
    if (id === undefined) {
      damaged.push({
        path: joinFolderPath(TRACE_FOLDER, name),
        why: "Its name is not that of a requirement: AUTH-001.json.",
      });
      continue;
    }
    try {
      const record = tree.record(getAcceptancePath(id), createAcceptanceShape(id));
      if (record) found.set(id, record);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      damaged.push({ path: getAcceptancePath(id), why: error.why, id });
    }
  }
  return { found, damaged };
}

export function parseAcceptanceFileName(name: string): TraceId | undefined {
  const stem = name.slice(0, -".json".length);
  return name.endsWith(".json") && isTraceId(stem) ? stem : undefined;
}

export interface AcceptanceInput {
  readonly id: TraceId;
  readonly spec_hash?: string | undefined;
  readonly symbols: readonly TracedSymbol[];
  readonly commit?: string | undefined;
}

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
