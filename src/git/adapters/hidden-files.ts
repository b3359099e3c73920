import fs from "node:fs";
import { join } from "node:path";
import type { HiddenFile } from "../operations/ports/git-files.ts";
import { findGitSetting } from "./git-command.ts";
import { walkFolderFiles } from "./file-view.ts";
import { decodeRawPath, type GitRepository } from "./git-repository.ts";
import { convertToCommitted, readWorkingTree } from "./working-tree.ts";

/** Lines that Tenon and git themselves write. */
const HARMLESS_RULE = /^\s*(?:#.*|\.tenon-\*)?\s*$/;

/** Only a repository with such rules pays for two more git processes. */
export async function listHiddenFiles(repository: GitRepository, isIgnoreEdited: boolean): Promise<HiddenFile[]> {
  const { root, commonFolder, git } = repository;
  const { HOME = "", XDG_CONFIG_HOME = "" } = git.environment;
  const ownRules = [
    join(commonFolder, "info", "exclude"),
    findGitSetting(git.listing, "core.excludesFile") ?? join(XDG_CONFIG_HOME || join(HOME, ".config"), "git", "ignore"),
  ];
  const hasRules = ownRules.some((file) => readLines(file).some((line) => !HARMLESS_RULE.test(line)));
  const flagged = await listFlaggedFiles(repository);
  if (!hasRules && !isIgnoreEdited) return flagged;
  const words = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--", "."];
  const listed = (await git.ask(words))?.split("\0").filter((path) => path !== "") ?? [];
  if (listed.length === 0) return flagged;
  const asked = await git.ask(["check-ignore", "-v", "-z", "--stdin"], { input: `${listed.join("\0")}\0` });
  const fields = asked?.split("\0") ?? [];
  const ignored: HiddenFile[] = [];
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [rules = "", , pattern = "", path = ""] = fields.slice(at, at + 4);
    const isShared = /(?:^|\/)\.gitignore$/.test(rules);
    if (isShared && !isIgnoreEdited) continue;
    const inside = path.endsWith("/") ? walkFolderFiles(join(root, path)).map((each) => path + each) : [path];
    ignored.push(...inside.map((each) => ({ path: each, how: "ignored" as const, rules, pattern, isShared })));
  }
  return [...flagged, ...ignored];
}

/** Tracked files whose edits git overlooks because of a flag. */
async function listFlaggedFiles(repository: GitRepository): Promise<HiddenFile[]> {
  const { index, files, absent } = await readWorkingTree(repository);
  const marked = index.filter(({ isAssumed, isSkipped }) => isAssumed || isSkipped);
  const now = new Map(
    marked
      .flatMap(({ path }) => [[path, files.get(path)] as const])
      .flatMap(([path, file]) => (file ? [[path, file] as const] : [])),
  );
  const since =
    fs.statSync(join(repository.gitFolder, "info/sparse-checkout"), { throwIfNoEntry: false })?.ctimeMs ?? 0;
  const sparse = absent.flatMap((raw): HiddenFile[] => {
    const path = decodeRawPath(raw);
    return path === undefined ? [] : [{ path, how: "sparse", since }];
  });
  const edited = marked.filter(({ path, blob }) => now.get(path) && now.get(path)?.blob !== blob);
  if (edited.length === 0) return sparse;
  const committed = await convertToCommitted(repository, index, now);
  const flagged = edited.flatMap(({ path: raw, blob, isSkipped }): HiddenFile[] => {
    const path = decodeRawPath(raw);
    if (path === undefined || committed.get(raw)?.blob === blob) return [];
    return [{ path, how: isSkipped ? "skip-worktree" : "assume-unchanged" }];
  });
  return [...sparse, ...flagged];
}

function readLines(file: string): string[] {
  try {
    return fs.readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}
