import { Fault } from "#domain/fault.ts";
import { type Acceptance, idOfTag, partsOf, type TraceId } from "#domain/trace/acceptance.ts";
import { carriersIn, type Ground } from "#domain/trace/carrier.ts";
import type { NameReader } from "#domain/trace/test-names.ts";
import { readerOfNames } from "#domain/trace/test-names.ts";
import type { Engine } from "../../engine.ts";
import { bringIndexUpToDate } from "../../indexing/up-to-date.ts";
import { knownIds } from "../known.ts";

/** Where tags are, as the index has it. It says only where to look: what stands there is read from the files. */
export interface Where {
  /** The files whose tags, or names of tests, name one of the ids; and those in which it was accepted. */
  paths(isWanted: (id: TraceId) => boolean): ReadonlySet<string>;
  /** Every id that code or a test names. */
  readonly ids: ReadonlySet<TraceId>;
  readonly names: NameReader;
}

export async function whereTagged(engine: Engine, acceptances: ReadonlyMap<TraceId, Acceptance>): Promise<Where> {
  return placesIn(engine, acceptances, await groundIn(engine));
}

/** The same for whoever does without the index where there is none that can be used, and does not speak of it. */
export async function whereLikely(engine: Engine, acceptances: ReadonlyMap<TraceId, Acceptance>): Promise<Where> {
  const ground = groundIn({ ...engine, notice: () => undefined }).catch((error: unknown): Ground => {
    if (error instanceof Fault && error.code !== "call.cancelled") return { tags: [], tests: [] };
    throw error;
  });
  return placesIn(engine, acceptances, await ground);
}

async function groundIn(engine: Engine): Promise<Ground> {
  const { index } = await bringIndexUpToDate(engine);
  return { tags: await index.tags(), tests: await index.tests() };
}

async function placesIn(engine: Engine, acceptances: ReadonlyMap<TraceId, Acceptance>, ground: Ground): Promise<Where> {
  const { ids: known } = await knownIds(engine);
  const names = readerOfNames([...known.keys(), ...[...acceptances.keys()].map((id) => partsOf(id).spec)]);
  const carriers = carriersIn(ground, names);
  const placed = carriers.flatMap(({ path, ...said }) => {
    const id = idOfTag(said);
    return id === undefined ? [] : [{ id, path }];
  });
  const accepted = [...acceptances.values()].flatMap(({ id, symbols }) => symbols.map(({ path }) => ({ id, path })));
  return {
    names,
    ids: new Set(placed.map(({ id }) => id)),
    paths: (isWanted) => new Set([...placed, ...accepted].filter(({ id }) => isWanted(id)).map(({ path }) => path)),
  };
}
