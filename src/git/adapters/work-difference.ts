import fs from "node:fs";
import { join } from "node:path";
import { diff3Merge } from "node-diff3";
import type { SnapshotFile, WorkBaseline, WorkDifference } from "../operations/ports/git-files.ts";
import { FILE_CLOCK_TICK_MS } from "./changed-files.ts";
import { readBlobTexts } from "./file-view.ts";
import { findGitSetting } from "./git-command.ts";
import { writeCommit } from "./git-index.ts";
import { listTree, type TreeListing, writeObject, writeTree } from "./git-objects.ts";
import {
  decodeRawPath,
  encodeRawPath,
  type GitRepository,
  type RawPath,
  readHeadCommit,
  runGitOrFault,
} from "./git-repository.ts";
import * as working from "./working-tree.ts";

/** One file of a commit that the work did not make. A missing side means that the file was not there. */
interface OutsideChange {
  readonly path: RawPath;
  readonly from: SnapshotFile | undefined;
  readonly to: SnapshotFile | undefined;
}

const isSameFile = (one: SnapshotFile | undefined, other: SnapshotFile | undefined): boolean =>
  one?.blob === other?.blob && one?.mode === other?.mode;

const DETACHED = "HEAD";

/** The branch, or `HEAD` if none is checked out. Read from git's own file, because hooks and gates ask often. */
export function readBranch({ gitFolder }: GitRepository): string {
  try {
    return /^ref: refs\/heads\/(.+)$/m.exec(fs.readFileSync(join(gitFolder, "HEAD"), "utf8"))?.[1] ?? DETACHED;
  } catch {
    return DETACHED;
  }
}

/** Stores the files of this moment, committed or not, without Tenon's own. Its parent keeps the head from being removed. */
export async function storeBaseline(repository: GitRepository): Promise<WorkBaseline> {
  const begun_ms = Date.now() - FILE_CLOCK_TICK_MS;
  const head = await readHeadCommit(repository);
  const tree = await writeTopTree(repository, await readSourceListing(repository));
  const commit = writeCommit(repository, tree, head === undefined ? [] : [head], "The files when the work began\n");
  return { commit, head, branches: [readBranch(repository)], log_mark: readLogMark(repository), begun_ms };
}

/**
 * Files that differ from the baseline for another reason than commits that came from outside. An uncommitted edit from
 * before the work that is gone was stashed or discarded, which is not work either.
 */
export async function compareWithBaseline(repository: GitRepository, given: WorkBaseline): Promise<WorkDifference[]> {
  const start = working.withoutOwnFiles(await listTree(repository, given.commit));
  const { claimed = [], head } = given;
  const now = await readSourceListing(repository);
  const outside = Map.groupBy(await listOutsideChanges(repository, given), ({ path }) => path);
  const paths = new Set([...now.keys(), ...start.keys()].filter((path) => !isSameFile(start.get(path), now.get(path))));
  for (const path of [...outside.keys(), ...claimed.map(encodeRawPath)]) paths.add(path);
  const committed = paths.size > 0 && head !== undefined ? await listTree(repository, head) : undefined;
  const files: WorkDifference[] = [];
  for (const raw of [...paths].toSorted()) {
    const [path, after] = [decodeRawPath(raw), now.get(raw)];
    if (path === undefined) continue;
    const replay = (file: SnapshotFile | undefined) => replayOutsideChanges(repository, file, outside.get(raw) ?? []);
    const isClaimed = claimed.includes(path);
    const kept = await replay(isClaimed ? committed?.get(raw) : start.get(raw));
    const wasOpen = !isClaimed && !isSameFile(start.get(raw), committed?.get(raw)) && !isSameFile(kept, after);
    const before = wasOpen ? await chooseCloserFile(repository, after, kept, await replay(committed?.get(raw))) : kept;
    if (!isSameFile(before, after)) files.push({ path, ...(before && { from: before }), ...(after && { to: after }) });
  }
  return files;
}

/**
 * A commit of the current files in which the given ones are as they were without the work. Comparing it with the
 * current files shows the work and nothing else. Tenon's own files are those of `records`.
 */
export async function storeFilesWithout(
  repository: GitRepository,
  work: readonly WorkDifference[],
  records: string | undefined,
): Promise<{ commit: string; tree: string }> {
  const files = new Map(await readSourceListing(repository));
  for (const { path, from } of work) {
    if (from) files.set(encodeRawPath(path), from);
    else files.delete(encodeRawPath(path));
  }
  const own = records === undefined ? new Map<RawPath, SnapshotFile>() : await listTree(repository, records);
  for (const [path, file] of own) if (working.OWN_FOLDER.test(path)) files.set(path, file);
  const tree = await writeTopTree(repository, files);
  return { commit: writeCommit(repository, tree, [], "The files without the work\n"), tree };
}

