import fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { GitAnswer, GitCallOptions, GitCommand, GitEnvironment } from "./git-command.ts";
import { findGitSetting, openGitCommand } from "./git-command.ts";
import safeGit from "./safe-git.json" with { type: "json" };

/** Reads the settings and folders of a repository once per call, however many parts of the call need them. */
export interface GitSession {
  readonly root: string;
  readonly environment: GitEnvironment;
  git(): Promise<GitCommand>;
  /** Undefined outside git, in a bare repository and where git is missing. */
  repository(): Promise<GitRepository | undefined>;
  /** Lists the files again when they are next asked for: a command that ran meanwhile may have written anywhere. */
  forgetFiles(): void;
}

interface OpenedGit {
  readonly environment: GitEnvironment;
  readonly stamp: string;
  readonly git: Promise<GitCommand>;
  repository?: Promise<GitRepository | undefined>;
}

/** What the last call found out about a folder. It holds as long as no file of settings changes. */
const openedByRoot = new Map<string, OpenedGit>();

export function openGitSession(root: string, environment: GitEnvironment): GitSession {
  let own: { readonly opened: OpenedGit; repository?: Promise<GitRepository | undefined> } | undefined;
  const current = async (): Promise<NonNullable<typeof own>> => {
    const stamp = stampSettings(root, environment);
    let opened = openedByRoot.get(root);
    if (opened?.stamp !== stamp || opened.environment !== environment || (await hasIncludes(opened.git))) {
      if (own?.opened.stamp === stamp) return own;
      opened = { environment, stamp, git: openGitCommand(root, environment) };
      openedByRoot.set(root, opened);
    }
    if (own?.opened !== opened) own = { opened };
    return own;
  };
  return {
    root,
    environment,
    forgetFiles: () => void (own &&= { opened: own.opened }),
    git: async () => (await current()).opened.git,
    async repository() {
      const now = await current();
      now.opened.repository ??= now.opened.git.then((git) => findGitRepository(root, git));
      // A copy for this call: file lists are kept with it.
      return (now.repository ??= now.opened.repository.then((found) => found && { ...found }));
    },
  };
}

/** Included files are not stamped, so settings with includes are read again for each call. */
const hasIncludes = async (git: Promise<GitCommand>): Promise<boolean> =>
  /(?:^|\0)include(?:if\.[^\n]*)?\.path\n/i.test((await git).listing);

/** Changes with the settings of git, and when a repository appears. */
function stampSettings(root: string, environment: GitEnvironment): string {
  let folder = root;
  while (!fs.existsSync(join(folder, ".git")) && folder !== dirname(folder)) folder = dirname(folder);
  const dotGit = join(folder, ".git");
  const target = readSmallFile(dotGit)?.match(/^gitdir: (.+?)\s*$/)?.[1];
  const gitFolder = target === undefined ? dotGit : resolve(folder, target);
  const commonFolder = resolve(gitFolder, readSmallFile(join(gitFolder, "commondir"))?.trim() ?? ".");
  const { HOME = "", XDG_CONFIG_HOME = "", GIT_CONFIG_GLOBAL = "", GIT_CONFIG_SYSTEM = "" } = environment;
  const files = [
    dotGit,
    join(commonFolder, "config"),
    join(gitFolder, "config.worktree"),
    join(HOME, ".gitconfig"),
    join(XDG_CONFIG_HOME || join(HOME, ".config"), "git", "config"),
    GIT_CONFIG_GLOBAL || GIT_CONFIG_SYSTEM,
    GIT_CONFIG_SYSTEM || "/etc/gitconfig",
  ];
  const stamp = (stat: fs.Stats | undefined): string => {
    if (!stat) return "";
    return stat.isDirectory() ? String(stat.ino) : `${stat.ino} ${stat.ctimeMs} ${stat.size}`;
  };
  return files.map((file) => stamp(fs.statSync(file, { throwIfNoEntry: false }))).join();
}

function readSmallFile(file: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size < 4096 ? fs.readFileSync(file, "utf8") : undefined;
}

export interface GitRepository {
  readonly git: GitCommand;
  /** The workspace: the top of the working files, or a folder below it. */
  readonly root: string;
  readonly top: string;
  /** From the top to the workspace: empty, or `packages/shop/`. */
  readonly prefix: string;
  readonly zeros: string;
  /** Of this checkout only; for a linked worktree a folder in `worktrees/`. */
  readonly gitFolder: string;
  readonly commonFolder: string;
}

