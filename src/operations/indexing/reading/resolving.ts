import { collectAffectedWords, listImportWords } from "#domain/indexing/resolve/affected.ts";
import { parseImportAliases, isAliasManifest } from "#domain/indexing/resolve/aliases.ts";
import type { ImportContext } from "#domain/indexing/resolve/known.ts";
import { indexWorkspacePaths } from "#domain/indexing/resolve/paths.ts";
import { resolveImportTargets } from "#domain/indexing/resolve/targets.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedImporter, IndexedFile } from "../../ports/code-index.ts";

/** Added or removed paths that imports of other files do not reflect yet; `*` for any. */
const UNSETTLED_NOTE = "unsettled";
const ALIASES_NOTE = "aliases";
/** With more paths, nearly all imports are affected. */
const MAX_UNSETTLED_PATHS = 5_000;
const IMPORTER_BATCH_SIZE = 500;

export interface ImportResolution {
  targets(importer: IndexedImporter): IndexedFile["targets"];
  /** Resolves the affected imports of all files except these. */
  settle(fresh: ReadonlySet<string>): Promise<void>;
}

/** Notes added and removed paths first, so that the next process can finish after a crash. */
export async function beginImportResolution(
  engine: Pick<Engine, "source" | "digest">,
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
  const before = parseUnsettledPaths(await index.note(UNSETTLED_NOTE));
  const all = isOther || before === "*" ? "*" : [...new Set([...before, ...moved])];
  const unsettled = all.length > MAX_UNSETTLED_PATHS ? "*" : all;
  if (unsettled.length > 0) await index.keepNote(UNSETTLED_NOTE, JSON.stringify(unsettled));
  const targets: ImportResolution["targets"] = ({ path, language, imports }) =>
    resolveImportTargets(path, language, imports, known);
  return {
    targets,
    async settle(fresh) {
      if (unsettled.length === 0) return;
      const stale = await findStaleImporters(
        index,
        unsettled === "*" ? "*" : collectAffectedWords(unsettled, known),
        fresh,
      );
      for (let from = 0; from < stale.length; from += IMPORTER_BATCH_SIZE)
        await index.retarget(
          new Map(stale.slice(from, from + IMPORTER_BATCH_SIZE).map((each) => [each.path, targets(each)])),
        );
      if (isOther) await index.keepNote(ALIASES_NOTE, key);
      await index.keepNote(UNSETTLED_NOTE, undefined);
    },
  };
}

export const hasUnsettledImports = async (index: CodeIndex): Promise<boolean> =>
  (await index.note(UNSETTLED_NOTE)) !== undefined;

const parseUnsettledPaths = (note: string | undefined): "*" | readonly string[] =>
  note === undefined ? [] : (JSON.parse(note) as "*" | string[]);

async function readAliasManifests(
  { source }: Pick<Engine, "source">,
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
