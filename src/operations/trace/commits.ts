import { parseCommitIds } from "#domain/indexing/feed.ts";
import type { TagTarget } from "#domain/scan/tags.ts";
import type { Engine } from "../engine.ts";
import type { TraceAnswer } from "./parts.ts";

const MAX_TRACE_COMMITS = 20;
const MAX_SCANNED_COMMITS = 1_000;

export interface NamingCommits {
  readonly commits: NonNullable<TraceAnswer["commits"]>;
  readonly older: number;
}

/** Newest first; none outside git. */
export async function findNamingCommits(
  { source }: Pick<Engine, "source">,
  { spec, criterion }: TagTarget,
): Promise<NamingCommits> {
  const all = (await source.commits({ most: MAX_SCANNED_COMMITS, naming: spec })) ?? [];
  const own = all.filter((commit) =>
    parseCommitIds(commit).some(
      (said) => said.spec === spec && (criterion === undefined || said.criterion === criterion),
    ),
  );
  return {
    commits: own.slice(0, MAX_TRACE_COMMITS).map(({ hash, at, subject }) => ({ hash, date: at, subject })),
    older: Math.max(0, own.length - MAX_TRACE_COMMITS),
  };
}
