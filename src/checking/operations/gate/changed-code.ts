import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { isSourceFile, isTestFile } from "#code/model/scan/test-files.ts";
import type { FolderStack } from "../../model/stack/stack-check.ts";
import { findLockConflicts, isPathLocked } from "#planning/model/workflow/file-locks.ts";
import type { WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import type { CheckingEngine } from "../engine.ts";
import { loadWorkRuntime } from "#planning/operations/workflow/workflow-runtime.ts";
import type { SourceChange } from "#git/operations/ports/git-files.ts";

export interface ChangedFile {
  readonly path: string;
  readonly change: SourceChange;
  readonly isTest: boolean;
  readonly wasTest: boolean;
  readonly isOthers: boolean;
  /** Whether the file exists but is too large or not text. */
  readonly isUnread: boolean;
  readonly lines: ReadonlySet<number>;
  /** Undefined if the file is deleted or its code cannot be parsed. */
  readonly look?: CodeScan;
  readonly text?: string;
  readonly before?: CodeScan;
}

type CodeReadingEngine = Pick<CheckingEngine, "source" | "syntax" | "store">;

/** Leaves out files that only another workflow holds: this work is not responsible for them. */
export async function loadOwnChangedCode(
  engine: CodeReadingEngine,
  record: Pick<WorkflowRecord, "id" | "base_commit">,
  stacks: readonly FolderStack[],
): Promise<readonly ChangedFile[] | undefined> {
  return (await loadChangedCode(engine, record, stacks))?.filter(({ isOthers }) => !isOthers);
}

export async function loadChangedCode(
  engine: CodeReadingEngine,
  { id, base_commit: base }: Pick<WorkflowRecord, "id" | "base_commit">,
  stacks: readonly FolderStack[],
): Promise<readonly ChangedFile[] | undefined> {
  const all = base === undefined ? undefined : await engine.source.changes(base);
  if (base === undefined || !all) return undefined;
  const isOthers = await createForeignLockPredicate(engine, id);
  const isCode = (path: string): boolean => isTestFile(path, stacks) || isSourceFile(path, stacks);
  const changes = all.filter(({ path, from = path }) => isCode(path) || isCode(from));
  const then = await engine.source.at(base);
  const old = await then?.read(changes.map(({ path, from = path }) => from));
  const found: ChangedFile[] = [];
  for (const change of changes) {
    const { path, status, from = path } = change;
    const text = status === "deleted" ? undefined : await engine.source.text(path);
    const stood = status === "added" ? undefined : old?.get(from);
    const look = text === undefined ? undefined : await engine.syntax.look(path, text);
    const before = stood?.kind === "text" ? await engine.syntax.look(from, stood.text) : undefined;
    found.push({
      path,
      change,
      isTest: isTestFile(path, stacks),
      wasTest: isTestFile(from, stacks),
      isOthers: isOthers(path),
      lines: new Set(change.added.map(({ number }) => number)),
      isUnread: text === undefined && status !== "deleted",
      ...(look ? { look } : {}),
      ...(text === undefined ? {} : { text }),
      ...(before ? { before } : {}),
    });
  }
  return found;
}

export async function createForeignLockPredicate(
  engine: Pick<CheckingEngine, "store">,
  id: string,
): Promise<(path: string) => boolean> {
  const { locks } = await engine.store.read(loadWorkRuntime);
  const own = locks.filter(({ workflow }) => workflow === id);
  return (path) => findLockConflicts([path], id, locks).length > 0 && !own.some((lock) => isPathLocked(lock, path));
}