/** The working files as git would commit them, without Tenon's own. */
const readSourceListing = async (repository: GitRepository): Promise<TreeListing> =>
  listTree(repository, await working.writeSourceTree(repository));

/** A tree of the whole repository. Outside the workspace its files are those of the checked-out commit. */
async function writeTopTree(repository: GitRepository, files: TreeListing): Promise<string> {
  const { prefix } = repository;
  if (prefix === "") return writeTree(repository, files);
  const top = encodeRawPath(prefix);
  const head = await readHeadCommit(repository);
  const whole = head === undefined ? new Map() : await listTree({ ...repository, prefix: "" }, head);
  const beside = [...whole].filter(([path]) => !path.startsWith(top));
  return writeTree(repository, new Map([...beside, ...[...files].map(([path, file]) => [top + path, file] as const)]));
}

export async function listPathsChangedOutside(repository: GitRepository, given: WorkBaseline): Promise<Set<string>> {
  const changes = await listOutsideChanges(repository, given);
  return new Set(changes.flatMap(({ path }) => decodeRawPath(path) ?? []));
}

/** Oldest first. */
async function listOutsideChanges(repository: GitRepository, given: WorkBaseline): Promise<OutsideChange[]> {
  const { head } = given;
  const now = await readHeadCommit(repository);
  if (now === undefined || now === head) return [];
  const commits = await readRawLog(repository, [head === undefined ? "HEAD" : `${head}...HEAD`]);
  const log = readHeadLog(repository, given);
  const hashes = log?.entries.some(({ kind }) => kind !== "commit") ? log.hashes : [];
  const past = hashes.length === 0 ? [] : await readRawLog(repository, [...hashes, ...(head ? [`^${head}`] : [])]);
  const isOutside = log ? sortCommits(log.entries, [...commits, ...past]) : guessByCommitter(repository);
  const right = commits.filter(({ side }) => side !== "<");
  const left = commits.filter(({ side }) => side === "<");
  // A commit from before the work that was rewritten is on both sides, and the baseline has its files.
  const [before, after] = [left, right].map((side) => new Set(side.map(({ name }) => name)));
  const undone = left.toReversed().filter(({ name }) => !after?.has(name));
  return [
    ...undone.flatMap(({ changes }) => changes.map(invertChange)),
    ...right.flatMap((commit) => (before?.has(commit.name) ? [] : isOutside(commit).flatMap(({ changes }) => changes))),
  ];
}

const invertChange = ({ path, from, to }: OutsideChange): OutsideChange => ({ path, from: to, to: from });

interface LoggedCommit {
  readonly side: string;
  readonly hash: string;
  readonly committer: string;
  /** Author, time and subject: a rebase or an amend keeps them. */
  readonly name: string;
  readonly changes: OutsideChange[];
}

/** Oldest first, without merges, whose commits list their own files. */
async function readRawLog(repository: GitRepository, revisions: readonly string[]): Promise<LoggedCommit[]> {
  const options = "--raw --no-abbrev -z --no-renames --relative --no-merges --topo-order --reverse --left-right";
  const format = "--format=%x00%m%H%x01%ce%x01%ae %at %s%x00";
  const words = ["log", ...options.split(" "), "--ignore-missing", format, ...revisions, "--"];
  const what = "The commits since the work began cannot be read.";
  const out = (await runGitOrFault(repository.git, what, words, { largestAnswer: 2 ** 29 })).toString("latin1");
  const commits: LoggedCommit[] = [];
  const parts = out.split("\0").map((part) => part.replace(/^\n/, ""));
  const readSide = (mode: string, blob: string): SnapshotFile | undefined =>
    /^0+$/.test(blob) ? undefined : { mode, blob };
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? "";
    const [, side, hash, committer = "", name = ""] = COMMIT_LINE.exec(part) ?? [];
    if (side !== undefined && hash !== undefined) commits.push({ side, hash, committer, name, changes: [] });
    const [, oldMode = "", newMode = "", before = "", after = ""] =
      /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) [A-Z]$/.exec(part) ?? [];
    if (before === "") continue;
    const path = parts[++i] ?? "";
    if (!working.OWN_FOLDER.test(path))
      commits.at(-1)?.changes.push({ path, from: readSide(oldMode, before), to: readSide(newMode, after) });
  }
  return commits;
}

// oxlint-disable-next-line no-control-regex -- the format of the log separates its fields by it
const COMMIT_LINE = /^([<>])([0-9a-f]{40,64})\u0001([^\u0001]*)\u0001(.*)$/s;

/** Without git's log of HEAD, the committer is the best sign. */
function guessByCommitter({ git }: GitRepository): (commit: LoggedCommit) => readonly LoggedCommit[] {
  const email = findGitSetting(git.listing, "user.email");
  return (commit) => (email === undefined || commit.committer === email ? [] : [commit]);
}

