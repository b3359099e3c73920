import type { Commit } from "#operations/snapshots.ts";
import type { Git } from "./git.ts";
import { insist } from "./repository.ts";

/** Nobody waits for more, and none of them is a workflow's own. */
const MOST_COMMITS = 5000;
const FORMAT = "--format=%x00%H%x00%s%x00%b%x00";

/** The newest commits that are not behind another one, oldest first. */
export async function commitsSince(git: Git, commit: string | undefined): Promise<Commit[]> {
  const head = await git.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (head === undefined) return [];
  const options = ["--reverse", `--max-count=${MOST_COMMITS}`, "--name-only", "-z", "-c", "--no-renames", "--relative"];
  const range = commit === undefined ? "HEAD" : `${commit}..HEAD`;
  const words = ["log", ...options, "--no-color", "--no-notes", FORMAT, range, "--"];
  return readCommits((await insist(git, "The commits cannot be read.", words)).toString("utf8"));
}

/** Each begins with an empty part, then hash, subject, body, an empty part, and the paths; no path is empty. */
function readCommits(text: string): Commit[] {
  const parts = text.split("\0");
  const commits: Commit[] = [];
  for (let at = 1; at + 3 < parts.length;) {
    const [hash = "", subject = "", body = ""] = parts.slice(at, at + 3);
    const end = parts.indexOf("", at + 4);
    const paths = parts.slice(at + 4, end < 0 ? undefined : end);
    commits.push({ hash, subject, body: body.trim(), paths: paths.map((path) => path.replace(/^\n/, "")).toSorted() });
    at = (end < 0 ? parts.length : end) + 1;
  }
  return commits;
}
