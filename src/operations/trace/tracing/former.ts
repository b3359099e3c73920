import type { TraceAcceptance, TracedSymbol } from "#domain/trace/acceptance.ts";
import type { TestNameReader } from "#domain/trace/test-names.ts";
import type { Engine } from "../../engine.ts";
import type { SourceView } from "../../ports/source.ts";
import { sliceSymbolLines, type LocatedSymbol, readFileSymbols } from "./looking.ts";

export interface AcceptedVersion {
  readonly commit: string;
  readonly path: string;
  readonly text: string;
  readonly seen: LocatedSymbol;
}

export type AcceptedVersionLookup = (symbol: TracedSymbol, of: TraceAcceptance) => Promise<AcceptedVersion | undefined>;
type HistoryEngine = Pick<Engine, "source" | "syntax" | "digest">;

const MAX_HISTORY_COMMITS = 50;
const MAX_HISTORY_FILES = 400;

/**
 * Finds accepted code in git: in the commit that was checked out, else in the newest commit of the file with the same
 * hash. Share one lookup per answer, because it caches.
 */
export function createVersionLookup(engine: HistoryEngine, names: TestNameReader): AcceptedVersionLookup {
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
  const find = async (
    commit: string,
    path: string,
    text: string,
    hash: string,
  ): Promise<AcceptedVersion | undefined> => {
    const seen = (await look(path, text)).find((each) => each.hash === hash);
    return seen && { commit, path, text, seen };
  };
  return async ({ path, hash }, { commit }) => {
    if (commit !== undefined) {
      const sight = sights.get(commit) ?? engine.source.at(commit);
      sights.set(commit, sight);
      const stood = (await (await sight)?.read([path]))?.get(path);
      const found = stood?.kind === "text" ? await find(commit, path, stood.text, hash) : undefined;
      if (found) return found;
    }
    const past = pasts.get(path) ?? engine.source.past(path, MAX_HISTORY_COMMITS);
    pasts.set(path, past);
    for (const version of await past) {
      const found = await find(version.commit, version.path, version.text, hash);
      if (found) return found;
    }
    return undefined;
  };
}

export const extractVersionText = ({ text, seen }: AcceptedVersion): string => sliceSymbolLines(text, seen);
