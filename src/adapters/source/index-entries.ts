import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { insist, rawParts, type RawName, type Repository } from "./repository.ts";

/** One entry of git's index, below the workspace. */
export interface IndexEntry {
  readonly path: RawName;
  readonly mode: string;
  readonly blob: string;
  /** 0, or 1 to 3 for the sides of a merge that is not decided. */
  readonly stage: string;
  readonly isAssumed: boolean;
  readonly isSkipped: boolean;
}

const ENTRY = /^(\S) (\d{6}) ([0-9a-f]+) (\d)\t(.*)$/s;

export async function readIndex({ git }: Repository, file?: string): Promise<IndexEntry[]> {
  const asking = file === undefined ? {} : { variables: { GIT_INDEX_FILE: file } };
  const out = await insist(git, "The index cannot be read.", ["ls-files", "-z", "-s", "-v"], {
    ...asking,
    largestAnswer: 2 ** 30,
  });
  return rawParts(out).flatMap((line) => {
    const [, tag = "", mode = "", blob = "", stage = "", path = ""] = ENTRY.exec(line) ?? [];
    return path === ""
      ? []
      : [{ path, mode, blob, stage, isAssumed: tag !== tag.toUpperCase(), isSkipped: /s/i.test(tag) }];
  });
}

/**
 * A copy of the index, so that git may note in it what it likes; gone when its scope ends. It stands where what a crash
 * leaves is found and removed.
 */
export function copyOfIndex({ gitFolder }: Repository): Disposable & { readonly file: string } {
  const folder = join(gitFolder, "tenon", "files");
  const file = join(folder, `copy-${randomUUID()}`);
  const index = join(gitFolder, "index");
  fs.mkdirSync(folder, { recursive: true });
  if (fs.existsSync(index)) fs.copyFileSync(index, file);
  return { file, [Symbol.dispose]: () => fs.rmSync(file, { force: true }) };
}