/**
 * The part of a commit that came from outside: all of it, nothing, or the commit that the work amended. Everything that
 * the work's branches did not make in this checkout came by a merge, a pull or a rebase.
 */
function sortCommits(
  entries: readonly HeadLogEntry[],
  known: readonly LoggedCommit[],
): (commit: LoggedCommit) => readonly LoggedCommit[] {
  const byHash = new Map(known.map((commit) => [commit.hash, commit]));
  const outside = new Map<string, readonly LoggedCommit[]>();
  const names = new Map<string, readonly LoggedCommit[]>();
  const note = (hash: string, part: readonly LoggedCommit[]): void => {
    const { name } = byHash.get(hash) ?? {};
    outside.set(hash, part);
    if (name !== undefined) names.set(name, part);
  };
  const rewritten = new Set(entries.filter(({ kind }) => kind === "rewrite").map(({ hash }) => hash));
  const made = new Set(entries.map(({ hash }) => hash));
  const foreign = new Set(known.filter(({ hash }) => !made.has(hash)).map(({ name }) => name));
  for (const { kind, hash, old } of entries) {
    const found = byHash.get(hash);
    if (kind === "commit") note(hash, []);
    else if (kind === "amend") note(hash, outside.get(old) ?? [byHash.get(old) ?? []].flat());
    else if (found) note(hash, names.get(found.name) ?? (foreign.has(found.name) ? [found] : []));
  }
  return (commit) => outside.get(commit.hash) ?? (rewritten.has(commit.hash) ? [] : [commit]);
}

interface HeadLogEntry {
  readonly kind: "commit" | "amend" | "rewrite";
  readonly old: string;
  readonly hash: string;
}

const ENTRY_KINDS: readonly (readonly [HeadLogEntry["kind"], RegExp])[] = [
  ["amend", /^commit \(amend\)/],
  ["rewrite", /^(?:rebase|pull)\b[^:]*\((?:pick|reword|edit|squash|fixup|continue)\)/],
  ["commit", /^(?:commit|cherry-pick|revert|am)\b/],
];

const MOST_LOG_HASHES = 400;

const readLogLines = ({ gitFolder }: GitRepository): string[] | undefined => {
  try {
    const text = fs.readFileSync(join(gitFolder, "logs", "HEAD"), "utf8");
    return text.split("\n").slice(0, -1);
  } catch {
    return undefined;
  }
};

/** The end of git's log of HEAD. Commits of later entries were made while the work was under way. */
const readLogMark = (repository: GitRepository): string | undefined => readLogLines(repository)?.at(-1);

/**
 * Commits made in this checkout on the branches of the work since it began, and all commits that were checked out. A
 * commit made here on another branch belongs to the work on that branch.
 */
function readHeadLog(
  repository: GitRepository,
  { branches, log_mark }: WorkBaseline,
): { readonly entries: readonly HeadLogEntry[]; readonly hashes: readonly string[] } | undefined {
  const all = readLogLines(repository);
  if (!all) return undefined;
  const start = log_mark === undefined ? -1 : all.lastIndexOf(log_mark);
  const lines = all.slice(start + 1).flatMap((line) => {
    const [, old, hash, message] = /^([0-9a-f]+) ([0-9a-f]+) [^\t]*\t(.*)$/.exec(line) ?? [];
    return old === undefined || hash === undefined || message === undefined ? [] : [{ old, hash, message }];
  });
  const known = new Set([...branches, readBranch(repository)]);
  const readMove = (message: string) => /^checkout: moving from (\S+) to (\S+)$/.exec(message);
  const first = lines.map(({ message }) => readMove(message)?.[1]).find((name) => name !== undefined);
  const readRename = (message: string) => RENAMED_BRANCH.exec(message) ?? [];
  const names = new Set([...known, ...lines.flatMap(({ message }) => readRename(message)[1] ?? [])]);
  let branch = first === undefined ? undefined : normalizeBranch(repository, names, first);
  const steps: HeadLogStep[] = [];
  for (const { old, hash, message } of lines) {
    const to = readMove(message)?.[2];
    const [, from, renamed] = readRename(message);
    const before = branch;
    const isRenamed = renamed !== undefined && from === branch;
    if (to !== undefined) branch = normalizeBranch(repository, names, to);
    else if (isRenamed) branch = renamed;
    const kind = ENTRY_KINDS.find(([, form]) => form.test(message))?.[0];
    steps.push({ kind, old, hash, branch, before, isRenamed });
  }
  const entries = selectOwnEntries(repository, steps, known);
  const hashes = [...new Set(lines.map(({ hash }) => hash))].filter((hash) => !/^0+$/.test(hash));
  return { entries, hashes: hashes.slice(-MOST_LOG_HASHES) };
}

