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
import type { TracedRequirement } from "../../model/trace/requirement-text.ts";
import { Fault } from "#kernel/model/fault.ts";
import { collectTraceLocations, type TraceSources } from "../../model/trace/trace-locations.ts";
import { refreshCodeIndex } from "../index/refresh-index.ts";
import type { SourceView } from "#git/operations/ports/git-files.ts";
import { isTestPath } from "../../model/scan/test-files.ts";
import type { CodeOutline } from "../../model/index/code-outline.ts";
import {
  wrapAsFunction,
  findTaggedSpans,
  type TaggableSpan,
  listTaggableSpans,
  blankNestedSpans,
  normalizeCodeText,
} from "../../model/trace/traced-symbols.ts";

type DriftEngine = Pick<CodeEngine, "source" | "syntax" | "digest" | "requirements">;

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
  const texts = new Map<string, string>();
  for (const path of new Set(paths)) {
    const text = await engine.source.text(path);
    if (text !== undefined) texts.set(path, text);
  }
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
  const requirements = await engine.requirements.read(acceptances.keys());
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

/** Files with tags according to the index. This is only a hint: the tags are read from the files. */
export interface TaggedFiles {
  /** Files that name one of the ids in a tag or a test name, and files where it was accepted. */
  paths(isWanted: (id: TraceId) => boolean): ReadonlySet<string>;
  readonly ids: ReadonlySet<TraceId>;
  readonly names: TestNameReader;
}

type Acceptances = ReadonlyMap<TraceId, TraceAcceptance>;

export async function locateTaggedFiles(engine: CodeEngine, acceptances: Acceptances): Promise<TaggedFiles> {
  return createTaggedFiles(engine, acceptances, await loadTraceSources(engine));
}

/** Works without a usable index, and shows no notices. */
export async function locateTaggedFilesQuietly(engine: CodeEngine, acceptances: Acceptances): Promise<TaggedFiles> {
  const sources = loadTraceSources({ ...engine, notice: () => undefined }).catch((error: unknown): TraceSources => {
    if (error instanceof Fault && error.code !== "call.cancelled") return { tags: [], tests: [] };
    throw error;
  });
  return createTaggedFiles(engine, acceptances, await sources);
}

async function loadTraceSources(engine: CodeEngine): Promise<TraceSources> {
  const { index } = await refreshCodeIndex(engine);
  return { tags: await index.tags(), tests: await index.tests() };
}

async function createTaggedFiles(
  engine: CodeEngine,
  acceptances: Acceptances,
  sources: TraceSources,
): Promise<TaggedFiles> {
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
    paths: (isWanted) => new Set([...placed, ...accepted].filter(({ id }) => isWanted(id)).map(({ path }) => path)),
  };
}

type RenameEngine = Pick<CodeEngine, "syntax" | "digest"> & { readonly names: TestNameReader };

const MAX_RENAME_CANDIDATES = 20;

