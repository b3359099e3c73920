import { Fault } from "#kernel/model/fault.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { decodeUtf8File } from "#kernel/adapters/workspace-files.ts";
import type { RevisedRecord, StoredRecordShape, StorePlan, StoreTree } from "../operations/ports/store.ts";
import { createCorruptRecordFault, openRecord, openSealedRecord } from "./record-seal.ts";

/** The files that a store reads, on disk or in memory. */
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
  const open = <T extends RevisedRecord>(
    path: WorkspacePath,
    shape: StoredRecordShape<T>,
    isSealed: boolean,
  ): T | undefined => {
    const found = readSealedText(text, path);
    if (found === undefined) return undefined;
    return isSealed ? openSealedRecord(path, found, shape) : openRecord(path, found, shape, false);
  };
  return {
    text,
    names: memoizeByKey((folder: WorkspacePath) => files.names(folder)),
    has: (path) => files.has(path),
    record: <T extends RevisedRecord>(path: WorkspacePath, shape: StoredRecordShape<T>) => {
      if (!records.has(path)) records.set(path, open(path, shape, true));
      return records.get(path) as T | undefined;
    },
    unsealed: (path, shape) => open(path, shape, false),
  };
}

function readSealedText(text: StoreTree["text"], path: WorkspacePath): string | undefined {
  try {
    return text(path);
  } catch (error) {
    throw error instanceof Fault && error.code === "files.not-text" ? createCorruptRecordFault(path, error.why) : error;
  }
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
