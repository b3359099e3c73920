import { plainLook } from "#domain/scan/plain.ts";
import type { Look } from "#domain/scan/look.ts";
import { isSourceFile, isTestFile } from "#domain/scan/test-files.ts";
import type { StackUse } from "#domain/stack/check.ts";
import type { Engine } from "../../engine.ts";
import type { FileChange } from "../../ports/source.ts";

/** A file that the work changed, as it is and as it was. */
export interface ChangedFile {
  readonly path: string;
  readonly change: FileChange;
  readonly isTest: boolean;
  /** Lines that are new, by their number now. */
  readonly lines: ReadonlySet<number>;
  /** Nothing where the file is gone, or is no code that can be looked at. */
  readonly look?: Look;
  readonly text?: string;
  /** What it was; nothing where it is new. */
  readonly before?: Look;
}

type Looking = Pick<Engine, "source" | "syntax">;

/** The code that changed since a commit, looked at; nothing when git does not know the commit. */
export async function changedCode(
  engine: Looking,
  base: string,
  stacks: readonly StackUse[],
): Promise<readonly ChangedFile[] | undefined> {
  const changes = await engine.source.changes(base);
  if (!changes) return undefined;
  const then = await engine.source.at(base);
  const old = await then?.read(changes.map(({ path, from = path }) => from));
  const isCode = (path: string): boolean => isTestFile(path, stacks) || isSourceFile(path, stacks);
  const found: ChangedFile[] = [];
  for (const change of changes) {
    const { path, status, from = path } = change;
    if (!isCode(path) && !isCode(from)) continue;
    const text = status === "deleted" ? undefined : await engine.source.text(path);
    const stood = status === "added" ? undefined : old?.get(from);
    const look = text === undefined ? undefined : await lookAt(engine, path, text);
    const before = stood?.kind === "text" ? await lookAt(engine, from, stood.text) : undefined;
    found.push({
      path,
      change,
      isTest: isTestFile(path, stacks),
      lines: new Set(change.added.map(({ number }) => number)),
      ...(look ? { look } : {}),
      ...(text === undefined ? {} : { text }),
      ...(before ? { before } : {}),
    });
  }
  return found;
}

/** By its syntax tree, or by its comments alone where nobody knows the language. */
async function lookAt(engine: Pick<Engine, "syntax">, path: string, text: string): Promise<Look | undefined> {
  return (await engine.syntax.look(path, text)) ?? plainLook(path, text);
}