const RENAMED_BRANCH = /^Branch: renamed refs\/heads\/(\S+) to refs\/heads\/(\S+)$/;

interface HeadLogStep extends Pick<HeadLogEntry, "old" | "hash"> {
  readonly kind: HeadLogEntry["kind"] | undefined;
  /** After the step and before it. */
  readonly branch: string | undefined;
  readonly before: string | undefined;
  readonly isRenamed: boolean;
}

/**
 * A branch that began where another one was continues its work: until then, commits on the other one are the work's,
 * too. So the log is read backwards. Without any move, everything was made on the branch of now.
 */
function selectOwnEntries(
  repository: GitRepository,
  steps: readonly HeadLogStep[],
  known: ReadonlySet<string>,
): HeadLogEntry[] {
  const own = new Set(known);
  const entries: HeadLogEntry[] = [];
  for (const { kind, old, hash, branch, before, isRenamed } of steps.toReversed()) {
    if (kind && (branch === undefined || own.has(branch))) entries.push({ kind, old, hash });
    if (branch === undefined || before === undefined || branch === before || !own.has(branch)) continue;
    const isStart = old === hash && (branch === DETACHED || readBranchStart(repository, branch) === hash);
    if (isRenamed || isStart) own.add(before);
  }
  return entries.toReversed();
}

/** The commit that a branch was created at, as far as git's log of it goes back. */
function readBranchStart({ commonFolder }: GitRepository, branch: string): string | undefined {
  try {
    const log = fs.readFileSync(join(commonFolder, "logs", "refs", "heads", branch), "utf8");
    return /^0+ ([0-9a-f]+) /.exec(log)?.[1];
  } catch {
    return undefined;
  }
}

/** Git's log names what was checked out: a branch, or a tag, a hash or `HEAD~1`, which are not branches. */
function normalizeBranch({ commonFolder }: GitRepository, known: ReadonlySet<string>, name: string): string {
  if (known.has(name) || fs.existsSync(join(commonFolder, "refs", "heads", name))) return name;
  const packed = join(commonFolder, "packed-refs");
  const isPacked = fs.existsSync(packed) && fs.readFileSync(packed, "utf8").includes(` refs/heads/${name}\n`);
  return isPacked ? name : DETACHED;
}

/** The file as it would be if only the changes from outside had happened. In a conflict theirs win. */
async function replayOutsideChanges(
  repository: GitRepository,
  start: SnapshotFile | undefined,
  changes: readonly OutsideChange[],
): Promise<SnapshotFile | undefined> {
  let file = start;
  for (const { from, to } of changes) {
    if (isSameFile(file, from)) file = to;
    else if (!isSameFile(file, to)) file = file && from && to ? await mergeFile(repository, file, from, to) : to;
  }
  return file;
}

/** The second if the file has more of its lines: then an edit from before the work is not in the file any more. */
async function chooseCloserFile(
  repository: GitRepository,
  file: SnapshotFile | undefined,
  first: SnapshotFile | undefined,
  second: SnapshotFile | undefined,
): Promise<SnapshotFile | undefined> {
  if (isSameFile(file, second)) return second;
  const [lines, one, other] = await readFileLines(repository, [file, first, second]);
  if (!lines || !one || !other) return first;
  return countDifferentLines(lines, other) < countDifferentLines(lines, one) ? second : first;
}

function countDifferentLines(one: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of one) left.set(line, (left.get(line) ?? 0) + 1);
  for (const line of other) left.set(line, (left.get(line) ?? 0) - 1);
  return [...left.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

const LARGEST_MERGED_FILE = 1024 * 1024;

/** Undefined for a file that is missing, binary or large. */
async function readFileLines(repository: GitRepository, files: readonly (SnapshotFile | undefined)[]) {
  const blobs = files.flatMap((file) => file?.blob ?? []);
  const found = await readBlobTexts(repository, blobs, LARGEST_MERGED_FILE);
  return files.map((file) => {
    const text = found.get(file?.blob ?? "");
    return text?.kind === "text" ? text.text.split("\n") : undefined;
  });
}

async function mergeFile(
  repository: GitRepository,
  ours: SnapshotFile,
  from: SnapshotFile,
  to: SnapshotFile,
): Promise<SnapshotFile> {
  const [mine, old, theirs] = await readFileLines(repository, [ours, from, to]);
  if (!mine || !old || !theirs) return to;
  const regions = diff3Merge(mine, old, theirs, { excludeFalseConflicts: true });
  if (regions.some((region) => region.conflict)) return to;
  const merged = regions.flatMap((region) => region.ok ?? []).join("\n");
  return { mode: to.mode, blob: writeObject(repository, "blob", Buffer.from(merged)) };
}
