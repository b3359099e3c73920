import { askGit, type GitEnvironment } from "./git.ts";

export async function listUncommittedFiles(
  root: string,
  environment: GitEnvironment,
  waitMs: number,
): Promise<readonly string[] | undefined> {
  const words = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal"];
  const said = await askGit(root, environment, words, waitMs);
  return said
    ?.split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => entry.slice(3));
}
