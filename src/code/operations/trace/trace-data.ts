import { Fault, type OperationCall } from "#kernel/model/fault.ts";
import { findClosestWord, formatCount, formatShortList, quote } from "#kernel/model/text-format.ts";
import { formatNodeName, type ImpactNode } from "../../model/trace/impact-reach.ts";
import { collectTraceLocations, parseCodePosition, type TraceLocation } from "../../model/trace/trace-locations.ts";
import { groupServingLocations } from "../../model/trace/trace-matrix.ts";
import { createTestNameReader, findSpecIdMentions } from "../../model/trace/id-mentions.ts";
import type { CodeEngine } from "../engine.ts";
import { refreshCodeIndex } from "../index/refresh-index.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import { blankAutoSections } from "../../model/docs/auto-sections.ts";
import { isTestData } from "../../model/scan/test-files.ts";

type TraceData = Awaited<ReturnType<typeof loadTraceData>>;

/** Refreshes the index. Other processes can write that file, so a check that decides reads the files again. */
export async function gatherTraceData(engine: CodeEngine): Promise<TraceData> {
  const { index } = await refreshCodeIndex(engine);
  return loadTraceData(engine, index);
}

export async function loadTraceData(engine: Pick<CodeEngine, "requirements">, index: CodeIndex) {
  const known = await engine.requirements.traceable();
  const [tags, tests] = [await index.tags(), await index.tests()];
  const carriers = collectTraceLocations({ tags, tests }, createTestNameReader(known.ids.keys()));
  return { index, known, carriers, tests };
}

/** For people, a trace also shows the code and tests that a requirement names as its evidence. `id` may be unknown. */
export async function gatherShownTrace(engine: CodeEngine, id?: string): Promise<TraceData> {
  const data = await gatherTraceData(engine);
  const { index, known, tests } = data;
  const isUnknown = id !== undefined && !known.ids.has(id);
  const named = isUnknown ? collectTraceLocations({ tags: [], tests }, createTestNameReader([id])) : [];
  const evidence: TraceLocation[] = [];
  for (const { id: spec, kind, trace } of known.ids.values()) {
    if (kind !== "requirement" && kind !== "rule") continue;
    const links = [
      ...trace.code.map((link) => ({ link, isTest: false })),
      ...trace.tests.map((link) => ({ link, isTest: true })),
    ];
    for (const { link, isTest } of links) {
      const { path, symbol, line = 1 } = parseCodePosition(link);
      const [row] =
        symbol === undefined ? await index.files({ path }) : await index.components({ path, ref: symbol, most: 1 });
      if (row)
        evidence.push({
          spec,
          by: "evidence",
          path,
          isTest,
          line: "ref" in row ? row.line : line,
          ...("ref" in row ? { ref: row.ref } : {}),
        });
    }
  }
  return { ...data, carriers: [...data.carriers, ...named, ...evidence] };
}

type DocumentMention = { readonly path: string; readonly line: number };

const DOCUMENT_PATH = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;
const MAX_DOCUMENT_BYTES = 512 * 1024;
const MAX_SCANNED_DOCUMENTS = 5_000;

export async function findNamingDocuments({ source }: Pick<CodeEngine, "source">, isKnown: (id: string) => boolean) {
  const found = new Map<string, DocumentMention[]>();
  const files = (await source.files()).filter(
    ({ path, bytes }) => DOCUMENT_PATH.test(path) && bytes <= MAX_DOCUMENT_BYTES,
  );
  for (const { path } of files.filter((file) => !isTestData(file.path)).slice(0, MAX_SCANNED_DOCUMENTS)) {
    const text = (await source.text(path, MAX_DOCUMENT_BYTES)) ?? "";
    for (const { id, line } of findSpecIdMentions(blankAutoSections(text), isKnown))
      found.set(id, [...(found.get(id) ?? []), { path, line }]);
  }
  return found;
}

/** Locations of code, tests and documents by id. */
export async function loadServingLocations(engine: Pick<CodeEngine, "source">, { known, carriers }: TraceData) {
  const naming = await findNamingDocuments(engine, (id) => known.ids.has(id));
  const docs = new Map([...naming].map(([id, told]) => [id, told.map(({ path }) => path)]));
  return groupServingLocations(carriers, docs);
}

/** Tenon's own documents are not source files. */
export async function createPresenceCheck({ source }: Pick<CodeEngine, "source">): Promise<(path: string) => boolean> {
  const there = new Set((await source.files()).map(({ path }) => path));
  return (path) => there.has(path) || path.startsWith("sdd/");
}

const MAX_LISTED_SYMBOLS = 5;

/** The only symbol with that name, outside tests if there is one. Names the matches if there are several. */
export async function findUniqueSymbol(
  index: CodeIndex,
  name: string,
  { of, createCall }: { readonly of: string; readonly createCall: (key: string) => OperationCall },
): Promise<Required<ImpactNode>> {
  const last = name.slice(name.lastIndexOf(".") + 1);
  const named = (await index.components({ name: last })).filter(
    ({ ref }) => last === name || ref === name || ref.endsWith(`.${name}`),
  );
  const tests = new Set((await index.files()).flatMap(({ path, isTest }) => (isTest ? [path] : [])));
  const outside = named.filter(({ path }) => !tests.has(path));
  // Typings repeat the names of the code beside them.
  const found =
    [outside.filter(({ path }) => !/\.d\.[cm]?ts$/.test(path)), outside, named].find((all) => all.length > 0) ?? [];
  const [only, second] = found;
  if (only && !second) return { path: only.path, ref: only.ref };
  const keys = found.map(formatNodeName);
  const createCalls = (all: readonly string[]) => all.slice(0, MAX_LISTED_SYMBOLS).map(createCall);
  if (only)
    throw new Fault("trace.ambiguous-symbol", {
      what: `${formatCount(keys.length, "symbol")} match ${quote(of, 200)}.`,
      why: `They are ${formatShortList(keys, MAX_LISTED_SYMBOLS)}.`,
      fix: createCalls(keys),
    });
  const near = findClosestWord(name, await index.namesNear(name, MAX_LISTED_SYMBOLS));
  const alike = near === undefined ? [] : (await index.components({ name: near })).map(formatNodeName);
  throw new Fault("trace.unknown-path", {
    what: `No file or symbol ${quote(of, 200)}.`,
    why: alike.length > 0 ? `Did you mean ${alike[0]}?` : "The index contains files that git tracks or could track.",
    fix:
      alike.length > 0
        ? createCalls(alike)
        : { operation: "indexing.query", input: { question: of.replace(/^.*[/#]/, "") } },
  });
}
