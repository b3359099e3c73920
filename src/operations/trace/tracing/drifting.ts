import type { Acceptance, TraceId, TracedSymbol } from "#domain/trace/acceptance.ts";
import type { NameReader } from "#domain/trace/test-names.ts";
import {
  type Difference,
  differenceOf,
  type Drifted,
  judgeDrift,
  type Pair,
  withRenames,
} from "#domain/trace/drift.ts";
import type { Engine } from "../../engine.ts";
import { formerVersions, type Recall } from "./former.ts";
import { linesOf, type Seen, seenInAll, textsAt } from "./looking.ts";
import { followersIn, renamedIn } from "./renaming.ts";
import { type Requirement, requirementsOf } from "./requirements.ts";

type Looker = Pick<Engine, "source" | "syntax" | "digest" | "store" | "yaml">;

export interface Traced {
  readonly byId: ReadonlyMap<TraceId, readonly Seen[]>;
  readonly names: NameReader;
  textOf(symbol: TracedSymbol): string | undefined;
}

/** Reads the files themselves: the index only suggests where tags are. */
export async function traced(engine: Looker, paths: Iterable<string>, names: NameReader): Promise<Traced> {
  const texts = await textsAt(engine, paths);
  const seen = [...(await seenInAll(engine, texts, names)).values()].flat();
  return {
    names,
    byId: Map.groupBy(seen, ({ id }) => id),
    textOf({ path, ref, hash }) {
      const place = seen.find((each) => each.path === path && each.ref === ref && each.hash === hash);
      return place && linesOf(texts.get(path) ?? "", place);
    },
  };
}

export interface DriftFound {
  readonly drifted: readonly Drifted[];
  readonly requirements: ReadonlyMap<TraceId, Requirement>;
  readonly recall: Recall;
}

export async function driftOf(
  engine: Looker,
  acceptances: ReadonlyMap<TraceId, Acceptance>,
  { byId, names }: Traced,
): Promise<DriftFound> {
  const requirements = await requirementsOf(engine, acceptances.keys());
  const recall = formerVersions(engine, names);
  const looker = { syntax: engine.syntax, digest: (text: string): string => engine.digest(text), names };
  const looks: { readonly acceptance: Acceptance; readonly difference: Difference; renamed: Pair[] }[] = [];
  for (const acceptance of acceptances.values()) {
    const difference = differenceOf(acceptance.symbols, byId.get(acceptance.id) ?? []);
    looks.push({ acceptance, difference, renamed: await renamedIn(looker, difference, acceptance, recall) });
  }
  const renames = looks.flatMap(({ renamed, difference }) => [...renamed, ...difference.renamed]);
  const drifted: Drifted[] = [];
  for (const { acceptance, difference, renamed } of looks) {
    const followed = await followersIn(looker, difference, acceptance, renames, recall);
    const now = byId.get(acceptance.id) ?? [];
    const covered = requirements.get(acceptance.id) ?? { isBinding: false };
    drifted.push(...judgeDrift(acceptance, now, covered, withRenames(difference, [...renamed, ...followed])));
  }
  return { drifted, requirements, recall };
}
