import fs from "node:fs";
import { join } from "node:path";
import { runGitOrFault, type GitRepository } from "./repository.ts";

/**
 * Files that git leaves in its folder during an unfinished command. A bisection is not listed: it holds no half-made
 * files and ends where it began.
 */
const UNFINISHED_COMMAND_FILES: readonly (readonly [place: string, what: string])[] = [
  ["rebase-apply/applying", "patches are being applied (git am)"],
  ["rebase-apply", "a rebase is under way"],
  ["rebase-merge", "a rebase is under way"],
  ["MERGE_HEAD", "a merge is under way"],
  ["CHERRY_PICK_HEAD", "a cherry-pick is under way"],
  ["REVERT_HEAD", "a revert is under way"],
  ["sequencer", "a cherry-pick or revert is under way"],
  ["index.lock", "another git command is changing the index, or one that died left its lock"],
];

export async function describeGitObstacle(repository: GitRepository): Promise<string | undefined> {
  const found = UNFINISHED_COMMAND_FILES.find(([place]) => fs.existsSync(join(repository.gitFolder, place)));
  if (found?.[0] === "index.lock") return `${found[1]} (rm ${join(repository.gitFolder, found[0])})`;
  if (found) return found[1];
  const unmerged = await runGitOrFault(repository.git, "The index cannot be read.", ["ls-files", "-u", "-z"]);
  return unmerged.length > 0 ? "files of a merge are undecided (git status)" : undefined;
}
