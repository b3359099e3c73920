import { type TraceId, splitTraceId } from "#kernel/model/ids/trace-id.ts";
import { type TraceAcceptance, type TracedSymbol, parseTagTraceId } from "../../model/trace/trace-acceptance.ts";
import { type TestNameReader, createTestNameReader } from "../../model/trace/id-mentions.ts";
import {
  type SymbolDifference,
  compareSymbols,
  type DriftItem,
  judgeDrift,
  type SymbolPair,
  moveRenamedPairs,
  extractSymbolName,
  createRenamedTexts,
} from "../../model/trace/code-drift.ts";
import type { CodeEngine } from "../engine.ts";
import { Fault } from "#kernel/model/fault.ts";
import { collectTraceLocations, type TraceSources } from "../../model/trace/trace-locations.ts";
import { refreshCodeIndex } from "../index/refresh-index.ts";
import type { SourceView } from "#git/operations/ports/git-files.ts";
import { isTestPath } from "../../model/scan/test-files.ts";
import type { CodeOutline } from "../../model/index/code-outline.ts";
import * as tracedSymbols from "../../model/trace/traced-symbols.ts";

type DriftEngine = SymbolEngine & Pick<CodeEngine, "source" | "requirements">;

export type TracedCode = Awaited<ReturnType<typeof readTracedCode>>;

/** Reads the files themselves: the index only suggests where tags are. */
export async function readTracedCode(engine: DriftEngine, paths: Iterable<string>, names: TestNameReader) {
  const texts = new Map<string, string>();
  for (const path of new Set(paths)) {
    const text = await engine.source.text(path);
    if (text !== undefined) texts.set(path, text);
  }
  const seen = await readFileSymbols(engine, texts, names);
  return {
    names,
    byId: Map.groupBy(seen, ({ id }) => id),
    textOf({ path, ref, hash }: TracedSymbol): string | undefined {
      const place = seen.find((each) => each.path === path && each.ref === ref && each.hash === hash);
      return place && sliceSymbolLines(texts.get(path) ?? "", place);
    },
  };
}

export type FoundDrift = Awaited<ReturnType<typeof findDrift>>;

export async function findDrift(engine: DriftEngine, acceptances: Acceptances, { byId, names }: TracedCode) {
  const requirements = await engine.requirements.read(acceptances.keys());
  const recall = createVersionLookup(engine, names);
  /** Whether the old text with the new names has the new hash. */
  const isOnlyRenamed = async (former: AcceptedVersion, renames: readonly SymbolPair[], { hash }: TracedSymbol) => {
    const words = renames.map(({ was, is }) => [extractSymbolName(was), extractSymbolName(is)] as const);
    for (const text of createRenamedTexts(former.text, words)) {
      const seen = text === former.text ? [] : await locateSymbols(engine, former.path, text, names);
      if (seen.some((each) => each.hash === hash)) return true;
    }
    return false;
  };
  const findRenamedSymbols = async (acceptance: TraceAcceptance, { removed, added }: SymbolDifference) => {
    const found: SymbolPair[] = [];
    const left = new Set(added.slice(0, MAX_RENAME_CANDIDATES));
    for (const was of removed.slice(0, MAX_RENAME_CANDIDATES)) {
      const former = left.size === 0 ? undefined : await recall(was, acceptance);
      for (const is of former ? left : []) {
        if (is.role !== was.role || extractSymbolName(is) === extractSymbolName(was)) continue;
        if (!former || !(await isOnlyRenamed(former, [{ was, is }], is))) continue;
        found.push({ was, is });
        left.delete(is);
        break;
      }
    }
    return found;
  };
  const compared: { acceptance: TraceAcceptance; difference: SymbolDifference; renamed: SymbolPair[] }[] = [];
  for (const acceptance of acceptances.values()) {
    const difference = compareSymbols(acceptance.symbols, byId.get(acceptance.id) ?? []);
    compared.push({ acceptance, difference, renamed: await findRenamedSymbols(acceptance, difference) });
  }
  const renames = compared.flatMap(({ renamed, difference }) => [...renamed, ...difference.renamed]);
  const drifted: DriftItem[] = [];
  for (const { acceptance, difference, renamed } of compared) {
    // Changed symbols may differ only in the names of renamed ones.
    for (const pair of renames.length === 0 ? [] : difference.changed.slice(0, MAX_RENAME_CANDIDATES)) {
      const former = await recall(pair.was, acceptance);
      if (former && (await isOnlyRenamed(former, renames, pair.is))) renamed.push(pair);
    }
    const covered = requirements.get(acceptance.id) ?? { isBinding: false };
    const now = byId.get(acceptance.id) ?? [];
    drifted.push(...judgeDrift(acceptance, now, covered, moveRenamedPairs(difference, renamed)));
  }
  return { drifted, requirements, recall };
}

type Acceptances = ReadonlyMap<TraceId, TraceAcceptance>;

