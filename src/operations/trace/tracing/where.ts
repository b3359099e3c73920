import { Fault } from "#domain/fault.ts";
import { type Acceptance, idOfTag, partsOf, type TraceId } from "#domain/trace/acceptance.ts";
import { carriersIn, type Ground } from "#domain/trace/carrier.ts";
import type { NameReader } from "#domain/trace/test-names.ts";
import { readerOfNames } from "#domain/trace/test-names.ts";
import type { Engine } from "../../engine.ts";
import { bringIndexUpToDate } from "../../indexing/up-to-date.ts";
import { knownIds } from "../known.ts";

/** Files with tags according to the index. This is only a hint: the tags are read from the files. */
export interface Where {
  /** Files that name one of the ids in a tag or a test name, and files where it was accepted. */
  paths(isWanted: (id: TraceId) => boolean): ReadonlySet<string>;
  readonly ids: ReadonlySet<TraceId>;
  readonly names: NameReader;
}

export async function whereTagged(engine: Engine, acceptances: ReadonlyMap<TraceId, Acceptance>): Promise<Where> {
  return placesIn(engine, acceptances, await groundIn(engine));
}

/** Works without a usable index, and shows no notices. */
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