/** Pairs a removed and an added symbol if the old text with the new name has the new hash. */
async function findRenamedSymbols(
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
async function findRenameFollowers(
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

export interface AcceptedVersion {
  readonly commit: string;
  readonly path: string;
  readonly text: string;
  readonly seen: LocatedSymbol;
}

type AcceptedVersionLookup = (symbol: TracedSymbol, of: TraceAcceptance) => Promise<AcceptedVersion | undefined>;
type HistoryEngine = Pick<CodeEngine, "source" | "syntax" | "digest">;

const MAX_HISTORY_COMMITS = 50;
const MAX_HISTORY_FILES = 400;

/**
 * Finds accepted code in git: in the commit that was checked out, else in the newest commit of the file with the same
 * hash. Share one lookup per answer, because it caches.
 */
function createVersionLookup(engine: HistoryEngine, names: TestNameReader): AcceptedVersionLookup {
  const sights = new Map<string, Promise<SourceView | undefined>>();
  const pasts = new Map<string, ReturnType<HistoryEngine["source"]["past"]>>();
  const looks = new Map<string, Promise<readonly LocatedSymbol[]>>();
  let read = 0;
  const look = (path: string, text: string): Promise<readonly LocatedSymbol[]> => {
    const key = `${path}\0${engine.digest(text)}`;
    const known = looks.get(key);
    if (known) return known;
    if (++read > MAX_HISTORY_FILES) return Promise.resolve([]);
    const found = readFileSymbols(engine, path, text, names);
    looks.set(key, found);
    return found;
  };
  return async ({ path, hash }, { commit }) => {
    const find = async (version: Omit<AcceptedVersion, "seen">): Promise<AcceptedVersion | undefined> => {
      const seen = (await look(version.path, version.text)).find((each) => each.hash === hash);
      return seen && { ...version, seen };
    };
    if (commit !== undefined) {
      const sight = sights.get(commit) ?? engine.source.at(commit);
      sights.set(commit, sight);
      const stood = (await (await sight)?.read([path]))?.get(path);
      const found = stood?.kind === "text" ? await find({ commit, path, text: stood.text }) : undefined;
      if (found) return found;
    }
    const past = pasts.get(path) ?? engine.source.past(path, MAX_HISTORY_COMMITS);
    pasts.set(path, past);
    for (const version of await past) {
      const found = await find(version);
      if (found) return found;
    }
    return undefined;
  };
}

export const extractVersionText = ({ text, seen }: AcceptedVersion): string => sliceSymbolLines(text, seen);

export interface LocatedSymbol extends TracedSymbol {
  readonly id: TraceId;
  readonly line: number;
  readonly lastLine: number;
}

type SymbolEngine = Pick<CodeEngine, "syntax" | "digest">;

async function readFileSymbols(
  engine: SymbolEngine,
  path: string,
  text: string,
  names: TestNameReader,
): Promise<LocatedSymbol[]> {
  const outline = await engine.syntax.outline(path, text);
  return outline ? locateOutlineSymbols(engine, path, text, outline, names) : [];
}

export async function readSymbolsByFile(
  engine: SymbolEngine,
  files: ReadonlyMap<string, string>,
  names: TestNameReader,
): Promise<ReadonlyMap<string, readonly LocatedSymbol[]>> {
  async function* texts() {
    for (const [path, text] of files) yield { path, text };
  }
  const found = new Map<string, readonly LocatedSymbol[]>();
  for await (const { path, outline } of engine.syntax.outlines(texts()))
    if (outline) found.set(path, await locateOutlineSymbols(engine, path, files.get(path) ?? "", outline, names));
  return found;
}

async function locateOutlineSymbols(
  engine: SymbolEngine,
  path: string,
  text: string,
  outline: CodeOutline,
  names: TestNameReader,
): Promise<LocatedSymbol[]> {
  const seen: LocatedSymbol[] = [];
  for (const { id, role, place, holes } of findTaggedSpans(outline, isTestPath(path), names)) {
    const hash = await computeSymbolHash(engine, { path, text, language: outline.language }, place, holes);
    const [line, lastLine] = place ? [place.line, place.lastLine] : [1, outline.lines];
    seen.push({ id, path, ref: place?.ref ?? "", role, hash, line, lastLine });
  }
  return seen;
}

/** Uses the syntax tree if possible, else the normalized text. */
async function computeSymbolHash(
  engine: SymbolEngine,
  { path, text, language }: { readonly path: string; readonly text: string; readonly language: string },
  place: TaggableSpan | undefined,
  holes: readonly TaggableSpan[],
): Promise<string> {
  if (place?.hash !== undefined && holes.length === 0) return place.hash;
  if (place?.hash !== undefined) {
    const rest = await engine.syntax.outline(path, blankNestedSpans(text, holes));
    const same = rest && listTaggableSpans(rest).find((each) => each.line === place.line && each.ref === place.ref);
    return same?.hash ?? place.hash;
  }
  const part = place ? sliceSymbolLines(text, place) : text;
  const wrapped = place && wrapAsFunction(language, part);
  const outline = wrapped === undefined ? undefined : await engine.syntax.outline(path, wrapped);
  const [whole] = outline?.isWhole === true ? outline.components : [];
  if (whole) return whole.hash;
  const comments = (await engine.syntax.look(path, part))?.comments ?? [];
  return engine.digest(normalizeCodeText(part, comments)).slice(0, 32);
}

const sliceSymbolLines = (text: string, { line, lastLine }: Pick<LocatedSymbol, "line" | "lastLine">): string =>
  text
    .split("\n")
    .slice(line - 1, lastLine)
    .join("\n");
