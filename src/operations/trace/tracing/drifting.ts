import type { TraceAcceptance, TraceId, TracedSymbol } from "#domain/trace/acceptance.ts";
import type { TestNameReader } from "#domain/trace/test-names.ts";
import {
  type SymbolDifference,
  compareSymbols,
  type DriftItem,
  judgeDrift,
  type SymbolPair,
  moveRenamedPairs,
} from "#domain/trace/drift.ts";
import type { Engine } from "../../engine.ts";
import { createVersionLookup, type AcceptedVersionLookup } from "./former.ts";
import { sliceSymbolLines, type LocatedSymbol, readSymbolsByFile, readTextFiles } from "./looking.ts";
import { findRenameFollowers, findRenamedSymbols } from "./renaming.ts";
import { type TracedRequirement, loadRequirements } from "./requirements.ts";

type DriftEngine = Pick<Engine, "source" | "syntax" | "digest" | "store" | "yaml">;

export interface TracedCode {
  readonly byId: ReadonlyMap<TraceId, readonly LocatedSymbol[]>;
  readonly names: TestNameReader;
  textOf(symbol: TracedSymbol): string | undefined;
}

/** Reads the files themselves: the index only suggests where tags are. */
export async function readTracedCode(
  engine: DriftEngine,
  paths: Iterable<string>,
  names: TestNameReader,
): Promise<TracedCode> {
  const texts = await readTextFiles(engine, paths);
  const seen = [...(await readSymbolsByFile(engine, texts, names)).values()].flat();
  return {
    names,
    byId: Map.groupBy(seen, ({ id }) => id),
    textOf({ path, ref, hash }) {
      const place = seen.find((each) => each.path === path && each.ref === ref && each.hash === hash);
      return place && sliceSymbolLines(texts.get(path) ?? "", place);
    },
  };
}

export interface FoundDrift {
  readonly drifted: readonly DriftItem[];
  readonly requirements: ReadonlyMap<TraceId, TracedRequirement>;
  readonly recall: AcceptedVersionLookup;
}

export async function findDrift(
  engine: DriftEngine,
  acceptances: ReadonlyMap<TraceId, TraceAcceptance>,
  { byId, names }: TracedCode,
): Promise<FoundDrift> {
  const requirements = await loadRequirements(engine, acceptances.keys());
  const recall = createVersionLookup(engine, names);
  const looker = { syntax: engine.syntax, digest: (text: string): string => engine.digest(text), names };
  const looks: {
    readonly acceptance: TraceAcceptance;
    readonly difference: SymbolDifference;
    renamed: SymbolPair[];
  }[] = [];
  for (const acceptance of acceptances.values()) {
    const difference = compareSymbols(acceptance.symbols, byId.get(acceptance.id) ?? []);
    looks.push({ acceptance, difference, renamed: await findRenamedSymbols(looker, difference, acceptance, recall) });
  }
  const renames = looks.flatMap(({ renamed, difference }) => [...renamed, ...difference.renamed]);
  const drifted: DriftItem[] = [];
  for (const { acceptance, difference, renamed } of looks) {
    const followed = await findRenameFollowers(looker, difference, acceptance, renames, recall);
    const now = byId.get(acceptance.id) ?? [];
    const covered = requirements.get(acceptance.id) ?? { isBinding: false };
    drifted.push(...judgeDrift(acceptance, now, covered, moveRenamedPairs(difference, [...renamed, ...followed])));
  }
  return { drifted, requirements, recall };
}