/** A git that was stopped gives no answer, which is not the same as finding no repository. */
async function findGitRepository(root: string, git: GitCommand): Promise<GitRepository | undefined> {
  const places = ["--is-inside-work-tree", "--show-toplevel", "--git-dir", "--git-common-dir", "--show-prefix"];
  const answer = await git.run(["rev-parse", "--path-format=absolute", ...places]);
  if (answer.wasStopped) throw createGitFault("The repository cannot be read.", answer);
  const said = answer.code === 0 ? answer.out.toString("utf8") : "";
  const [isInside, top, gitFolder, commonFolder, prefix = ""] = said.split("\n");
  const zeros = "0".repeat(findGitSetting(git.listing, "extensions.objectFormat") === "sha256" ? 64 : 40);
  return isInside === "true" && top && gitFolder && commonFolder
    ? { git, root, top, prefix, zeros, gitFolder, commonFolder }
    : undefined;
}

export async function openGitRepository(session: GitSession): Promise<GitRepository> {
  const repository = await session.repository();
  if (repository) return repository;
  throw new Fault("git.missing", {
    what: "The working files cannot be saved.",
    why: "There is no git repository with working files here, or git cannot be run.",
    fix: "Make one (git init), then run the command again.",
  });
}

/** The checked-out commit, from git's own files where they show it: a git process would cost ten times as much. */
export async function readHeadCommit({
  git,
  gitFolder,
  commonFolder,
}: Pick<GitRepository, "git" | "gitFolder" | "commonFolder">): Promise<string | undefined> {
  const read = (file: string): string => {
    try {
      return fs.readFileSync(file, "latin1").trim();
    } catch {
      return "";
    }
  };
  const head = read(join(gitFolder, "HEAD"));
  const branch = /^ref: (refs\/heads\/[\w/-]+)$/.exec(head)?.[1];
  const commit = branch === undefined ? head : read(join(commonFolder, branch));
  if (isObjectHash(commit)) return commit;
  return (await git.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]))?.trim();
}

export async function runGitOrFault(
  git: GitCommand,
  what: string,
  words: readonly string[],
  asking?: GitCallOptions,
): Promise<Buffer> {
  const answer = await git.run(words, asking);
  if (answer.code !== 0) throw createGitFault(what, answer);
  return answer.out;
}

export function createGitFault(what: string, { code, err }: GitAnswer): Fault {
  const lines = err.split("\n");
  const said = lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines.at(-1) ?? "";
  if (/No space left on device|Disk quota exceeded/.test(err)) {
    const why = "The disk or the quota is full.";
    return new Fault("disk.full", {
      what,
      why,
      fix: "Free some space (df -h) or files (df -i), then run the command again.",
    });
  }
  const lock = /Unable to create '(.+\.lock)': File exists/.exec(err)?.[1];
  if (lock !== undefined) {
    const why = "Another git command is running, or a crashed one left its lock.";
    const fix = ["Wait until it ends, then run the command again.", `If none is running: rm ${lock}`];
    return new Fault("git.refused", { what, why, fix });
  }
  const why =
    code === undefined ? "Git is missing, took too long or was stopped." : `Git reported ${quote(said, 200)}.`;
  return new Fault("git.refused", { what, why, fix: "Check the repository (git status), then run the command again." });
}

/** A name as git prints it, one character per byte. It may not be valid UTF-8. */
export type RawPath = string;

export const splitRawPaths = (out: Buffer): RawPath[] => out.toString("latin1").split("\0").slice(0, -1);

export function decodeRawPath(raw: RawPath): string | undefined {
  const text = Buffer.from(raw, "latin1").toString("utf8");
  return encodeRawPath(text) === raw ? text : undefined;
}

export const encodeRawPath = (name: string): RawPath => Buffer.from(name, "utf8").toString("latin1");

export const isObjectHash = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** Files of an unfinished git command. A bisection is not listed: it holds no half-made files. */
const UNFINISHED_COMMAND_FILES = Object.entries(safeGit.unfinished);

export async function describeGitObstacle(repository: GitRepository): Promise<string | undefined> {
  const found = UNFINISHED_COMMAND_FILES.find(([place]) => fs.existsSync(join(repository.gitFolder, place)));
  if (found?.[0] === "index.lock") return `${found[1]} (rm ${join(repository.gitFolder, found[0])})`;
  if (found) return found[1];
  const unmerged = await runGitOrFault(repository.git, "The index cannot be read.", ["ls-files", "-u", "-z"]);
  return unmerged.length > 0 ? "a merge has unresolved conflicts (git status)" : undefined;
}
