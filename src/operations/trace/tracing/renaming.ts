import type { Acceptance, TracedSymbol } from "#domain/trace/acceptance.ts";
import type { NameReader } from "#domain/trace/test-names.ts";
import { type Difference, nameOf, type Pair } from "#domain/trace/drift.ts";
import { withNames } from "#domain/trace/renames.ts";
import type { Engine } from "../../engine.ts";
import type { Former, Recall } from "./former.ts";
import { seenIn } from "./looking.ts";

type Looker = Pick<Engine, "syntax" | "digest"> & { readonly names: NameReader };

const MOST = 20;

/** Pairs a removed and an added symbol if the old text with the new name has the new hash. */
export async function renamedIn(
  engine: Looker,
  { removed, added }: Difference,
  acceptance: Acceptance,
  recall: Recall,
): Promise<Pair[]> {
  const found: Pair[] = [];
  const left = new Set(added.slice(0, MOST));
  for (const was of removed.slice(0, MOST)) {
    const former = left.size === 0 ? undefined : await recall(was, acceptance);
    if (!former) continue;
    for (const is of left) {
      if (is.role !== was.role || nameOf(is) === nameOf(was)) continue;
      if (!(await isSame(engine, former, [{ was, is }], is))) continue;
      found.push({ was, is });
      left.delete(is);
      break;
    }
  }
  return found;
}

/** Changed symbols that differ only in the names of renamed ones. */
export async function followersIn(
  engine: Looker,
  { changed }: Difference,
  acceptance: Acceptance,
  renames: readonly Pair[],
  recall: Recall,
): Promise<Pair[]> {
  if (renames.length === 0) return [];
  const found: Pair[] = [];
  for (const pair of changed.slice(0, MOST)) {
    const former = await recall(pair.was, acceptance);
    if (former && (await isSame(engine, former, renames, pair.is))) found.push(pair);
  }
  return found;
}

async function isSame(engine: Looker, former: Former, renames: readonly Pair[], is: TracedSymbol): Promise<boolean> {
  const names = renames.map((pair) => [nameOf(pair.was), nameOf(pair.is)] as const);
  for (const text of withNames(former.text, names)) {
    if (text === former.text) continue;
    const seen = await seenIn(engine, former.path, text, engine.names);
    if (seen.some(({ hash }) => hash === is.hash)) return true;
  }
  return false;
}
