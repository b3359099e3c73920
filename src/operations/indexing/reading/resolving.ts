import { affectedBy, wordsOf } from "#domain/indexing/resolve/affected.ts";
import { aliasesFrom, isAliasFile } from "#domain/indexing/resolve/aliases.ts";
import type { Known } from "#domain/indexing/resolve/known.ts";
import { pathsOf } from "#domain/indexing/resolve/paths.ts";
import { targetsOf } from "#domain/indexing/resolve/targets.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedImporter, IndexedFile } from "../../ports/code-index.ts";

/** Added or removed paths that imports of other files do not reflect yet; `*` for any. */
const UNSETTLED = "unsettled";
const ALIASES = "aliases";
/** With more paths, nearly all imports are affected. */
const MOST = 5_000;
const BATCH = 500;

export interface Resolving {
  targets(importer: IndexedImporter): IndexedFile["targets"];
  /** Resolves the affected imports of all files except these. */
  settle(fresh: ReadonlySet<string>): Promise<void>;
}

/** Notes added and removed paths first, so that the next process can finish after a crash. */
export async function beginResolving(
  engine: Pick<Engine, "source" | "digest">,
  index: CodeIndex,
  paths: readonly string[],
  moved: readonly string[],
): Promise<Resolving> {
  const known: Known = { paths: pathsOf(paths), aliases: aliasesFrom(await manifests(engine, paths)) };
  const key = engine.digest(known.aliases.key);
  const isOther = (await index.note(ALIASES)) !== key;
  const before = listed(await index.note(UNSETTLED));
  const all = isOther || before === "*" ? "*" : [...new Set([...before, ...moved])];
  const unsettled = all.length > MOST ? "*" : all;
  if (unsettled.length > 0) await index.keepNote(UNSETTLED, JSON.stringify(unsettled));
  const targets: Resolving["targets"] = ({ path, language, imports }) => targetsOf(path, language, imports, known);
  return {
    targets,
    async settle(fresh) {
      if (unsettled.length === 0) return;
      const stale = await staleImporters(index, unsettled === "*" ? "*" : affectedBy(unsettled, known), fresh);
      for (let from = 0; from < stale.length; from += BATCH)
        await index.retarget(new Map(stale.slice(from, from + BATCH).map((each) => [each.path, targets(each)])));
      if (isOther) await index.keepNote(ALIASES, key);
      await index.keepNote(UNSETTLED, undefined);
    },
  };
}

export const isUnsettled = async (index: CodeIndex): Promise<boolean> => (await index.note(UNSETTLED)) !== undefined;

const listed = (note: string | undefined): "*" | readonly string[] =>
  note === undefined ? [] : (JSON.parse(note) as "*" | string[]);

async function manifests(
  { source }: Pick<Engine, "source">,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const path of paths) {
    const text = isAliasFile(path) ? await source.text(path) : undefined;
    if (text !== undefined) texts.set(path, text);
  }
  return texts;
}

async function staleImporters(
  index: CodeIndex,
  words: "*" | ReadonlySet<string>,
  fresh: ReadonlySet<string>,
): Promise<IndexedImporter[]> {
  const stale: IndexedImporter[] = [];
  for await (const each of index.importers()) {
    if (fresh.has(each.path)) continue;
    if (words === "*" || each.imports.some((one) => wordsOf(one).some((word) => words.has(word)))) stale.push(each);
  }
  return stale;
}
