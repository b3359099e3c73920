import { isOutlineNeeded, chooseReadMode } from "../../model/index/indexed-content.ts";
import { isTestPath } from "../../model/scan/test-files.ts";
import type { CodeEngine } from "../engine.ts";
import type { CodeIndex, IndexedFile, IndexStamp, IndexedImporter } from "../ports/code-index.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import type { SourceFile } from "#git/operations/ports/git-files.ts";
import { collectAffectedWords, listImportWords, resolveImportTargets } from "../../model/imports/import-targets.ts";
import {
  parseImportAliases,
  isAliasManifest,
  type ImportContext,
  indexWorkspacePaths,
} from "../../model/imports/import-context.ts";

/** A killed process loses at most one batch. */
const FILE_BATCH_SIZE = 50;
const MAX_BATCH_COMPONENTS = 10_000;

const UNREADABLE_REASONS = { large: "It is larger than 1 MB.", binary: "It is no UTF-8 text." } as const;
const MINIFIED_REASON = "Its lines are too long to be written by hand: only tags are read in such.";
const PARSE_FAILED_REASON = "It could not be parsed; only its comments were read.";

export interface IndexedPaths {
  readonly read: ReadonlySet<string>;
  /** Files that were listed and gone when they were read. */
  readonly vanished: readonly string[];
}

export async function indexCodeFiles(
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
      const standing = await engine.source.stamped(path);
      const { stamp } = standing;
      // A file that is not text has no hash. Its kind is stored instead.
      const hash = standing.kind === "text" ? engine.digest(standing.text) : standing.kind;
      if (known.get(path)?.hash === hash) batch.restamp(path, { hash, stamp });
      else if (standing.kind === "missing" || standing.kind === "link") batch.forget(path);
      else if (standing.kind !== "text") {
        const problem = reading === "code" ? { problem: UNREADABLE_REASONS[standing.kind] } : {};
        batch.put({ ...createBareFile(path, { hash, stamp }), ...problem });
      } else if (!isOutlineNeeded(reading, standing.text))
        batch.put({
          ...createBareFile(path, { hash, stamp }),
          ...(reading === "code" ? { problem: MINIFIED_REASON } : {}),
        });
      else {
        stamps.set(path, { hash, stamp });
        yield { path, text: standing.text };
      }
    }
  }
  for await (const { path, outline, isUnfinished = false } of engine.syntax.outlines(texts())) {
    // An empty stamp makes the next refresh read the file again.
    const stamp = (isUnfinished ? undefined : stamps.get(path)) ?? { hash: "", stamp: "" };
    stamps.delete(path);
    const hasFailed = outline?.by === "comments" && !outline.isWhole;
    batch.put({
      ...createBareFile(path, stamp),
      ...(outline ? { outline, targets: resolving.targets({ path, ...outline }) } : {}),
      ...(hasFailed ? { problem: PARSE_FAILED_REASON } : {}),
    });
    if (batch.isFull) await batch.flush();
  }
  await batch.flush();
  return batch;
}

const createBareFile = (path: string, stamp: IndexStamp): IndexedFile => ({
  path,
  ...stamp,
  isTest: isTestPath(path),
  targets: new Map(),
});

class IndexBatch implements IndexedPaths {
  readonly read = new Set<string>();
  readonly vanished: string[] = [];
  readonly #index: CodeIndex;
  #files: IndexedFile[] = [];
  #gone: string[] = [];
  #restamps: (IndexStamp & { path: string })[] = [];
  #components = 0;

  constructor(index: CodeIndex) {
    this.#index = index;
  }

  get isFull(): boolean {
    return this.#files.length >= FILE_BATCH_SIZE || this.#components >= MAX_BATCH_COMPONENTS;
  }

  put(file: IndexedFile): void {
    this.read.add(file.path);
    this.#files.push(file);
    this.#components += file.outline?.components.length ?? 0;
  }

