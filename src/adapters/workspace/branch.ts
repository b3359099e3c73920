import fs from "node:fs";
import { join, resolve } from "node:path";

const LONGEST_HEAD_FILE = 4_096;

/**
 * The current branch, or the short commit of a detached HEAD; undefined outside git. Reads files only and starts no
 * process.
 */
export function readCurrentBranch(root: string): string | undefined {
  try {
    const git = join(root, ".git");
    const target = fs.statSync(git).isFile() ? /^gitdir: (.+?)\s*$/.exec(readHeadFile(git))?.[1] : git;
    const head = target === undefined ? "" : readHeadFile(join(resolve(root, target), "HEAD")).trim();
    return (
      /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? (/^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 12) : undefined)
    );
  } catch {
    return undefined;
  }
}

const readHeadFile = (file: string): string =>
  fs.statSync(file).size > LONGEST_HEAD_FILE ? "" : fs.readFileSync(file, "utf8");
