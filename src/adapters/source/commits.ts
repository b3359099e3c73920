import { randomUUID } from "node:crypto";
import type { Commit } from "#operations/ports/snapshots.ts";
import type { Git } from "./git.ts";
import { insist } from "./repository.ts";

/** Nobody waits for more, and none of them is a workflow's own. */
const MOST_COMMITS = 5000;

/** The newest commits that are not behind another one, oldest first. */
export async function commitsSince(git: Git, commit: string | undefined): Promise<Commit[]> {
  const head = await git.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (head === undefined) return [];
  const options = ["--reverse", `--max-count=${MOST_COMMITS}`, "--name-only", "-z", "-c", "--no-renames", "--relative"];
  const range = commit === undefined ? "HEAD" : `${commit}..HEAD`;
  // What begins a commit, and what no path or message can know.
  const mark = randomUUID();
  const format = `--format=%x00${mark}%x00%H%x00%s%x00%b%x00`;
  const words = ["log", ...options, "--no-color", "--no-notes", format, range, "--"];
  const out = await insist(git, "The commits cannot be read.", words, { largestAnswer: 2 ** 29 });
  return out.toString("utf8").split(`\0${mark}\0`).slice(1).map(readCommit);
}

/** Hash, subject and body, then the paths after an empty line; none for a merge that only joins. */
function readCommit(text: string): Commit {
  const [hash = "", subject = "", body = "", ...rest] = text.split("\0");
  const paths = rest
    .join("\0")
    .replace(/^\0*\n?/, "")
    .split("\0")
    .filter((path) => path !== "");
  return { hash, subject, body: body.trim(), paths: paths.toSorted() };
}
