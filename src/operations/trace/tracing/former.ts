import type { Acceptance, TracedSymbol } from "#domain/trace/acceptance.ts";
import type { NameReader } from "#domain/trace/test-names.ts";
import type { Engine } from "../../engine.ts";
import type { SourceView } from "../../ports/source.ts";
import { linesOf, type Seen, seenIn } from "./looking.ts";

export interface Former {
  readonly commit: string;
  readonly path: string;
  readonly text: string;
  readonly seen: Seen;
}

export type Recall = (symbol: TracedSymbol, of: Acceptance) => Promise<Former | undefined>;
type Historian = Pick<Engine, "source" | "syntax" | "digest">;

const MOST_COMMITS = 50;
const MOST_READ = 400;

/**
 * Finds accepted code in git: in the commit that was checked out, else in the newest commit of the file with the same
 * hash. Share one lookup per answer, because it caches.
 */
export function formerVersions(engine: Historian, names: NameReader): Recall {
  const sights = new Map<string, Promise<SourceView | undefined>>();
  const pasts = new Map<string, ReturnType<Historian["source"]["past"]>>();
  const looks = new Map<string, Promise<readonly Seen[]>>();
  let read = 0;
  const look = (path: string, text: string): Promise<readonly Seen[]> => {
    const key = `${path}\0${engine.digest(text)}`;
    const known = looks.get(key);
    if (known) return known;
    if (++read > MOST_READ) return Promise.resolve([]);
    const found = seenIn(engine, path, text, names);
    looks.set(key, found);
    return found;
  };
  const find = async (commit: string, path: string, text: string, hash: string): Promise<Former | undefined> => {
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
    const past = pasts.get(path) ?? engine.source.past(path, MOST_COMMITS);
    pasts.set(path, past);
    for (const version of await past) {
      const found = await find(version.commit, version.path, version.text, hash);
      if (found) return found;
    }
    return undefined;
  };
}

export const textOf = ({ text, seen }: Former): string => linesOf(text, seen);
