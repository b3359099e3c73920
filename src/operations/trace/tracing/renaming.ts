import type { TraceAcceptance, TracedSymbol } from "#domain/trace/acceptance.ts";
import type { TestNameReader } from "#domain/trace/test-names.ts";
import { type SymbolDifference, extractSymbolName, type SymbolPair } from "#domain/trace/drift.ts";
import { createRenamedTexts } from "#domain/trace/renames.ts";
import type { Engine } from "../../engine.ts";
import type { AcceptedVersion, AcceptedVersionLookup } from "./former.ts";
import { readFileSymbols } from "./looking.ts";

type RenameEngine = Pick<Engine, "syntax" | "digest"> & { readonly names: TestNameReader };

const MAX_RENAME_CANDIDATES = 20;

/** Pairs a removed and an added symbol if the old text with the new name has the new hash. */
export async function findRenamedSymbols(
  engine: RenameEngine,
  { removed, added }: SymbolDifference,
  acceptance: TraceAcceptance,
  recall: AcceptedVersionLookup,
): Promise<SymbolPair[]> {
  const found: SymbolPair[] = [];
  const left = new Set(added.slice(0, MAX_RENAME_CANDIDATES));
  for (const was of removed.slice(0, MAX_RENAME_CANDIDATES)) {
    const former = left.size === 0 ? undefined : await recall(was, acceptance);
    if (!former) continue;
    for (const is of left) {
      if (is.role !== was.role || extractSymbolName(is) === extractSymbolName(was)) continue;
      if (!(await isSameAfterRename(engine, former, [{ was, is }], is))) continue;
      found.push({ was, is });
      left.delete(is);
      break;
    }
  }
  return found;
}

/** Changed symbols that differ only in the names of renamed ones. */
export async function findRenameFollowers(
  engine: RenameEngine,
  { changed }: SymbolDifference,
  acceptance: TraceAcceptance,
  renames: readonly SymbolPair[],
  recall: AcceptedVersionLookup,
): Promise<SymbolPair[]> {
  if (renames.length === 0) return [];
  const found: SymbolPair[] = [];
  for (const pair of changed.slice(0, MAX_RENAME_CANDIDATES)) {
    const former = await recall(pair.was, acceptance);
    if (former && (await isSameAfterRename(engine, former, renames, pair.is))) found.push(pair);
  }
  return found;
}

async function isSameAfterRename(
  engine: RenameEngine,
  former: AcceptedVersion,
  renames: readonly SymbolPair[],
  is: TracedSymbol,
): Promise<boolean> {
  const names = renames.map((pair) => [extractSymbolName(pair.was), extractSymbolName(pair.is)] as const);
  for (const text of createRenamedTexts(former.text, names)) {
    if (text === former.text) continue;
    const seen = await readFileSymbols(engine, former.path, text, engine.names);
    if (seen.some(({ hash }) => hash === is.hash)) return true;
  }
  return false;
}
