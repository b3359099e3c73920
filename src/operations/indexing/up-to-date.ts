import { isTestPath } from "#domain/scan/test-path.ts";
import { count } from "#domain/count.ts";
import type { Engine } from "../engine.ts";
import type { CodeIndex, IndexedFile } from "../ports/code-index.ts";
import { stopIfCancelled } from "../ports/runner.ts";
import type { SourceFile } from "../ports/source.ts";

export interface UpToDate {
  readonly index: CodeIndex;
  /** Files that were read again. */
  readonly read: number;
  readonly gone: number;
}

type Indexer = Pick<Engine, "source" | "syntax" | "codeIndex" | "digest" | "progress" | "notice">;

/** So many files are put at once: a process that is killed has lost no more. */
const BATCH = 200;
const WHY = {
  missing: "There was no index",
  old: "The index was made by another version",
  damaged: "The index was damaged",
} as const;

/** Reads again what changed since the index last looked, and forgets what is gone. Every reader asks for this first. */
export async function bringIndexUpToDate(engine: Indexer): Promise<UpToDate> {
  const index = await engine.codeIndex();
  const files = await engine.source.files();
  const known = await index.stamps();
  const changed = files.filter(({ path, stamp }) => known.get(path)?.stamp !== stamp);
  const there = new Set(files.map(({ path }) => path));
  const gone = [...known.keys()].filter((path) => !there.has(path));
  if (gone.length > 0) await index.put([], gone);
  for (let from = 0; from < changed.length; from += BATCH) {
    stopIfCancelled(engine.progress);
    engine.progress.tell(`${from} of ${count(changed.length, "file")} read`);
    await index.put(await readAll(engine, changed.slice(from, from + BATCH)));
  }
  if (index.wasMissing !== undefined) engine.notice(`${WHY[index.wasMissing]}: it was built anew.`);
  return { index, read: changed.length, gone: gone.length };
}

async function readAll(engine: Indexer, files: readonly SourceFile[]): Promise<IndexedFile[]> {
  const stamps = new Map(files.map(({ path, stamp }) => [path, stamp]));
  const hashes = new Map<string, string>();
  const problems = new Map<string, string>();
  async function* texts() {
    for (const { path } of files) {
      const text = await engine.source.text(path);
      hashes.set(path, text === undefined ? "" : engine.digest(text));
      if (text === undefined) problems.set(path, "It is too large, or no UTF-8 text.");
      else yield { path, text };
    }
  }
  const outlines = new Map<string, IndexedFile["outline"]>();
  for await (const { path, outline } of engine.syntax.outlines(texts())) outlines.set(path, outline);
  return files.map(({ path }) => {
    const [outline, problem] = [outlines.get(path), problems.get(path)];
    return {
      path,
      hash: hashes.get(path) ?? "",
      stamp: stamps.get(path) ?? "",
      isTest: isTestPath(path),
      ...(outline ? { outline } : {}),
      ...(problem === undefined ? {} : { problem }),
      targets: new Map(),
    };
  });
}
