import fs from "node:fs";
import { isAbsolute, join } from "node:path";
import type { SourceChange, SourceFiles, SourceFile, AddedSourceLine } from "../operations/ports/git-files.ts";
import { listPastCommits, readPastTexts } from "./commit-history.ts";
import { readGitFiles } from "./git-index.ts";
import { decodeRawPath, type GitRepository, type GitSession } from "./git-repository.ts";
import { openCommitView, openWorkingView, walkFolderFiles, describeSourceFile, readStampedFile } from "./file-view.ts";
import { watchSourceFiles } from "./file-watch.ts";
import { readWorkingTree, type WorkingTree, writeTrackedTree } from "./working-tree.ts";

const OWN_FOLDER = /^\.?sdd\//;
const PLAIN_DIFF = [
  "diff",
  "--no-color",
  "--no-prefix",
  "--relative",
  "--ignore-submodules=dirty",
  "-M",
  "-U0",
  "--inter-hunk-context=0",
];
const WITHOUT_OWN_FOLDERS = ["--", ".", ":(exclude)sdd", ":(exclude).sdd"];
const LARGEST_SOURCE_TEXT = 1024 * 1024;

/** The files of a workspace. Asks git each time, because files change while a server runs. */
export function createGitSource(session: GitSession): SourceFiles {
  const { root } = session;
  const ask = async (...words: string[]): Promise<string | undefined> => (await session.git()).ask(words);
  const text = async (path: string, most = LARGEST_SOURCE_TEXT): Promise<string | undefined> =>
    isOutsideWorkspace(path) ? undefined : readSourceText(join(root, path), most);
  const files: SourceFiles["files"] = async () => {
    const repository = await session.repository();
    const listed = repository && (await readGitFiles(repository));
    const raw = listed && [...listed.tracked.map(({ path }) => path), ...listed.untracked];
    const known = raw?.flatMap((path) => decodeRawPath(path) ?? []).filter((path) => !OWN_FOLDER.test(path));
    const paths = known ?? walkFolderFiles(root);
    return [...new Set(paths)].toSorted().flatMap((path) => describeSourceFile(root, path));
  };
  return {
    files,
    watch: (tell) => watchSourceFiles({ root, tell, list: async () => [...(await files()), ...listOwnFiles(root)] }),
    text,
    stamped: async (path) =>
      isOutsideWorkspace(path)
        ? { kind: "missing", stamp: "" }
        : readStampedFile(join(root, path), LARGEST_SOURCE_TEXT),
    head: async () => (await ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}"))?.trim(),
    async committedAt(name) {
      const commit = (await ask("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`))?.trim();
      if (commit === undefined || !/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
      const seconds = Number(await ask("log", "-1", "--format=%ct", commit));
      return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
    },
    async changes(since) {
      if (!/^[0-9a-f]{40,64}$/.test(since)) return undefined;
      const repository = await session.repository();
      if (!repository) return undefined;
      const working = await readWorkingTree(repository);
      const patch = await readPatchSinceCommit(repository, working, since);
      if (patch === undefined) return undefined;
      const tracked = new Set(working.index.map(({ path }) => path));
      const untracked = [...working.files.keys()].filter((path) => !tracked.has(path) && !OWN_FOLDER.test(path));
      const known = await Promise.all(parsePatch(patch).map(async (change) => revealHiddenChange(change, text)));
      const paths = untracked.map(decodeRawPath).filter((path) => path !== undefined);
      const fresh = await Promise.all(paths.map(async (path) => describeAddedFile(path, await text(path))));
      return [...known, ...fresh].toSorted((a, b) => (a.path < b.path ? -1 : 1));
    },
    async commits(asked) {
      const repository = await session.repository();
      return repository && listPastCommits(repository, asked);
    },
    at: async (commit) => (commit === undefined ? openWorkingView(session) : openCommitView(session, commit)),
    past: async (path, most) => (isOutsideWorkspace(path) ? [] : readPastTexts(session, path, most)),
  };
}

/** Compares two trees, so that nothing in git's index decides which files are read. */
async function readPatchSinceCommit(
  repository: GitRepository,
  working: WorkingTree,
  since: string,
): Promise<string | undefined> {
  const tree = await writeTrackedTree(repository, working);
  return repository.git.ask([...PLAIN_DIFF, since, tree, ...WITHOUT_OWN_FOLDERS]);
}

/** A file that git calls binary may be text if an attribute declares it so. Then every line counts as added. */
async function revealHiddenChange(
  { isHidden, ...change }: PatchedFile,
  text: SourceFiles["text"],
): Promise<SourceChange> {
  if (isHidden !== true || change.status === "deleted") return change;
  return { ...change, added: describeAddedFile(change.path, await text(change.path)).added };
}

const isOutsideWorkspace = (path: string): boolean => isAbsolute(path) || path.split(/[/\\]/).includes("..");

/** The files in Tenon's own folders, and the folders themselves, so that empty ones are watched too. */
const listOwnFiles = (root: string): Pick<SourceFile, "path" | "stamp">[] =>
  ["sdd", "sdd/specs", "sdd/adrs"]
    .filter((folder) => fs.lstatSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory())
    .flatMap((folder) => [
      { path: `${folder}/.`, stamp: "" },
      ...fs.readdirSync(join(root, folder)).flatMap((name) => describeSourceFile(root, `${folder}/${name}`)),
    ]);

function describeAddedFile(path: string, text: string | undefined): SourceChange {
  const lines = text === undefined || text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
  return { path, status: "added", added: lines.map((line, i) => ({ number: i + 1, text: line })), removed: 0 };
}

function readSourceText(file: string, most: number): string | undefined {
  try {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > most) return undefined;
    return new TextDecoder("utf-8", { fatal: true }).decode(fs.readFileSync(file));
  } catch {
    return undefined;
  }
}

export interface PatchedFile extends SourceChange {
  /** Git shows no lines of it: it is binary, or an attribute declares it so. */
  readonly isHidden?: true;
}

interface PatchDraft {
  isHidden?: true;
  path: string;
  status: SourceChange["status"];
  from?: string;
  added: AddedSourceLine[];
  removed: number;
}

const HUNK_HEADER = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function parsePatch(patch: string): PatchedFile[] {
  const changes: PatchDraft[] = [];
  let number = 0;
  let isBody = false;
  for (const line of patch.split("\n")) {
    const change = changes.at(-1);
    if (line.startsWith("diff --git ")) {
      changes.push({ path: readRepeatedPath(line.slice(11)), status: "modified", added: [], removed: 0 });
      isBody = false;
    } else if (!change) {
      continue;
    } else if (HUNK_HEADER.test(line)) {
      number = Number(HUNK_HEADER.exec(line)?.[1] ?? 0);
      isBody = true;
    } else if (!isBody) {
      readPatchHeader(change, line);
    } else if (line.startsWith("+")) {
      change.added.push({ number: number++, text: line.slice(1).replace(/\r$/, "") });
    } else if (line.startsWith("-")) {
      change.removed++;
    }
  }
  return changes;
}

function readPatchHeader(change: PatchDraft, line: string): void {
  if (line.startsWith("Binary files ")) change.isHidden = true;
  const [, name = "", rest = ""] =
    /^(new file mode|deleted file mode|rename from|rename to|---|\+\+\+) (.*)$/.exec(line) ?? [];
  if (name === "new file mode") change.status = "added";
  else if (name === "deleted file mode") change.status = "deleted";
  else if (name === "rename from") Object.assign(change, { from: unquotePatchPath(rest), status: "renamed" });
  else if (name === "rename to") change.path = unquotePatchPath(rest);
  else if (name === "---" && rest !== "/dev/null" && change.status === "deleted") change.path = unquotePatchPath(rest);
  else if (name === "+++" && rest !== "/dev/null") change.path = unquotePatchPath(rest);
}

/** `a.ts a.ts` names one file twice. For a rename, later lines correct the path. */
function readRepeatedPath(twice: string): string {
  const half = twice.slice(0, (twice.length - 1) / 2);
  return unquotePatchPath(half);
}

/** A name with a tab, a quote or a backslash is quoted. A tab at the end terminates a name with a space. */
function unquotePatchPath(name: string): string {
  const bare = name.replace(/\t$/, "");
  if (!bare.startsWith('"') || !bare.endsWith('"')) return bare;
  const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", '"': '"', "\\": "\\" };
  return bare.slice(1, -1).replace(/\\(["\\ntr])/g, (_, letter: string) => escapes[letter] ?? letter);
}
