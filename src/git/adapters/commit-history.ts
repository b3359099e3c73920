import { randomUUID } from "node:crypto";
import type { CommittedFile, PastCommit, SnapshotCommit, SourceFiles } from "../operations/ports/git-files.ts";
import type { GitCommand } from "./git-command.ts";
import { runGitOrFault, type GitRepository, type GitSession } from "./git-repository.ts";
import { readBlobTexts } from "./file-view.ts";

const MOST_WORKFLOW_COMMITS = 5000;

/** The log of git, as one text for each commit; empty before the first commit. */
async function readCommitTexts(
  git: GitCommand,
  options: readonly string[],
  fields: readonly string[],
  range: readonly string[],
  largestAnswer: number,
): Promise<string[]> {
  const head = await git.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (head === undefined) return [];
  // Marks the start of a commit. No path or message can contain it.
  const mark = randomUUID();
  const format = `--format=%x00${mark}%x00${fields.join("%x00")}%x00`;
  const words = ["log", ...options, "-z", "--relative", "--no-color", "--no-notes", format, ...range];
  const out = await runGitOrFault(git, "The commits cannot be read.", words, { largestAnswer });
  return out.toString("utf8").split(`\0${mark}\0`).slice(1);
}

export async function listCommitsSinceHash(git: GitCommand, commit: string | undefined): Promise<SnapshotCommit[]> {
  const options = ["--reverse", `--max-count=${MOST_WORKFLOW_COMMITS}`, "--name-only", "-c", "--no-renames"];
  const range = [commit === undefined ? "HEAD" : `${commit}..HEAD`, "--"];
  const texts = await readCommitTexts(git, options, ["%H", "%s", "%b"], range, 2 ** 29);
  return texts.map((text) => {
    const [hash = "", subject = "", body = "", ...rest] = text.split("\0");
    const names = rest.join("\0").replace(/^\0*\n?/, "");
    const paths = names.split("\0").filter((path) => path !== "");
    return { hash, subject, body: body.trim(), paths: paths.toSorted() };
  });
}

const LONGEST_COMMIT_SUBJECT = 500;
const LARGEST_HISTORY_BYTES = 2 ** 28;
const PAST_COMMIT_FIELDS = ["%H", "%P", "%ct", "%s", "%(trailers:only,unfold)"];

export async function listPastCommits(
  { git, prefix }: GitRepository,
  { most, naming }: Parameters<SourceFiles["commits"]>[0],
): Promise<PastCommit[]> {
  const isShallow = (await git.ask(["rev-parse", "--is-shallow-repository"]))?.trim() === "true";
  const grep = `--grep=${naming?.replace(/[^\w-]/g, "\\$&")}([^A-Za-z0-9_]|$)`;
  const only = naming === undefined ? ["--no-merges"] : ["--extended-regexp", grep];
  const options = [`--max-count=${most}`, "--numstat", "-M", "--no-show-signature", ...only];
  // In a subfolder of a repository, only commits that touch it; at the top all commits.
  const range = prefix === "" ? ["HEAD", "--"] : ["HEAD", "--", "."];
  const texts = await readCommitTexts(git, options, PAST_COMMIT_FIELDS, range, LARGEST_HISTORY_BYTES);
  return texts.map((text) => {
    const [hash = "", parents = "", seconds = "", subject = "", trailers = "", ...rest] = text.split("\0");
    const isCut = isShallow && parents === "";
    // A commit may claim any time. An invalid one becomes 1970, as in git.
    const claimed = new Date(Number(seconds) * 1000);
    const time = Number.isNaN(claimed.getTime()) ? new Date(0) : claimed;
    return {
      hash,
      at: time.toISOString().replace(".000Z", "Z"),
      subject: subject.slice(0, LONGEST_COMMIT_SUBJECT),
      trailers: trailers.trim().slice(0, LONGEST_COMMIT_SUBJECT * 10),
      files: isCut ? [] : parseCommittedFiles(rest),
      isCut,
    };
  });
}

/** `3\t1\tpath`, or for a rename `3\t1\t` followed by both paths; dashes for binary files. */
function parseCommittedFiles(parts: readonly string[]): CommittedFile[] {
  const files: CommittedFile[] = [];
  for (let i = 0; i < parts.length; i++) {
    const counted = /^\n?(\d+|-)\t(\d+|-)\t([^]*)$/.exec(parts[i] ?? "");
    if (!counted) continue;
    const [, inserted = "", deleted = "", path = ""] = counted;
    const lines = inserted === "-" ? {} : { insertions: Number(inserted), deletions: Number(deleted) };
    if (path !== "") files.push({ path, ...lines });
    else files.push({ path: parts[(i += 2)] ?? "", from: parts[i - 1] ?? "", ...lines });
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const LARGEST_PAST_TEXT = 1024 * 1024;

export async function readPastTexts(session: GitSession, path: string, most: number): ReturnType<SourceFiles["past"]> {
  const repository = await session.repository();
  if (!repository) return [];
  const { git } = repository;
  const mark = randomUUID();
  const options = ["--follow", "--raw", "--no-abbrev", "-z", "-m", "--no-color", "--relative"];
  const words = ["log", ...options, `--max-count=${most}`, `--format=%x00${mark}%x00%H`, "--", `:(literal)${path}`];
  const log = await git.ask(words);
  const versions = (log ?? "").split(`\0${mark}\0`).slice(1);
  // Hash, then `:modes old new status`, then one path, or two for a rename.
  const found = versions.flatMap((version) => {
    const parts = version.split("\0").map((part) => part.replace(/^\n+/, ""));
    const [commit = "", head = "", first = "", second = ""] = parts;
    const [, object, status] = /^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) ([A-Z])/.exec(head) ?? [];
    if (object === undefined || /^0+$/.test(object)) return [];
    return [{ commit: commit.trim(), object, path: status === "R" || status === "C" ? second : first }];
  });
  const texts = await readBlobTexts(repository, [...new Set(found.map(({ object }) => object))], LARGEST_PAST_TEXT);
  return found.flatMap(({ commit, path: then, object }) => {
    const standing = texts.get(object);
    return standing?.kind === "text" ? [{ commit, path: then, text: standing.text }] : [];
  });
}