/** Only a hint: the tags are read from the files. A quiet search shows no notices and needs no usable index. */
export async function locateTaggedFiles(engine: CodeEngine, acceptances: Acceptances, isQuiet = false) {
  let sources: TraceSources = { tags: [], tests: [] };
  try {
    const { index } = await refreshCodeIndex(isQuiet ? { ...engine, notice: () => undefined } : engine);
    sources = { tags: await index.tags(), tests: await index.tests() };
  } catch (error) {
    if (!isQuiet || !(error instanceof Fault) || error.code === "call.cancelled") throw error;
  }
  const { ids: known } = await engine.requirements.traceable();
  const names = createTestNameReader([...known.keys(), ...[...acceptances.keys()].map((id) => splitTraceId(id).spec)]);
  const placed = collectTraceLocations(sources, names).flatMap(({ path, ...said }) => {
    const id = parseTagTraceId(said);
    return id === undefined ? [] : [{ id, path }];
  });
  const accepted = [...acceptances.values()].flatMap(({ id, symbols }) => symbols.map(({ path }) => ({ id, path })));
  return {
    names,
    ids: new Set(placed.map(({ id }) => id)),
    /** Files that name one of the ids in a tag or a test name, and files where it was accepted. */
    paths: (isWanted: (id: TraceId) => boolean) =>
      new Set([...placed, ...accepted].filter(({ id }) => isWanted(id)).map(({ path }) => path)),
  };
}

const MAX_RENAME_CANDIDATES = 20;

type AcceptedVersion = Readonly<{ commit: string; path: string; text: string; seen: LocatedSymbol }>;

type AcceptedVersionLookup = (symbol: TracedSymbol, of: TraceAcceptance) => Promise<AcceptedVersion | undefined>;

const MAX_HISTORY_COMMITS = 50;
const MAX_HISTORY_FILES = 400;

/** In the checked-out commit, else in the newest with the same hash. Share one lookup per answer: it caches. */
function createVersionLookup(engine: DriftEngine, names: TestNameReader): AcceptedVersionLookup {
  const views = new Map<string, Promise<SourceView | undefined>>();
  const pasts = new Map<string, ReturnType<DriftEngine["source"]["past"]>>();
  const symbols = new Map<string, Promise<readonly LocatedSymbol[]>>();
  const findVersion = async (version: Omit<AcceptedVersion, "seen">, hash: string) => {
    const { path, text } = version;
    const key = `${path}\0${engine.digest(text)}`;
    if (!symbols.has(key)) {
      if (symbols.size >= MAX_HISTORY_FILES) return undefined;
      symbols.set(key, locateSymbols(engine, path, text, names));
    }
    const seen = (await symbols.get(key))?.find((each) => each.hash === hash);
    return seen && { ...version, seen };
  };
  return async ({ path, hash }, { commit }) => {
    if (commit !== undefined) {
      const view = views.get(commit) ?? engine.source.at(commit);
      views.set(commit, view);
      const file = (await (await view)?.read([path]))?.get(path);
      const found = file?.kind === "text" ? await findVersion({ commit, path, text: file.text }, hash) : undefined;
      if (found) return found;
    }
    const past = pasts.get(path) ?? engine.source.past(path, MAX_HISTORY_COMMITS);
    pasts.set(path, past);
    for (const version of await past) {
      const found = await findVersion(version, hash);
      if (found) return found;
    }
    return undefined;
  };
}

export const extractVersionText = ({ text, seen }: AcceptedVersion): string => sliceSymbolLines(text, seen);

type LocatedSymbol = TracedSymbol & Readonly<{ id: TraceId; line: number; lastLine: number }>;

type SymbolEngine = Pick<CodeEngine, "syntax" | "digest">;

export async function readFileSymbols(engine: SymbolEngine, files: ReadonlyMap<string, string>, names: TestNameReader) {
  async function* texts() {
    for (const [path, text] of files) yield { path, text };
  }
  const found: LocatedSymbol[] = [];
  for await (const { path, outline } of engine.syntax.outlines(texts()))
    if (outline) found.push(...(await locateSymbols(engine, path, files.get(path) ?? "", names, outline)));
  return found;
}

async function locateSymbols(
  engine: SymbolEngine,
  path: string,
  text: string,
  names: TestNameReader,
  parsed?: CodeOutline,
): Promise<LocatedSymbol[]> {
  const outline = parsed ?? (await engine.syntax.outline(path, text));
  const seen: LocatedSymbol[] = [];
  for (const span of outline ? tracedSymbols.findTaggedSpans(outline, isTestPath(path), names) : []) {
    const { id, role, place } = span;
    const hash = await computeSymbolHash(engine, path, text, outline?.language ?? "", span);
    const [line, lastLine] = place ? [place.line, place.lastLine] : [1, outline?.lines ?? 1];
    seen.push({ id, path, ref: place?.ref ?? "", role, hash, line, lastLine });
  }
  return seen;
}

/** Uses the syntax tree if possible, else the normalized text. */
async function computeSymbolHash(
  engine: SymbolEngine,
  path: string,
  text: string,
  language: string,
  { place, holes }: tracedSymbols.TaggedSpan,
): Promise<string> {
  if (place?.hash !== undefined) {
    if (holes.length === 0) return place.hash;
    const rest = await engine.syntax.outline(path, tracedSymbols.blankNestedSpans(text, holes));
    const same =
      rest && tracedSymbols.listTaggableSpans(rest).find((each) => each.line === place.line && each.ref === place.ref);
    return same?.hash ?? place.hash;
  }
  const part = place ? sliceSymbolLines(text, place) : text;
  const wrapped = place && tracedSymbols.wrapAsFunction(language, part);
  const outline = wrapped === undefined ? undefined : await engine.syntax.outline(path, wrapped);
  const [whole] = outline?.isWhole === true ? outline.components : [];
  if (whole) return whole.hash;
  const comments = (await engine.syntax.look(path, part))?.comments ?? [];
  return engine.digest(tracedSymbols.normalizeCodeText(part, comments)).slice(0, 32);
}

const sliceSymbolLines = (text: string, { line, lastLine }: Pick<LocatedSymbol, "line" | "lastLine">): string =>
  text
    .split("\n")
    .slice(line - 1, lastLine)
    .join("\n");
