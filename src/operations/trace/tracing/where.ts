import { Fault } from "#domain/fault.ts";
import { type TraceAcceptance, parseTagTraceId, splitTraceId, type TraceId } from "#domain/trace/acceptance.ts";
import { collectTraceLocations, type TraceSources } from "#domain/trace/carrier.ts";
import type { TestNameReader } from "#domain/trace/test-names.ts";
import { createTestNameReader } from "#domain/trace/test-names.ts";
import type { Engine } from "../../engine.ts";
import { refreshCodeIndex } from "../../indexing/up-to-date.ts";
import { loadTraceableIds } from "../known.ts";

/** Files with tags according to the index. This is only a hint: the tags are read from the files. */
export interface TaggedFiles {
  /** Files that name one of the ids in a tag or a test name, and files where it was accepted. */
  paths(isWanted: (id: TraceId) => boolean): ReadonlySet<string>;
  readonly ids: ReadonlySet<TraceId>;
  readonly names: TestNameReader;
}

export async function locateTaggedFiles(
  engine: Engine,
  acceptances: ReadonlyMap<TraceId, TraceAcceptance>,
): Promise<TaggedFiles> {
  return createTaggedFiles(engine, acceptances, await loadTraceSources(engine));
}

/** Works without a usable index, and shows no notices. */
export async function locateTaggedFilesQuietly(
  engine: Engine,
  acceptances: ReadonlyMap<TraceId, TraceAcceptance>,
): Promise<TaggedFiles> {
  const ground = loadTraceSources({ ...engine, notice: () => undefined }).catch((error: unknown): TraceSources => {
    if (error instanceof Fault && error.code !== "call.cancelled") return { tags: [], tests: [] };
    throw error;
  });
  return createTaggedFiles(engine, acceptances, await ground);
}

async function loadTraceSources(engine: Engine): Promise<TraceSources> {
  const { index } = await refreshCodeIndex(engine);
  return { tags: await index.tags(), tests: await index.tests() };
}

async function createTaggedFiles(
  engine: Engine,
  acceptances: ReadonlyMap<TraceId, TraceAcceptance>,
  ground: TraceSources,
): Promise<TaggedFiles> {
  const { ids: known } = await loadTraceableIds(engine);
  const names = createTestNameReader([...known.keys(), ...[...acceptances.keys()].map((id) => splitTraceId(id).spec)]);
  const carriers = collectTraceLocations(ground, names);
  const placed = carriers.flatMap(({ path, ...said }) => {
    const id = parseTagTraceId(said);
    return id === undefined ? [] : [{ id, path }];
  });
  const accepted = [...acceptances.values()].flatMap(({ id, symbols }) => symbols.map(({ path }) => ({ id, path })));
  return {
    names,
    ids: new Set(placed.map(({ id }) => id)),
    paths: (isWanted) => new Set([...placed, ...accepted].filter(({ id }) => isWanted(id)).map(({ path }) => path)),
  };
}
