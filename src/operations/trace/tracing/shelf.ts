import { Fault } from "#domain/fault.ts";
import {
  type Acceptance,
  acceptanceProblem,
  asAcceptance,
  inOneOrder,
  isTraceId,
  type TraceId,
  type TracedSymbol,
} from "#domain/trace/acceptance.ts";
import { getAcceptancePath, joinFolderPath, type WorkspacePath, TRACE_FOLDER } from "#domain/workspace/path.ts";
import type { StoredRecordShape, StoreStep, StoreTree } from "../../ports/store.ts";

export const acceptanceShape = (id: TraceId): StoredRecordShape<Acceptance> => ({
  schema: 1,
  problem: (value) => acceptanceProblem(value, id),
  trust: asAcceptance,
});

export interface Acceptances {
  readonly found: ReadonlyMap<TraceId, Acceptance>;
  /** Unreadable records, and unexpected files in their folder. */
  readonly damaged: readonly { readonly path: WorkspacePath; readonly why: string; readonly id?: TraceId }[];
}

/** Lists damaged records separately instead of skipping them. */
export function everyAcceptance(tree: StoreTree): Acceptances {
  const found = new Map<TraceId, Acceptance>();
  const damaged: { path: WorkspacePath; why: string; id?: TraceId }[] = [];
  for (const name of tree.names(TRACE_FOLDER).filter((each) => !each.startsWith("."))) {
    const id = idOf(name);
    if (id === undefined) {
      damaged.push({
        path: joinFolderPath(TRACE_FOLDER, name),
        why: "Its name is not that of a requirement: AUTH-001.json.",
      });
      continue;
    }
    try {
      const record = tree.record(getAcceptancePath(id), acceptanceShape(id));
      if (record) found.set(id, record);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      damaged.push({ path: getAcceptancePath(id), why: error.why, id });
    }
  }
  return { found, damaged };
}

export function idOf(name: string): TraceId | undefined {
  const stem = name.slice(0, -".json".length);
  return name.endsWith(".json") && isTraceId(stem) ? stem : undefined;
}

export interface Accepting {
  readonly id: TraceId;
  readonly spec_hash?: string | undefined;
  readonly symbols: readonly TracedSymbol[];
  readonly commit?: string | undefined;
}

export function acceptanceStep(
  tree: StoreTree,
  { id, spec_hash, symbols, commit }: Accepting,
  said: Pick<Acceptance, "at" | "by" | "reason">,
): StoreStep {
  const before = tree.record(getAcceptancePath(id), acceptanceShape(id));
  const record: Acceptance = {
    id,
    ...(spec_hash === undefined ? {} : { spec_hash }),
    symbols: inOneOrder(symbols),
    ...(commit === undefined ? {} : { commit }),
    ...said,
    schema: 1,
    rev: (before?.rev ?? 0) + 1,
  };
  return { kind: "record", path: getAcceptancePath(id), record, shape: acceptanceShape(id) };
}
