import {
  chooseReadMode,
  isIndexedDocument,
  extractDocumentSections,
  isOutlineNeeded,
} from "../../model/index/indexed-content.ts";
import type { CodeEngine } from "../engine.ts";
import type {
  CodeIndex,
  IndexProblem,
  IndexedTextFile,
  IndexStamp,
  IndexedFile,
  IndexedImporter,
} from "../ports/code-index.ts";
import type { JournalPosition } from "../ports/higher-modules.ts";
import type { SourceFile } from "#git/operations/ports/git-files.ts";
import type { IndexableText } from "../ports/requirements.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { isTestPath } from "../../model/scan/test-files.ts";
import type { ImportContext } from "../../model/imports/import-context.ts";
import { isAliasManifest, indexWorkspacePaths, parseImportAliases } from "../../model/imports/import-context.ts";
import { resolveImportTargets, collectAffectedWords, listImportWords } from "../../model/imports/import-targets.ts";

type IndexRefresh = Readonly<{ index: CodeIndex; read: number; unchanged: number; gone: number }>;

export type IndexEngine = Pick<
  CodeEngine,
  "source" | "syntax" | "requirements" | "journal" | "codeIndex" | "digest" | "progress" | "notice"
>;

const INDEX_NEWS_MESSAGES: Readonly<Record<IndexProblem, string>> = {
  missing: "Built the index of the code.",
  old: "Rebuilt the index of the code: another version of Tenon had written it.",
  foreign: "Rebuilt the index of the code: it was copied from another folder.",
  damaged: "Rebuilt the index of the code: it was damaged.",
  unkept: "The index of the code cannot be written, so Tenon built it in memory for this call.",
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
  if (stale.length + gone.length > 0 || (await index.note(UNSETTLED_NOTE)) !== undefined) {
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

const DOCUMENT_BATCH_SIZE = 100;

async function indexTextFiles(
  { source, requirements, digest }: IndexEngine,
  index: CodeIndex,
  files: readonly SourceFile[],
  isEdited: (path: string) => boolean,
): Promise<Omit<IndexRefresh, "index">> {
  const known = await index.textStamps();
  const createTextFile = async (
    { path, kind, text, sections }: IndexableText,
    stamp: string,
  ): Promise<IndexedTextFile> => {
    const texts = (await sections()).map((section) => ({ ...section, kind, path, hash: digest(section.text) }));
    return { path, hash: digest(text), stamp, texts };
  };
  const own = await requirements.texts();
  const documents = files.filter(({ path }) => isIndexedDocument(path));
  const there = new Set([...own, ...documents].map(({ path }) => path));
  const gone = [...known.keys()].filter((path) => !there.has(path));
  const changed = await Promise.all(
    own.filter(({ path, text }) => known.get(path)?.hash !== digest(text)).map((each) => createTextFile(each, "")),
  );
  if (gone.length + changed.length > 0) await index.putTexts(changed, gone);
  let changes = changed.length;
  const stale = documents.filter(({ path, stamp }) => known.get(path)?.stamp !== stamp || isEdited(path));
  for (let from = 0; from < stale.length; from += DOCUMENT_BATCH_SIZE) {
    const read = await Promise.all(
      stale.slice(from, from + DOCUMENT_BATCH_SIZE).map(async ({ path }) => {
        const file = await source.stamped(path);
        const text = file.kind === "text" ? file.text : "";
        const sections = () => extractDocumentSections(path, text);
        return createTextFile({ path, text, kind: "doc", sections }, file.stamp);
      }),
    );
    changes += read.filter(({ path, hash }) => known.get(path)?.hash !== hash).length;
    await index.putTexts(read);
  }
  return { read: changes, unchanged: there.size - changes, gone: gone.length };
}

/** A killed process loses at most one batch. */
const FILE_BATCH_SIZE = 50;
const MAX_BATCH_COMPONENTS = 10_000;

const UNREADABLE_REASONS = { large: "It is larger than 1 MB.", binary: "It is not UTF-8 text." } as const;
const MINIFIED_REASON = "Its lines are too long for source code, so Tenon reads only its tags.";
const PARSE_FAILED_REASON = "It could not be parsed; only its comments were read.";

type IndexedPaths = Readonly<{ read: ReadonlySet<string>; vanished: readonly string[] }>;

async function indexCodeFiles(
  engine: Pick<CodeEngine, "source" | "syntax" | "digest" | "progress">,
  index: CodeIndex,
  files: readonly Pick<SourceFile, "path">[],
  known: ReadonlyMap<string, IndexStamp>,
  resolving: ImportResolution,
): Promise<IndexedPaths> {
  const batch = new IndexBatch(index);
  const stamps = new Map<string, IndexStamp>();
  let done = 0;
  async function* texts() {
    for (const { path } of files) {
      const reading = chooseReadMode(path) ?? "manifest";
      throwIfCancelled(engine.progress);
      if (files.length > FILE_BATCH_SIZE) engine.progress.tell("files read", done++, files.length);
      const file = await engine.source.stamped(path);
      // A file that is not text has no hash. Its kind is stored instead.
      const stamp = { hash: file.kind === "text" ? engine.digest(file.text) : file.kind, stamp: file.stamp };
      if (known.get(path)?.hash === stamp.hash) batch.restamps.push({ path, ...stamp });
      else if (file.kind === "missing" || file.kind === "link") batch.forget(path);
      else if (file.kind === "text" && isOutlineNeeded(reading, file.text)) {
        stamps.set(path, stamp);
        yield { path, text: file.text };
      } else {
        const problem = file.kind === "text" ? MINIFIED_REASON : UNREADABLE_REASONS[file.kind];
        batch.put(path, stamp, reading === "code" ? { problem } : {});
      }
    }
  }
  for await (const { path, outline, isUnfinished = false } of engine.syntax.outlines(texts())) {
    // An empty stamp makes the next refresh read the file again.
    const stamp = (isUnfinished ? undefined : stamps.get(path)) ?? { hash: "", stamp: "" };
    stamps.delete(path);
    const hasFailed = outline?.by === "comments" && !outline.isWhole;
    batch.put(path, stamp, {
      ...(outline ? { outline, targets: resolving.targets({ path, ...outline }) } : {}),
      ...(hasFailed ? { problem: PARSE_FAILED_REASON } : {}),
    });
    if (batch.isFull) await batch.flush();
  }
  await batch.flush();
  return batch;
}

class IndexBatch implements IndexedPaths {
  readonly read = new Set<string>();
  readonly vanished: string[] = [];
  restamps: (IndexStamp & { path: string })[] = [];
  readonly #index: CodeIndex;
  #files: IndexedFile[] = [];
  #gone: string[] = [];
  #components = 0;

  constructor(index: CodeIndex) {
    this.#index = index;
  }

  get isFull(): boolean {
    return this.#files.length >= FILE_BATCH_SIZE || this.#components >= MAX_BATCH_COMPONENTS;
  }

  put(path: string, stamp: IndexStamp, content: Pick<IndexedFile, "outline" | "problem"> & Partial<IndexedFile>): void {
    this.read.add(path);
    this.#files.push({ path, ...stamp, isTest: isTestPath(path), targets: new Map(), ...content });
    this.#components += content.outline?.components.length ?? 0;
  }

  forget(path: string): void {
    this.#gone.push(path);
    this.vanished.push(path);
  }

  async flush(): Promise<void> {
    if (this.#files.length + this.#gone.length > 0) await this.#index.put(this.#files, this.#gone);
    if (this.restamps.length > 0) await this.#index.restamp(this.restamps);
    [this.#files, this.#gone, this.restamps, this.#components] = [[], [], [], 0];
  }
}

/** Added or removed paths that imports of other files do not reflect yet; `*` for any. */
const UNSETTLED_NOTE = "unsettled";
const ALIASES_NOTE = "aliases";
/** With more paths, nearly all imports are affected. */
const MAX_UNSETTLED_PATHS = 5_000;
const IMPORTER_BATCH_SIZE = 500;

type ImportResolution = Awaited<ReturnType<typeof beginImportResolution>>;

/** Notes added and removed paths first, so that the next process can finish after a crash. */
async function beginImportResolution(
  { source, digest }: Pick<CodeEngine, "source" | "digest">,
  index: CodeIndex,
  paths: readonly string[],
  moved: readonly string[],
) {
  const manifests = new Map<string, string>();
  for (const path of paths.filter(isAliasManifest)) {
    const text = await source.text(path);
    if (text !== undefined) manifests.set(path, text);
  }
  const context: ImportContext = { paths: indexWorkspacePaths(paths), aliases: parseImportAliases(manifests) };
  const key = digest(context.aliases.key);
  const isOther = (await index.note(ALIASES_NOTE)) !== key;
  const before = JSON.parse((await index.note(UNSETTLED_NOTE)) ?? "[]") as "*" | string[];
  const all = isOther || before === "*" ? "*" : [...new Set([...before, ...moved])];
  const unsettled = all.length > MAX_UNSETTLED_PATHS ? "*" : all;
  if (unsettled.length > 0) await index.keepNote(UNSETTLED_NOTE, JSON.stringify(unsettled));
  const targets = ({ path, language, imports }: IndexedImporter): IndexedFile["targets"] =>
    resolveImportTargets(path, language, imports, context);
  return {
    targets,
    /** Resolves the affected imports of all files except those just read. */
    async settle({ read, vanished }: IndexedPaths): Promise<void> {
      if (unsettled.length + vanished.length === 0) return;
      const words = unsettled === "*" ? "*" : collectAffectedWords(unsettled, context);
      const stale: IndexedImporter[] = [];
      for await (const each of index.importers()) {
        const isAffected =
          words === "*" || each.imports.some((one) => listImportWords(one).some((word) => words.has(word)));
        if (isAffected && !read.has(each.path)) stale.push(each);
      }
      for (let from = 0; from < stale.length; from += IMPORTER_BATCH_SIZE) {
        const some = stale.slice(from, from + IMPORTER_BATCH_SIZE);
        await index.retarget(new Map(some.map((each) => [each.path, targets(each)])));
      }
      if (isOther) await index.keepNote(ALIASES_NOTE, key);
      // Imports were resolved with files that vanished meanwhile: the next refresh resolves them again.
      await index.keepNote(UNSETTLED_NOTE, vanished.length > 0 ? JSON.stringify(vanished) : undefined);
    },
  };
}
