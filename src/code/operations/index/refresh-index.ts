import { chooseReadMode } from "../../model/index/indexed-content.ts";
import type { CodeEngine } from "../engine.ts";
import type { CodeIndex, IndexProblem } from "../ports/code-index.ts";
import { indexCodeFiles, beginImportResolution, hasUnsettledImports } from "./index-code-files.ts";
import { indexTextFiles } from "./index-text-files.ts";
import type { JournalPosition } from "../ports/higher-modules.ts";

export interface IndexRefresh {
  readonly index: CodeIndex;
  readonly read: number;
  readonly unchanged: number;
  readonly gone: number;
}

export type IndexEngine = Pick<
  CodeEngine,
  "source" | "syntax" | "requirements" | "journal" | "codeIndex" | "digest" | "progress" | "notice"
>;

const INDEX_NEWS_MESSAGES: Readonly<Record<IndexProblem, string>> = {
  missing: "There was no index of the code: it was built.",
  old: "The index of the code was made by another version: it was built anew.",
  foreign: "The index of the code came from elsewhere: it was built anew.",
  damaged: "The index of the code was damaged: it was built anew.",
  unkept: "The index of the code cannot be written: it was built in memory, and is gone with this process.",
};

/** Reads changed files again and removes deleted ones. Every reader of the index calls this first. */
export async function refreshCodeIndex(
  engine: IndexEngine,
  { isAfresh = false, isAskedFor = false }: { readonly isAfresh?: boolean; readonly isAskedFor?: boolean } = {},
): Promise<IndexRefresh> {
  const index = await engine.codeIndex();
  const { cancelled } = engine.progress;
  const done = await index.alone(() => updateChangedFiles(engine, index), { cancelled, isAfresh });
  const news = index.takeNews();
  // A user who asks for the index needs no notice that it was missing.
  if (news !== undefined && !(isAskedFor && news === "missing")) engine.notice(INDEX_NEWS_MESSAGES[news]);
  return { index, ...done };
}

async function updateChangedFiles(engine: IndexEngine, index: CodeIndex): Promise<Omit<IndexRefresh, "index">> {
  const edited = await loadEditedFiles(engine, index);
  const files = await engine.source.files();
  const known = await index.stamps();
  const wanted = files.filter(({ path }) => chooseReadMode(path) !== undefined);
  const stale = wanted.filter(({ path, stamp }) => known.get(path)?.stamp !== stamp || edited.has(path));
  const paths = wanted.map(({ path }) => path);
  const there = new Set(paths);
  const gone = [...known.keys()].filter((path) => !there.has(path));
  const came = stale.filter(({ path }) => !known.has(path)).map(({ path }) => path);
  let read: ReadonlySet<string> = new Set();
  if (stale.length + gone.length > 0 || (await hasUnsettledImports(index))) {
    const resolving = await beginImportResolution(engine, index, paths, [...came, ...gone]);
    if (gone.length > 0) await index.put([], gone);
    const indexed = await indexCodeFiles(engine, index, stale, known, resolving);
    await resolving.settle(indexed);
    ({ read } = indexed);
  }
  const texts = await indexTextFiles(engine, index, files, (path) => edited.has(path));
  await edited.settle();
  return {
    read: read.size + texts.read,
    unchanged: wanted.length - read.size + texts.unchanged,
    gone: gone.length + texts.gone,
  };
}

/**
 * Refreshes an existing index after a stage, because the next stage queries it soon. A failure is only reported: the
 * next query makes up for it.
 */
export async function refreshIndexAfterStage(engine: IndexEngine): Promise<void> {
  try {
    const index = await engine.codeIndex();
    if (index.isThere) await refreshCodeIndex(engine);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    engine.notice(`The stage has ended, but the index of the code is not up to date: ${why}`);
  }
}

/** The index keeps its own journal positions, independent of the ledger. */
const JOURNAL_NOTE = "journal";

/** Files that agents edited since the last refresh, from the journal of their hooks. */
async function loadEditedFiles({ journal }: Pick<CodeEngine, "journal">, index: CodeIndex) {
  const before = (await index.note(JOURNAL_NOTE)) ?? "[]";
  const parts = await journal.unread(new Map(JSON.parse(before) as [string, JournalPosition][]));
  const paths = new Set(parts.flatMap(({ lines }) => lines.flatMap((line) => line.paths)));
  // Keeps only existing journal files: each is deleted when its day is over.
  const now = JSON.stringify(
    parts.map(({ file, first, end }): [string, JournalPosition] => [file, { first, offset: end }]),
  );
  return {
    has: (path: string): boolean => paths.has(path.normalize("NFC")),
    settle: async (): Promise<void> => {
      if (now !== before) await index.keepNote(JOURNAL_NOTE, now);
    },
  };
}
