import { catchFault } from "#kernel/model/fault.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { decodeUtf8File } from "#kernel/adapters/workspace-files.ts";
import type { RevisedRecord, StoredRecordShape, StorePlan, StoreTree } from "../operations/ports/store.ts";
import { createCorruptRecordFault, openRecord, openSealedRecord } from "./record-seal.ts";

export interface ReadableFiles {
  bytes(path: WorkspacePath): Buffer | undefined;
  names(folder: WorkspacePath): readonly string[];
  has(path: WorkspacePath): boolean;
}

/** Reads each file once, so that a decision sees one state. */
export function createFileTree(
  files: ReadableFiles,
  seen = memoizeByKey((path: WorkspacePath) => files.bytes(path)),
): Omit<StoreTree, "kept" | "lease"> {
  const text = memoizeByKey((path: WorkspacePath) => decodeUtf8File(path, seen(path)));
  const records = new Map<WorkspacePath, RevisedRecord | undefined>();
  const readRecordText = (path: WorkspacePath): string | undefined =>
    catchFault(
      () => text(path),
      (fault) => {
        throw fault.code === "files.not-text" ? createCorruptRecordFault(path, fault.why) : fault;
      },
    );
  return {
    text,
    names: memoizeByKey((folder: WorkspacePath) => files.names(folder)),
    has: (path) => files.has(path),
    record: <T extends RevisedRecord>(path: WorkspacePath, shape: StoredRecordShape<T>) => {
      const found = records.has(path) ? undefined : readRecordText(path);
      if (found !== undefined) records.set(path, openSealedRecord(path, found, shape));
      return records.get(path) as T | undefined;
    },
    unsealed: (path, shape) => {
      const found = readRecordText(path);
      return found === undefined ? undefined : openRecord(path, found, shape, false);
    },
  };
}

export function memoizeByKey<Key, Value>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, read(key));
    return known.get(key) as Value;
  };
}

/** A plan without changes needs no event. Counters it used are saved anyway. */
export const isEmptyPlan = ({
  steps,
  occurrences,
  keeps = [],
  grants = [],
  releases = [],
}: StorePlan<unknown>): boolean => [steps, occurrences, keeps, grants, releases].every((list) => list.length === 0);
