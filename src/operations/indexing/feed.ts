import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { specIdsIn } from "#domain/indexing/feed.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText } from "#domain/quote.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "../fit.ts";
import { defineOperation } from "../operation.ts";
import type { PastCommit } from "../ports/source.ts";
import type { Feed, FeedQuery } from "./schema.ts";

type Output = z.infer<typeof Feed>;
export type FedCommit = Output["commits"][number];

/** Same limit as the index export. */
export const MOST_FED = 20;
const MOST_FILES = 30;
const LONG_PATH = 100;

export const feed = defineOperation<z.infer<typeof FeedQuery>, Output>({
  id: "indexing.feed",
  effect: "read",
  input: async () => (await import("./schema.ts")).FeedQuery,
  output: async () => (await import("./schema.ts")).Feed,
  async run(engine, { limit = MOST_FED, max_tokens = DEFAULT_ANSWER_TOKENS }) {
    const commits = await engine.source.commits({ most: limit });
    return fitAnswer<FedCommit, Output>(engine, max_tokens, {
      items: (commits ?? []).map(fedCommit),
      build: (shown, omitted) => ({ is_git: commits !== undefined, commits: [...shown], omitted }),
      page: feedPage,
      shorten: (commit, length) => ({
        ...commit,
        message: commit.message.slice(0, length),
        files: commit.files.slice(0, Math.floor(length / LONG_PATH)),
      }),
    });
  },
  page: feedPage,
});

export function fedCommit({ hash, at, subject, trailers, files, isMerge, isCut }: PastCommit): FedCommit {
  const sum = (of: "insertions" | "deletions"): number => files.reduce((total, file) => total + (file[of] ?? 0), 0);
  return {
    timestamp: at,
    hash,
    message: subject,
    files: files.slice(0, MOST_FILES).map(({ path, from, insertions }) => ({
      path,
      ...(from === undefined ? {} : { from }),
      ...(insertions === undefined ? { is_binary: true } : {}),
    })),
    files_changed: files.length,
    insertions: sum("insertions"),
    deletions: sum("deletions"),
    specs: specIdsIn({ subject, trailers }),
    ...(isMerge ? { is_merge: true } : {}),
    ...(isCut ? { is_cut: true } : {}),
  };
}

function feedPage({ is_git, commits, omitted }: Output): Page {
  const cut = commits.find(({ is_cut }) => is_cut);
  return {
    title: is_git
      ? commits.length + omitted === 0
        ? "Nothing is committed yet."
        : `The last ${commits.length === 1 ? "commit" : formatCount(commits.length, "commit")}.`
      : "There is no git repository here, so nothing is committed.",
    table: {
      columns: ["time", "commit", "message", "files", "lines", "specs"],
      rows: commits.map((commit) => [
        commit.timestamp,
        commit.hash.slice(0, 10),
        sanitizeText(commit.message, 80),
        commit.is_merge ? "merge" : String(commit.files_changed),
        commit.is_merge ? "" : `+${commit.insertions} -${commit.deletions}`,
        commit.specs.join(" "),
      ]),
    },
    points: [
      ...(omitted > 0 ? [`${formatCount(omitted, "older one")} left out for max_tokens.`] : []),
      ...(cut
        ? [`The history of this clone ends with ${cut.hash.slice(0, 10)}: git fetch --unshallow brings the rest.`]
        : []),
    ],
  };
}