  restamp(path: string, stamp: IndexStamp): void {
    this.#restamps.push({ path, ...stamp });
  }

  forget(path: string): void {
    this.#gone.push(path);
    this.vanished.push(path);
  }

  async flush(): Promise<void> {
    if (this.#files.length + this.#gone.length > 0) await this.#index.put(this.#files, this.#gone);
    if (this.#restamps.length > 0) await this.#index.restamp(this.#restamps);
    [this.#files, this.#gone, this.#restamps, this.#components] = [[], [], [], 0];
  }
}

/** Added or removed paths that imports of other files do not reflect yet; `*` for any. */
const UNSETTLED_NOTE = "unsettled";
const ALIASES_NOTE = "aliases";
/** With more paths, nearly all imports are affected. */
const MAX_UNSETTLED_PATHS = 5_000;
const IMPORTER_BATCH_SIZE = 500;

export interface ImportResolution {
  targets(importer: IndexedImporter): IndexedFile["targets"];
  /** Resolves the affected imports of all files except those just read. */
  settle(indexed: IndexedPaths): Promise<void>;
}

/** Notes added and removed paths first, so that the next process can finish after a crash. */
export async function beginImportResolution(
  engine: Pick<CodeEngine, "source" | "digest">,
  index: CodeIndex,
  paths: readonly string[],
  moved: readonly string[],
): Promise<ImportResolution> {
  const known: ImportContext = {
    paths: indexWorkspacePaths(paths),
    aliases: parseImportAliases(await readAliasManifests(engine, paths)),
  };
  const key = engine.digest(known.aliases.key);
  const isOther = (await index.note(ALIASES_NOTE)) !== key;
  const before = JSON.parse((await index.note(UNSETTLED_NOTE)) ?? "[]") as "*" | string[];
  const all = isOther || before === "*" ? "*" : [...new Set([...before, ...moved])];
  const unsettled = all.length > MAX_UNSETTLED_PATHS ? "*" : all;
  if (unsettled.length > 0) await index.keepNote(UNSETTLED_NOTE, JSON.stringify(unsettled));
  const targets: ImportResolution["targets"] = ({ path, language, imports }) =>
    resolveImportTargets(path, language, imports, known);
  return {
    targets,
    async settle({ read, vanished }) {
      if (unsettled.length + vanished.length === 0) return;
      const stale = await findStaleImporters(
        index,
        unsettled === "*" ? "*" : collectAffectedWords(unsettled, known),
        read,
      );
      for (let from = 0; from < stale.length; from += IMPORTER_BATCH_SIZE)
        await index.retarget(
          new Map(stale.slice(from, from + IMPORTER_BATCH_SIZE).map((each) => [each.path, targets(each)])),
        );
      if (isOther) await index.keepNote(ALIASES_NOTE, key);
      // Imports were resolved with files that vanished meanwhile: the next refresh resolves them again.
      await index.keepNote(UNSETTLED_NOTE, vanished.length > 0 ? JSON.stringify(vanished) : undefined);
    },
  };
}

export const hasUnsettledImports = async (index: CodeIndex): Promise<boolean> =>
  (await index.note(UNSETTLED_NOTE)) !== undefined;

async function readAliasManifests(
  { source }: Pick<CodeEngine, "source">,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const path of paths) {
    const text = isAliasManifest(path) ? await source.text(path) : undefined;
    if (text !== undefined) texts.set(path, text);
  }
  return texts;
}

async function findStaleImporters(
  index: CodeIndex,
  words: "*" | ReadonlySet<string>,
  fresh: ReadonlySet<string>,
): Promise<IndexedImporter[]> {
  const stale: IndexedImporter[] = [];
  for await (const each of index.importers()) {
    if (fresh.has(each.path)) continue;
    if (words === "*" || each.imports.some((one) => listImportWords(one).some((word) => words.has(word))))
      stale.push(each);
  }
  return stale;
}
