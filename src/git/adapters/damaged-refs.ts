import fs from "node:fs";
import { dirname, join, relative } from "node:path";
import { syncFolder } from "#kernel/adapters/durable-file.ts";
import { type GitRepository, isObjectHash } from "./git-repository.ts";

const OWN_REFS = "refs/tenon";

/** Empty or torn refs that a power cut leaves. Clean-up and clones fail on them, and git cannot delete them. */
export async function findDamagedRefs({ git, commonFolder }: GitRepository, isRemoving: boolean): Promise<string[]> {
  const folder = join(commonFolder, OWN_REFS);
  // A linked folder is not ours: nothing in it may be removed.
  const isOwn = fs.existsSync(folder) && fs.realpathSync(folder) === join(fs.realpathSync(commonFolder), OWN_REFS);
  const files = isOwn ? fs.readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const refs = files
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, text: fs.readFileSync(file, "latin1").trim() }))
    .filter(({ text }) => !text.startsWith("ref: "));
  if (refs.length === 0) return [];
  const input = refs.map(({ text }) => `${isObjectHash(text) ? text : "0".repeat(40)}\n`).join("");
  const lines = (await git.ask(["cat-file", "--batch-check=%(objectname)"], { input }))?.split("\n") ?? [];
  const damaged = refs.filter(({ text }, i) => !isObjectHash(text) || lines[i]?.endsWith(" missing"));
  for (const { file } of isRemoving ? damaged : []) {
    fs.rmSync(file, { force: true });
    syncFolder(dirname(file));
  }
  return damaged.map(({ file }) => relative(commonFolder, file)).toSorted();
}
