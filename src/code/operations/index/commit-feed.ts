import type { CodeEngine } from "../engine.ts";
import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { Page } from "#kernel/model/page.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { PastCommit } from "#git/operations/ports/git-files.ts";
import type { CommitFeedOutput, CommitFeedInput } from "./schema.ts";
import { listCommitSpecs } from "../../model/trace/id-mentions.ts";

type CommitFeed = z.infer<typeof CommitFeedOutput>;
export type CommitFeedEntry = CommitFeed["commits"][number];

/** Same limit as the index export. */
const MAX_FEED_COMMITS = 20;
const MAX_FEED_FILES = 30;
const TYPICAL_PATH_LENGTH = 100;

export const showCommitFeed = defineOperation<z.infer<typeof CommitFeedInput>, CommitFeed, CodeEngine>({
  id: "indexing.feed",
  effect: "read",
  input: async () => (await import("./schema.ts")).CommitFeedInput,
  output: async () => (await import("./schema.ts")).CommitFeedOutput,
  async run(engine: CodeEngine, { limit = MAX_FEED_COMMITS, max_tokens = DEFAULT_ANSWER_TOKENS }) {
    const commits = await engine.source.commits({ most: limit });
    return fitAnswer<CommitFeedEntry, CommitFeed>(engine, max_tokens, {
      items: (commits ?? []).map(createFeedEntry),
      build: (shown, omitted) => ({ is_git: commits !== undefined, commits: [...shown], omitted }),
      page: formatFeedPage,
      shorten: (commit, length) => ({
        ...commit,
        message: commit.message.slice(0, length),
        files: commit.files.slice(0, Math.floor(length / TYPICAL_PATH_LENGTH)),
      }),
    });
  },
  page: formatFeedPage,
});

export function createFeedEntry({ hash, at, subject, trailers, files, isCut }: PastCommit): CommitFeedEntry {
  const sum = (of: "insertions" | "deletions"): number => files.reduce((total, file) => total + (file[of] ?? 0), 0);
  return {
    timestamp: at,
    hash,
    message: subject,
    files: files.slice(0, MAX_FEED_FILES).map(({ path, from, insertions }) => {
      const former = from === undefined ? {} : { from };
      return { path, ...former, ...(insertions === undefined ? { is_binary: true } : {}) };
    }),
    files_changed: files.length,
    insertions: sum("insertions"),
    deletions: sum("deletions"),
    specs: listCommitSpecs({ subject, trailers }),
    ...(isCut ? { is_cut: true } : {}),
  };
}

function formatFeedPage({ is_git, commits, omitted }: CommitFeed): Page {
  const cut = commits.find(({ is_cut }) => is_cut)?.hash.slice(0, 10);
  const last = commits.length === 1 ? "commit" : formatCount(commits.length, "commit");
  const found = commits.length + omitted === 0 ? "Nothing is committed yet." : `The last ${last}.`;
  return {
    title: is_git ? found : "There is no git repository here, so there are no commits.",
    table: {
      columns: ["time", "commit", "message", "files", "lines", "specs"],
      rows: commits.map((commit) => {
        const size = [String(commit.files_changed), `+${commit.insertions} -${commit.deletions}`];
        const message = sanitizeText(commit.message, 80);
        return [commit.timestamp, commit.hash.slice(0, 10), message, ...size, commit.specs.join(" ")];
      }),
    },
    points: [
      ...(omitted > 0 ? [`${formatCount(omitted, "older one")} left out for max_tokens.`] : []),
      ...(cut ? [`The history of this clone ends with ${cut}. To get the rest: git fetch --unshallow`] : []),
    ],
  };
}
