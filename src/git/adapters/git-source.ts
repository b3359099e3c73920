import fs from "node:fs";
import { join } from "node:path";
import type { SourceChange, SourceFiles, SourceFile, AddedSourceLine } from "../operations/ports/git-files.ts";
import { listPastCommits, readPastTexts } from "./commit-history.ts";
import { type GitSession, readHeadCommit } from "./git-repository.ts";
import * as view from "./file-view.ts";
import { watchSourceFiles } from "./file-watch.ts";
import { readWorkingTree, writeComparedTree } from "./working-tree.ts";

const OWN_FOLDER = /^\.?sdd\//;
const PLAIN_DIFF = "diff --no-color --no-prefix --relative --ignore-submodules=dirty -M -U0 --inter-hunk-context=0";
const WITHOUT_OWN_FOLDERS = ["--", ".", ":(exclude)sdd", ":(exclude).sdd"];
const LARGEST_SOURCE_TEXT = 1024 * 1024;

/** The files of a workspace. Asks git each time, because files change while a server runs. */
export function createGitSource(session: GitSession): SourceFiles {
  const { root } = session;
  const ask = async (...words: string[]): Promise<string | undefined> => (await session.git()).ask(words);
  const text = async (path: string, most = LARGEST_SOURCE_TEXT): Promise<string | undefined> => {
    if (view.isOutsideWorkspace(path)) return undefined;
    try {
      const stat = fs.lstatSync(join(root, path), { throwIfNoEntry: false });
      if (!stat?.isFile() || stat.size > most) return undefined;
      return new TextDecoder("utf-8", { fatal: true }).decode(fs.readFileSync(join(root, path)));
    } catch {
      return undefined;
    }
  };
  const files: SourceFiles["files"] = async () => {
    const repository = await session.repository();
    const known = repository && (await view.listGitPaths(repository)).filter((path) => !OWN_FOLDER.test(path));
    const paths = new Set(known ?? view.walkFolderFiles(root));
    return [...paths].toSorted().flatMap((path) => view.describeSourceFile(root, path));
  };
  return {
    files,
    watch: (tell) => watchSourceFiles({ root, tell, list: async () => [...(await files()), ...listOwnFiles(root)] }),
    text,
    stamped: async (path) =>
      view.isOutsideWorkspace(path)
        ? { kind: "missing", stamp: "" }
        : view.readStampedFile(join(root, path), LARGEST_SOURCE_TEXT),
    head: () => readHead(session),
    async forkPoint(from = "") {
      // A forge gives zeros for the commit before a new branch.
      if (!/^0*$/.test(from)) {
        const given = (await ask("rev-parse", "--verify", "--quiet", "--end-of-options", `${from}^{commit}`))?.trim();
        return given ? (await ask("merge-base", "HEAD", given))?.trim() : "shallow";
      }
      const names = [
        "remotes/origin/HEAD",
        "remotes/origin/main",
        "remotes/origin/master",
        "heads/main",
        "heads/master",
      ];
      const refs = names.map((name) => `refs/${name}`);
      const found = ((await ask("for-each-ref", "--format=%(refname)", ...refs)) ?? "").split("\n");
      const upstream = refs.find((ref) => found.includes(ref));
      const head = (await ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}"))?.trim();
      const base = upstream === undefined ? undefined : (await ask("merge-base", "HEAD", upstream))?.trim();
      if (head === undefined || (base && base !== head)) return base;
      const parent = (await ask("rev-parse", "--verify", "--quiet", "HEAD^1^{commit}"))?.trim();
      if (parent) return parent;
      return (await ask("rev-parse", "--is-shallow-repository"))?.trim() === "true" ? "shallow" : head;
    },
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
      // Compares two trees, so that nothing in git's index decides which files are read.
      const tree = await writeComparedTree(repository, working);
      const patch = await repository.git.ask([...PLAIN_DIFF.split(" "), since, tree, ...WITHOUT_OWN_FOLDERS]);
      if (patch === undefined) return undefined;
      const known = parsePatch(patch).map(async ({ isHidden, ...change }): Promise<SourceChange> => {
        if (isHidden !== true || change.status === "deleted") return change;
        return { ...change, added: describeAddedFile(change.path, await text(change.path)).added };
      });
      return (await Promise.all(known)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
    },
    async commits(asked) {
      const repository = await session.repository();
      return repository && listPastCommits(repository, asked);
    },
    at: async (commit) => (commit === undefined ? view.openWorkingView(session) : view.openCommitView(session, commit)),
    past: async (path, most) => (view.isOutsideWorkspace(path) ? [] : readPastTexts(session, path, most)),
  };
}

async function readHead(session: GitSession): Promise<string | undefined> {
  const repository = await session.repository();
  if (repository) return readHeadCommit(repository);
  return (await (await session.git()).ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]))?.trim();
}

/** The files in Tenon's own folders, and the folders themselves, so that empty ones are watched too. */
const listOwnFiles = (root: string): Pick<SourceFile, "path" | "stamp">[] =>
  ["sdd", "sdd/specs", "sdd/adrs"]
    .filter((folder) => fs.lstatSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory())
    .flatMap((folder) => [
      { path: `${folder}/.`, stamp: "" },
      ...fs.readdirSync(join(root, folder)).flatMap((name) => view.describeSourceFile(root, `${folder}/${name}`)),
    ]);

function describeAddedFile(path: string, text: string | undefined): SourceChange {
  const lines = text === undefined || text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
  return { path, status: "added", added: lines.map((line, i) => ({ number: i + 1, text: line })), removed: 0 };
}

/** `isHidden`: git shows no lines of a binary file, or of one declared so; then every line counts as added. */
type PatchedFile = { -readonly [Key in keyof SourceChange]: SourceChange[Key] } & {
  isHidden?: true;
  added: AddedSourceLine[];
};

const HUNK_HEADER = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function parsePatch(patch: string): PatchedFile[] {
  const changes: PatchedFile[] = [];
  let number = 0;
  let isBody = false;
  for (const line of patch.split("\n")) {
    const change = changes.at(-1);
    if (line.startsWith("diff --git ")) {
      // `a.ts a.ts` names one file twice. For a rename, later lines correct the path.
      const path = unquotePatchPath(line.slice(11, 11 + (line.length - 12) / 2));
      changes.push({ path, status: "modified", added: [], removed: 0 });
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

function readPatchHeader(change: PatchedFile, line: string): void {
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

/** A name with a tab, a quote or a backslash is quoted. A tab at the end terminates a name with a space. */
function unquotePatchPath(name: string): string {
  const bare = name.replace(/\t$/, "");
  if (!bare.startsWith('"') || !bare.endsWith('"')) return bare;
  const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", '"': '"', "\\": "\\" };
  return bare.slice(1, -1).replace(/\\(["\\ntr])/g, (_, letter: string) => escapes[letter] ?? letter);
}
